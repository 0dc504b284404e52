/* SPDX-License-Identifier: MIT
 *
 * deed/ext/size.h - structs that begin with `size`: how one side takes what another side filled, or
 * fills what another side made room for, when the two were built against different headers. What
 * stores, executors and the core share.
 *
 * Members are only ever appended, and a member's zero means what its absence meant. So what is
 * missing in a smaller struct is zero, and what a larger one has beyond is of no consequence as long
 * as it is zero.
 */
#ifndef DEED_EXT_SIZE_H
#define DEED_EXT_SIZE_H

#include <deed/base.h>

DEED_BEGIN_DECLS

/* One struct as this side was compiled with it. Frozen: it has no `size` of its own. */
struct deed_shape {
    const char *name; /* "deed_record" */
    size_t least;     /* a smaller one lacks what no call can do without */
    size_t whole;     /* all that is known here */
};

/* The shape of `struct type`, which must reach at least to the end of `needed`. */
#define DEED_SHAPE(type, needed)                                                                   \
    {                                                                                              \
#type, offsetof(struct type, needed) + sizeof(((struct type *)0)->needed),                 \
            sizeof(struct type)                                                                    \
    }

/* Those that are taken, or given, in several places. */
#define DEED_CLOCK_SHAPE()     DEED_SHAPE(deed_clock, now)
#define DEED_RANDOM_SHAPE()    DEED_SHAPE(deed_random, fill)
#define DEED_ALLOCATOR_SHAPE() DEED_SHAPE(deed_allocator, resize)
#define DEED_SCHEMA_SHAPE()    DEED_SHAPE(deed_schema, wanted) /* of deed/ext/store.h */

/* Everywhere below NULL for a struct is DEED_OK and nothing is done; a refusal is DEED_E_MISUSE and
 * its text names the struct and what to set. */

/* An input that is used where it is: large enough, and nothing beyond what is known here. */
DEED_API DEED_MUST_CHECK deed_rc deed_size_check(
    const struct deed_shape *shape, const void *given, struct deed_error *err);

/* An input, copied into a whole struct of this side: `mine_out` has shape->whole bytes, is zero where
 * nothing was given (all of it for NULL), and its `size` is its own. Not written if refused. */
DEED_API DEED_MUST_CHECK deed_rc deed_size_take(
    const struct deed_shape *shape, const void *given, void *mine_out, struct deed_error *err);

/* A place to be filled later, looked at before anything is done. What lies in it does not matter. */
DEED_API DEED_MUST_CHECK deed_rc deed_size_room(
    const struct deed_shape *shape, const void *place, struct deed_error *err);

/* Fills a place that was looked at from a whole struct of this side. Its `size`, and what lies
 * beyond it or beyond shape->whole, stay as they are. */
DEED_API void deed_size_give(const struct deed_shape *shape, void *place, const void *mine);

DEED_END_DECLS
#endif /* DEED_EXT_SIZE_H */
