/* SPDX-License-Identifier: MIT
 *
 * store_suite.h - what deed/ext/store.h demands of every store, as one group of tests.
 */
#ifndef DEED_TESTS_STORE_SUITE_H
#define DEED_TESTS_STORE_SUITE_H

#include <deed/ext/store.h>

/* Makes the stores under test. Each function fails the test itself when it cannot. */
struct store_factory {
    const char *name; /* of the group, e.g. "sqlite" */
    void *self;
    /* A new store with the newest schema and nothing in it. */
    struct deed_store *(*fresh)(void *self);
    /* A second handle on the data of the newest fresh store; NULL where there can be none. */
    struct deed_store *(*second)(void *self);
    /* Closes the store and opens its data again. */
    struct deed_store *(*reopen)(void *self, struct deed_store *store);
};

/* Runs the suite; the number of tests that failed. */
int store_suite_run(const struct store_factory *stores);

#endif
