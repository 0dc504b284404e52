/* SPDX-License-Identifier: MIT
 *
 * story.h - a small ledger in which a bit of everything has happened, for targets that damage it:
 * told once, and looked at from all sides after each damage.
 */
#ifndef DEED_TESTS_FUZZ_STORY_H
#define DEED_TESTS_FUZZ_STORY_H

#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/mock/clock.h>
#include <deed/mock/world.h>

#define STORY_START_MS INT64_C(1700000000000)

struct story {
    deed_sim_clock *clock;
    deed_sim_random *random;
    deed_world *world;
    deed_ledger *ledger; /* NULL: closed */
};

/* Clock, chance, and a world in the file `world_path`. */
void story_start(struct story *story, const char *world_path, int64_t now_ms);
void story_end(struct story *story);

struct deed_options story_options(const struct story *story);

/* Opens the ledger with its executors. Takes the store. */
DEED_MUST_CHECK deed_rc story_open(
    struct story *story, struct deed_store *store, struct deed_error *err);
void story_close(struct story *story);

/* What is settled, and then what is open. On a ledger that is open and whole. */
void story_tell_settled(struct story *story);
void story_tell_open(struct story *story);

/* Looks at the open ledger from all sides, then does what can be done. Whatever is wrong with it,
 * every call must return, an error must say something, and nothing that was settled is sent again:
 * aborts if not. `sound`: a check that finds nothing must be right. */
void story_read(struct story *story, bool sound);

#endif
