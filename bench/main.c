/* SPDX-License-Identifier: MIT
 *
 * deed-bench - plain SQLite and deed side by side, in one interleaved run.
 *
 *   deed-bench [--rounds N] [--actions N] [--body BYTES] [--only NAME] [--json] --folder DIR
 *
 * Within a round the sides take turns every few actions, and who begins changes, so that a slow
 * moment of the disk or of a neighbour hits both. DIR is on the disk that is to be measured. Exit
 * status 0: all ratios that are wanted are reached; 1: one is not; 2: usage or a failure.
 */
#include "bench.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define PATH_ROOM   4096
#define TURN        10 /* actions, before the other side has its turn */
#define TMPFS_MAGIC 0x01021994

struct options {
    uint32_t rounds;
    uint32_t actions;
    uint32_t body_bytes;
    bool json;
    const char *only;
    const char *folder;
};

/* Files and open handles of both sides. */
struct site {
    char body[BODY_ROOM];
    char bare_path[PATH_ROOM];
    char deed_path[PATH_ROOM];
    void *bare;
    void *deed;
};

/* ---- actions ----------------------------------------------------------------------------- */

/* splitmix64: spreads numbers that follow each other over all of 64 bits. */
static uint64_t scatter(uint64_t number)
{
    uint64_t z = number * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void bench_action(struct action *action, uint64_t stream, uint64_t number, const char *body)
{
    char text[BODY_ROOM + 256];
    action->kind = "payment";
    action->target = "acme";
    action->body = body;
    (void)snprintf(action->key, sizeof(action->key), "%016" PRIx64 "-%" PRIu64 "-%" PRIu64,
        scatter(number * 16 + stream), stream, number);
    const int bytes = snprintf(text, sizeof(text),
        "{\"body\":\"%s\",\"kind\":\"%s\",\"target\":\"%s\"}", body, action->kind, action->target);
    (void)EVP_Digest(text, (size_t)bytes, action->digest, NULL, EVP_sha256(), NULL);
}

/* ---- what is compared -------------------------------------------------------------------- */

typedef bool (*step_function)(
    const struct side *side, void *handle, const char *path, const struct action *action);

static bool step_record(
    const struct side *side, void *handle, const char *path, const struct action *action)
{
    (void)path;
    return side->record(handle, action);
}

static bool step_cycle(
    const struct side *side, void *handle, const char *path, const struct action *action)
{
    (void)path;
    return side->cycle(handle, action);
}

static bool step_repeat(
    const struct side *side, void *handle, const char *path, const struct action *action)
{
    (void)path;
    return side->repeat(handle, action);
}

static bool step_once(
    const struct side *side, void *handle, const char *path, const struct action *action)
{
    (void)handle;
    return side->once(path, action);
}

/* `share`: of the actions asked for. A repeat asks for what `record` has stored. */
static const struct contest {
    const char *name;
    const char *what;
    double wanted;
    step_function step;
    uint64_t stream;
    uint32_t times;
    uint32_t divided;
} contests[] = {
    {"record", "one commit: INSERT; deed_record", 0.75, step_record, 1, 1, 1},
    {"cycle", "two commits: INSERT, UPDATE; deed_plan, deed_begin, deed_may_send, deed_finish",
        0.75, step_cycle, 2, 1, 1},
    {"repeat", "no commit: SELECT and SHA-256; deed_record of a recorded action", 0, step_repeat, 1,
        1, 1},
    {"once", "open, record, close", 0, step_once, 3, 1, 10},
};

#define CONTESTS (sizeof(contests) / sizeof(contests[0]))

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool take_turn(const struct contest *contest, const struct site *site, bool deed,
    const struct action *actions, uint32_t count, double *seconds)
{
    const struct side *side = deed ? &deed_side : &bare_side;
    void *handle = deed ? site->deed : site->bare;
    const char *path = deed ? site->deed_path : site->bare_path;
    const double begin = now_s();
    for (uint32_t i = 0; i < count; i++) {
        if (!contest->step(side, handle, path, &actions[i])) {
            return false;
        }
    }
    *seconds += now_s() - begin;
    return true;
}

static bool run_round(
    const struct contest *contest, const struct site *site, uint32_t round, struct series *series)
{
    struct action actions[TURN];
    double seconds[2] = {0, 0}; /* bare, deed */
    for (uint32_t done = 0; done < series->count;) {
        const uint32_t left = series->count - done;
        const uint32_t count = left < TURN ? left : TURN;
        for (uint32_t i = 0; i < count; i++) {
            bench_action(&actions[i], contest->stream, (uint64_t)round * series->count + done + i,
                site->body);
        }
        const bool deed_first = (done / TURN + round) % 2 == 1;
        if (!take_turn(contest, site, deed_first, actions, count, &seconds[deed_first]) ||
            !take_turn(contest, site, !deed_first, actions, count, &seconds[!deed_first])) {
            return false;
        }
        done += count;
    }
    series->bare_s[round] = seconds[0];
    series->deed_s[round] = seconds[1];
    return true;
}

/* ---- the run ----------------------------------------------------------------------------- */

static void remove_files(const struct site *site)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-owners"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char path[PATH_ROOM + 8];
        (void)snprintf(path, sizeof(path), "%s%s", site->bare_path, suffixes[i]);
        (void)unlink(path);
        (void)snprintf(path, sizeof(path), "%s%s", site->deed_path, suffixes[i]);
        (void)unlink(path);
    }
}

