/* SPDX-License-Identifier: MIT
 *
 * Every struct of the headers that begins with `size`, with every call it passes through, as a table:
 * what holds for structs of other headers is tested on all of them. sized_missing compares it with the
 * headers.
 */
#ifndef DEED_TESTS_SIZED_CALLS_H
#define DEED_TESTS_SIZED_CALLS_H

#include "support/scene.h"

struct sized_call {
    const char *name; /* of the struct, "deed_record" */
    const char *call;
    size_t whole;
    /* Writes a sound one, whole; NULL: the library fills it. */
    void (*fill)(struct scene *scene, void *whole);
    /* Calls with the struct at `at`, whatever its size. The intent SCENE_KEY is recorded. */
    deed_rc (*run)(struct scene *scene, void *at, struct deed_error *err);
};

extern const struct sized_call sized_calls[];
extern const size_t sized_call_count;

/* The name of a struct that the headers hold and neither the table nor the list of those that are not
 * negotiated, or the other way round; NULL: they agree. */
const char *sized_missing(void);

#endif
