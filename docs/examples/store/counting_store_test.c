/* SPDX-License-Identifier: MIT
 *
 * The suite every store of deed has to pass, on ours. A factory tells it how to make one.
 */
#include "counting_store.h"

#include <deed/reference.h>
#include <store_suite.h>

#include <stdio.h>
#include <stdlib.h>

/* The suite fails a test whose factory returns NULL. */
static struct deed_store *make_fresh(void *self)
{
    (void)self;
    struct deed_store *inner = NULL;
    return deed_reference_open(NULL, &inner, NULL) == DEED_OK ? counting_store_new(inner) : NULL;
}

/* The reference store has one lock: a test that writes by one handle while it reads by another would
 * wait for itself. A store without that limit returns a second handle on the same data. */
static struct deed_store *make_second(void *self)
{
    (void)self;
    return NULL;
}

/* What was committed must survive this: here, by way of a copy of the memory. */
static struct deed_store *reopen(void *self, struct deed_store *store)
{
    (void)self;
    struct deed_store *inner = counting_store_inner(store);
    struct deed_store *again = NULL;
    size_t bytes = 0;
    deed_rc rc = deed_reference_save(inner, NULL, 0, &bytes, NULL);
    void *paper = rc == DEED_OK ? malloc(bytes) : NULL;
    if (paper != NULL && deed_reference_save(inner, paper, bytes, &bytes, NULL) == DEED_OK) {
        rc = deed_reference_load(paper, bytes, NULL, &again, NULL);
    }
    free(paper);
    store->close(store->self);
    return rc == DEED_OK && again != NULL ? counting_store_new(again) : NULL;
}

int main(void)
{
    const struct store_factory stores = {
        .name = "counting", .fresh = make_fresh, .second = make_second, .reopen = reopen};
    return store_suite_run(&stores);
}
