/* SPDX-License-Identifier: MIT
 *
 * The reference store against the suite for all stores. Opening again goes by way of paper, so that
 * whatever the suite stores is also saved and loaded. It offers no second handle: there is one lock,
 * and a test that writes by one handle while it reads by another would wait for itself.
 */
#include "conformance/store_suite.h"

#include "support/test.h"

#include <deed/reference.h>

static struct deed_store *make_fresh(void *self)
{
    (void)self;
    struct deed_store *store = NULL;
    assert_int_equal(deed_reference_open(NULL, &store, NULL), DEED_OK);
    return store;
}

static struct deed_store *make_second(void *self)
{
    (void)self;
    return NULL;
}

static struct deed_store *reopen(void *self, struct deed_store *store)
{
    (void)self;
    size_t bytes = 0;
    assert_int_equal(deed_reference_save(store, NULL, 0, &bytes, NULL), DEED_OK);
    void *paper = malloc(bytes);
    assert_non_null(paper);
    assert_int_equal(deed_reference_save(store, paper, bytes, &bytes, NULL), DEED_OK);
    store->close(store->self);
    assert_int_equal(deed_reference_load(paper, bytes, NULL, &store, NULL), DEED_OK);
    free(paper);
    return store;
}

int main(void)
{
    const struct store_factory stores = {
        .name = "reference",
        .fresh = make_fresh,
        .second = make_second,
        .reopen = reopen,
    };
    return store_suite_run(&stores);
}
