/* SPDX-License-Identifier: MIT
 *
 * Every situation an intent can stand in, arranged step by step with the public calls. Tables of what
 * each call does from there, and of the reasons that are told, are held against them.
 */
#ifndef DEED_TESTS_SITUATION_H
#define DEED_TESTS_SITUATION_H

#include "support/scene.h"

/* Which steps a situation needs; each is something only some classes of provider can do. */
#define SITUATION_ANY    0x1FU
#define SITUATION_ASKS   ((1U << SCENE_LOOKUP) | (1U << SCENE_KEYED_LOOKUP) | (1U << SCENE_CLOSABLE))
#define SITUATION_KEYED  (1U << SCENE_KEYED)
#define SITUATION_NOBODY (1U << SCENE_BLIND) /* no attempt is made: one class stands for all */

/* What was arranged. Worker 0 has done it; an attempt that does not exist has number 0. */
struct situation_attempts {
    struct deed_attempt old; /* its doubt was ended by a person's not_applied */
    struct deed_attempt newest;
};

struct situation {
    const char *name;
    unsigned classes; /* in which it can be arranged: bits (1U << scene_class) */
    void (*arrange)(
        struct scene *scene, enum scene_class class, struct situation_attempts *attempts);
};

/* NULL past the last one. `arrange` begins with scene_prepare; end it with scene_end. */
const struct situation *situation_at(size_t index);
const struct situation *situation_named(const char *name);

#endif
