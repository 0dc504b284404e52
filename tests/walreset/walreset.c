/* SPDX-License-Identifier: MIT
 *
 * SQLite's WAL-reset race, found again in the SQLite that Debian has, and never with deed's rule; see
 * docs/internals/wal-reset.md.
 *
 *   walreset.program found                     the race, with plain checkpoints
 *   walreset.program rule                      the rule, with deed's store
 *   walreset.program night [PLAYS [SEED]]      both at random, so many plays of each kind
 *   walreset.program again WAY PROGRAM SCHEDULE   one play, as it was told
 */
#include "disk.h"
#include "explore.h"
#include "ways.h"

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the archive that make-sqlite makes. */
extern const char walreset_sqlite[];
extern const char walreset_missing[];

#define BLOCKS       (POINT_BLOCK | POINT_CALL)
#define QUICK_PLAYS  400
#define NIGHT_PLAYS  250000
#define DEFAULT_SEED 1

/* Two checkpoints against a commit: when the second begins, all is copied, and the commit begins a new
 * log behind its back. Then one checkpoint, in a log that was copied before. */
static const struct program races[] = {
    {"ls", {"cc", "l"}},
    {"lsc", {"c", "l"}},
};
/* Commits that find the log full: each checkpoints and begins a new log by itself. */
static const struct program full_logs[] = {
    {"s", {"f", "f"}},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- what is expected -------------------------------------------------------------------- */

/* https://www.sqlite.org/wal.html#walresetbug */
static bool mended(int version)
{
    return version >= 3051003 || (version >= 3050007 && version < 3051000) ||
        (version >= 3044006 && version < 3045000);
}

enum expectation {
    NONE_BROKEN,
    SOME_BROKEN
};

static bool judge(const char *name, const struct counts *counts, enum expectation expectation)
{
    const bool some = expectation == SOME_BROKEN && !mended(sqlite3_libversion_number());
    const bool good = counts->plays > 0 && (counts->broken > 0) == some;
    printf("%-58s %8llu plays %6llu broken", name, (unsigned long long)counts->plays,
        (unsigned long long)counts->broken);
    if (counts->first_broken > 0) {
        printf(", first in play %llu", (unsigned long long)counts->first_broken);
    }
    printf("%s\n", good ? "" : some ? "   WRONG: the race was not found" : "   WRONG: none may be");
    (void)fflush(stdout);
    return good;
}

/* A run in which nothing was preempted, or nothing was written, shows nothing. */
static bool judge_busy(const char *name, const struct counts *counts)
{
    printf("    with %llu preemptions, %llu waits, %llu commits, %llu checkpoints, %llu refused\n",
        (unsigned long long)counts->preemptions, (unsigned long long)counts->waits,
        (unsigned long long)counts->commits, (unsigned long long)counts->copied,
        (unsigned long long)counts->refused);
    const bool good = counts->preemptions > 0 && counts->commits > 0;
    if (!good) {
        printf("%s: WRONG: nothing was preempted, or nothing was committed\n", name);
    }
    return good;
}

/* ---- experiments ------------------------------------------------------------------------- */

static bool all(const struct experiment *experiment, const struct program *programs, size_t count,
    enum expectation expectation)
{
    const struct counts counts = explore_all(experiment, programs, count);
    bool good =
        judge(experiment->name, &counts, expectation); /* all of it is told, whatever is wrong */
    good &= judge_busy(experiment->name, &counts);
    return good;
}

static bool at_random(const struct experiment *experiment, uint64_t plays,
    enum expectation expectation, const char *control_name)
{
    struct counts control;
    const struct counts counts = explore_random(experiment, plays, &control);
    bool good = judge(experiment->name, &counts, expectation);
    good &= judge_busy(experiment->name, &counts);
    good &= judge(control_name, &control, NONE_BROKEN);
    return good;
}

static bool found(void)
{
    const struct experiment calls = {
        .name = "plain checkpoint, preempted at each call of the disk",
        .way = &way_plain,
        .points = POINT_CALL,
    };
    const struct experiment blocks = {
        .name = "plain checkpoint, preempted at each basic block",
        .way = &way_plain,
        .points = BLOCKS,
    };
    bool good = all(&calls, races, COUNT(races), NONE_BROKEN);
    good &= all(&blocks, races, COUNT(races), SOME_BROKEN);
    return good;
}

static bool at_random_twice(struct experiment experiment, const char *const names[2],
    const char *control_name, uint64_t plays, enum expectation expectation)
{
    bool good = true;
    for (size_t i = 0; i < TURNS_PREEMPTIONS_MAX; i++) {
        experiment.name = names[i];
        experiment.preemptions = i + 1;
        good &= at_random(&experiment, plays, expectation, control_name);
    }
    return good;
}

static const char *const rule_names[] = {
    "the rule, random, one preemption", "the rule, random, two preemptions"};

static bool rule(uint64_t seed)
{
    const struct experiment without = {
        .name = "deed's store, but a plain checkpoint, each basic block",
        .way = &way_no_rule,
        .points = BLOCKS,
    };
    const struct experiment with = {
        .name = "the rule: deed's store as it is, each basic block",
        .way = &way_rule,
        .points = BLOCKS,
        .letters = "cccslf",
        .seed = seed,
    };
    const struct experiment full = {
        .name = "the rule: commits that find the log full, each basic block",
        .way = &way_rule,
        .points = BLOCKS,
    };
    bool good = all(&without, races, 1, SOME_BROKEN);
    good &= all(&with, races, COUNT(races), NONE_BROKEN);
    good &= all(&full, full_logs, COUNT(full_logs), NONE_BROKEN);
    good &= at_random_twice(
        with, rule_names, "    the same programs, no preemption", QUICK_PLAYS, NONE_BROKEN);
    return good;
}

static bool night(uint64_t plays, uint64_t seed)
{
    static const char *const plain_names[] = {
        "plain checkpoint, random, one preemption", "plain checkpoint, random, two preemptions"};
    static const char *const without_names[] = {
        "deed's store, but a plain checkpoint, one preemption",
        "deed's store, but a plain checkpoint, two preemptions"};
    static const char control[] = "    the same programs, no preemption";
    const struct experiment plain = {
        .way = &way_plain, .points = BLOCKS, .letters = "ccsl", .seed = seed};
    const struct experiment without = {
        .way = &way_no_rule, .points = BLOCKS, .letters = "cccsl", .seed = seed};
    const struct experiment with = {
        .way = &way_rule, .points = BLOCKS, .letters = "cccslf", .seed = seed};
    printf("seed %llu\n", (unsigned long long)seed);
    bool good = at_random_twice(plain, plain_names, control, plays, SOME_BROKEN);
    good &= at_random_twice(without, without_names, control, plays, SOME_BROKEN);
    good &= at_random_twice(with, rule_names, control, plays, NONE_BROKEN);
    return good;
}

/* ---- the program ------------------------------------------------------------------------- */

/* It must be the one of make-sqlite, and nothing of the one that is installed. */
static bool sqlite_is_ours(void)
{
    Dl_info sqlite;
    Dl_info program;
    const char *(*function)(void) = sqlite3_sourceid;
    const void *address = NULL;
    memcpy(&address, &function, sizeof(address)); /* ISO C has no cast for it */
    const bool ours = dladdr(address, &sqlite) != 0 && dladdr(walreset_sqlite, &program) != 0 &&
        sqlite.dli_fbase == program.dli_fbase;
    printf("SQLite %s: %s\n", sqlite3_libversion(), walreset_sqlite);
    if (!ours) {
        printf("but it was loaded from %s, which nobody can preempt\n", sqlite.dli_fname);
    }
    return ours;
}

static uint64_t number_of(const char *text, uint64_t otherwise)
{
    char *end = NULL;
    const unsigned long long number = text == NULL ? 0 : strtoull(text, &end, 10);
    return text == NULL || *end != '\0' || number == 0 ? otherwise : number;
}

static int again(char **words)
{
    const struct way *const ways[] = {&way_plain, &way_rule, &way_no_rule};
    bool kept = false;
    for (size_t i = 0; i < COUNT(ways); i++) {
        if (strcmp(words[0], ways[i]->name) == 0 &&
            explore_again(ways[i], words[1], words[2], &kept)) {
            return kept ? 0 : 1;
        }
    }
    (void)fprintf(stderr, "again WAY PROGRAM SCHEDULE, as it was told\n");
    return 2;
}

static int run(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    const char *plays = count > 2 ? words[2] : getenv("DEED_WALRESET_PLAYS");
    const uint64_t seed = number_of(count > 3 ? words[3] : NULL, DEFAULT_SEED);
    bool good = false;
    if (strcmp(what, "again") == 0 && count == 5) {
        return again(words + 2);
    }
    if (strcmp(what, "found") == 0) {
        good = found();
    } else if (strcmp(what, "rule") == 0) {
        good = rule(seed);
    } else if (strcmp(what, "night") == 0) {
        good = night(number_of(plays, NIGHT_PLAYS), seed);
    } else {
        (void)fprintf(stderr, "walreset.program found | rule | night [PLAYS [SEED]] | again ...\n");
        return 2;
    }
    uint32_t known = 0;
    uint32_t met = 0;
    turns_blocks(&known, &met);
    printf("%u of the %u basic blocks of the WAL code were run, and could be stopped at\n", met,
        known);
    return good && met > 0 ? 0 : 1;
}

int main(int count, char **words)
{
    if (walreset_missing[0] != '\0') {
        printf(
            "There is no SQLite to look into: %s\n"
            "docs/internals/wal-reset.md says what is needed, and how to do without this test.\n",
            walreset_missing);
        return 1;
    }
    if (!sqlite_is_ours() || disk_register() != SQLITE_OK) {
        return 1;
    }
    if (!ways_prepare()) {
        (void)fprintf(stderr, "the databases to begin with could not be made\n");
        return 1;
    }
    const int status = run(count, words);
    ways_finish();
    return status;
}
