/* SPDX-License-Identifier: MIT
 *
 * bench.h - what the benchmark measures, side by side: loops on plain SQLite (bare.c), and the same
 * work through libdeed (ledger.c). Both get the same keys and payloads, in the same order.
 */
#ifndef DEED_BENCH_H
#define DEED_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#define KEY_ROOM  41
#define BODY_ROOM 4001

/* One action. Keys are random text, so that they land all over an index. */
struct action {
    char key[KEY_ROOM];
    const char *kind;
    const char *target;
    const char *body;
    uint8_t digest[32]; /* SHA-256 of kind, target and body; the bare loops compare by it */
};

/* One side of a comparison. Every function returns false after it has said why on standard error. */
struct side {
    void *(*open)(const char *path); /* makes the file; NULL: failed */
    void (*close)(void *self);
    bool (*record)(void *self, const struct action *action); /* one commit */
    bool (*cycle)(void *self, const struct action *action);  /* two commits: before, after */
    bool (*repeat)(void *self, const struct action *action); /* of a recorded one: no commit */
    /* Opens the file anew, records, closes. */
    bool (*once)(const char *path, const struct action *action);
};

extern const struct side bare_side;
extern const struct side deed_side;

/* Bytes of `text` as the number of a stream: the same for both sides, another for each `stream`. */
void bench_action(struct action *action, uint64_t stream, uint64_t number, const char *body);

/* ---- report.c ---------------------------------------------------------------------------- */

#define ROUNDS_MAX 1001

/* Seconds of each round. */
struct series {
    const char *name; /* "record" */
    const char *what;
    double wanted;  /* ratio; 0: no limit */
    uint32_t count; /* actions in one round, on each side */
    uint32_t rounds;
    double bare_s[ROUNDS_MAX];
    double deed_s[ROUNDS_MAX];
};

void report_text(const struct series *series, uint32_t count);
void report_json(const struct series *series, uint32_t count);
/* Is every wanted ratio reached? */
bool report_reached(const struct series *series, uint32_t count);

#endif