static bool open_site(struct site *site, const struct options *options)
{
    const int bare =
        snprintf(site->bare_path, sizeof(site->bare_path), "%s/bench-bare.db", options->folder);
    const int deed =
        snprintf(site->deed_path, sizeof(site->deed_path), "%s/bench-deed.db", options->folder);
    if (bare >= PATH_ROOM || deed >= PATH_ROOM) {
        (void)fprintf(stderr, "bench: the name of the folder is too long\n");
        return false;
    }
    memset(site->body, 'x', options->body_bytes);
    site->body[options->body_bytes] = '\0';
    remove_files(site); /* of an earlier run that was ended */
    site->bare = bare_side.open(site->bare_path);
    site->deed = site->bare == NULL ? NULL : deed_side.open(site->deed_path);
    return site->deed != NULL;
}

static void close_site(const struct site *site)
{
    if (site->bare != NULL) {
        bare_side.close(site->bare);
    }
    if (site->deed != NULL) {
        deed_side.close(site->deed);
    }
    remove_files(site);
}

static bool is_asked_for(const struct options *options, const struct contest *contest)
{
    return options->only == NULL || strcmp(options->only, contest->name) == 0 ||
        /* repeats ask for what was recorded */
        (strcmp(options->only, "repeat") == 0 && strcmp(contest->name, "record") == 0);
}

/* All contests in each round, so that one of them is not alone with a slow minute. */
static bool run(const struct options *options, const struct site *site, struct series *series,
    uint32_t *count_out)
{
    for (uint32_t round = 0; round < options->rounds; round++) {
        uint32_t count = 0;
        for (size_t i = 0; i < CONTESTS; i++) {
            const struct contest *contest = &contests[i];
            if (!is_asked_for(options, contest)) {
                continue;
            }
            struct series *one = &series[count++];
            one->name = contest->name;
            one->what = contest->what;
            one->wanted = contest->wanted;
            one->count = options->actions / contest->divided;
            one->count = one->count == 0 ? 1 : one->count;
            one->rounds = options->rounds;
            if (!run_round(contest, site, round, one)) {
                return false;
            }
        }
        *count_out = count;
    }
    return true;
}

/* ---- options ----------------------------------------------------------------------------- */

static bool number_of(const char *text, uint32_t least, uint32_t most, uint32_t *number_out)
{
    char *end = NULL;
    const unsigned long number = text == NULL ? 0 : strtoul(text, &end, 10);
    if (text == NULL || end == text || *end != '\0' || number < least || number > most) {
        (void)fprintf(stderr, "bench: a number from %u to %u is needed, not %s\n", (unsigned)least,
            (unsigned)most, text == NULL ? "nothing" : text);
        return false;
    }
    *number_out = (uint32_t)number;
    return true;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        bool good = true;
        if (strcmp(argv[i], "--json") == 0) {
            options->json = true;
        } else if (strcmp(argv[i], "--rounds") == 0) {
            good = number_of(next, 1, ROUNDS_MAX, &options->rounds);
            i++;
        } else if (strcmp(argv[i], "--actions") == 0) {
            good = number_of(next, 1, 1000000, &options->actions);
            i++;
        } else if (strcmp(argv[i], "--body") == 0) {
            good = number_of(next, 1, BODY_ROOM - 1, &options->body_bytes);
            i++;
        } else if (strcmp(argv[i], "--only") == 0 && next != NULL) {
            options->only = next;
            i++;
        } else if (strcmp(argv[i], "--folder") == 0 && next != NULL) {
            options->folder = next;
            i++;
        } else {
            good = false;
        }
        if (!good) {
            return false;
        }
    }
    return options->folder != NULL;
}

int main(int argc, char **argv)
{
    struct options options = {.rounds = 21, .actions = 400, .body_bytes = 200};
    static struct series series[CONTESTS];
    static struct site site;
    struct statfs facts;
    uint32_t count = 0;
    if (!read_options(argc, argv, &options)) {
        (void)fprintf(stderr,
            "usage: deed-bench [--rounds N] [--actions N] [--body BYTES] "
            "[--only record|cycle|repeat|once] [--json] --folder DIR\n");
        return 2;
    }
    if (statfs(options.folder, &facts) != 0) {
        (void)fprintf(stderr, "bench: there is no folder %s\n", options.folder);
        return 2;
    }
    if (facts.f_type == TMPFS_MAGIC) {
        (void)fprintf(stderr,
            "bench: %s is in memory, where a flush costs nothing; name a folder on a disk\n",
            options.folder);
    }
    const bool done = open_site(&site, &options) && run(&options, &site, series, &count);
    close_site(&site);
    if (!done || count == 0) {
        return 2;
    }
    if (options.json) {
        report_json(series, count);
    } else {
        report_text(series, count);
    }
    return report_reached(series, count) ? 0 : 1;
}
