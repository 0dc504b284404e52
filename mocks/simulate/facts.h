/* SPDX-License-Identifier: MIT
 *
 * facts.h - all that the ledger says about one intent, and all that the world counts for its key,
 * in plain arrays. Each rule looks at them alone; rules trust the ledger's own events only as far
 * as deed_ledger_check has found them whole.
 */
#ifndef DEED_MOCKS_SIMULATE_FACTS_H
#define DEED_MOCKS_SIMULATE_FACTS_H

#include "simulate/invariants.h"

#define DEED_CRASH__ATTEMPTS_MAX  256
#define DEED_CRASH__EVENTS_MAX    2048
#define DEED_CRASH__EVIDENCE_MAX  1024
#define DEED_CRASH__REQUESTS_MAX  256
#define DEED_CRASH__EFFECTS_MAX   16
#define DEED_CRASH__REFERENCE_MAX 32
#define DEED_CRASH__TAKEN_MAX     4096

struct deed_crash__seen_attempt {
    uint32_t number;
    uint8_t token[DEED_TOKEN_BYTES];
    char provider_key[DEED_PROVIDER_KEY_BYTES];
    uint32_t generation;
    char bytes_digest[DEED_DIGEST_TEXT_BYTES];
    deed_verdict verdict;
    bool answered;
    uint32_t flags;
};

struct deed_crash__seen_event {
    deed_event event;
    deed_state from;
    deed_state to;
    deed_outcome outcome;
    uint32_t attempt;
    deed_grade grade;
    int64_t at_ms;
    uint8_t hash[DEED_DIGEST_BYTES];
};

struct deed_crash__seen_evidence {
    uint32_t attempt;
    deed_outcome outcome;
    deed_grade grade;
    bool settled;
    char reference[DEED_CRASH__REFERENCE_MAX];
};

struct deed_crash__seen_request {
    char provider_key[DEED_PROVIDER_KEY_BYTES];
    char bytes_digest[DEED_DIGEST_TEXT_BYTES];
    uint32_t attempt;
    deed_world_fate fate;
    bool garbage; /* its answer was filled in by nobody */
    uint64_t effects;
    int64_t sent_ms;
    int64_t landed_ms;
};

struct deed_crash__facts {
    struct deed_result result;
    uint32_t abilities;
    uint8_t digest[DEED_DIGEST_BYTES]; /* the stored one */
    bool payload_matches;              /* the stored payload has that digest */
    size_t attempts_count;
    struct deed_crash__seen_attempt attempts[DEED_CRASH__ATTEMPTS_MAX];
    size_t events_count;
    struct deed_crash__seen_event events[DEED_CRASH__EVENTS_MAX];
    size_t evidence_count;
    struct deed_crash__seen_evidence evidence[DEED_CRASH__EVIDENCE_MAX];
    size_t requests_count;
    struct deed_crash__seen_request requests[DEED_CRASH__REQUESTS_MAX];
    size_t effects_count;
    char effects[DEED_CRASH__EFFECTS_MAX][DEED_CRASH__REFERENCE_MAX];
};

/* Of all intents together. */
struct deed_crash__across {
    struct deed_crash__promises *in;
    size_t taken_count;
    struct {
        char reference[DEED_CRASH__REFERENCE_MAX];
        char key[DEED_KEY_BYTES_MAX + 1];
    } taken[DEED_CRASH__TAKEN_MAX];
    size_t tokens_count;
    struct {
        uint8_t token[DEED_TOKEN_BYTES];
        char provider_key[DEED_PROVIDER_KEY_BYTES];
        char key[DEED_KEY_BYTES_MAX + 1];
    } tokens[DEED_CRASH__TAKEN_MAX];
    struct deed_crash__facts facts; /* of the intent being looked at */
};

/* Notes what does not hold, the first only. Returns false. */
bool deed_crash__broken(struct deed_crash__promises *in, const char *format, ...) DEED_PRINTF(2, 3);
void deed_crash__copy_text(char *out, size_t out_bytes, const char *text);
/* Reads ledger and world about across->facts.result. */
bool deed_crash__read_facts(struct deed_crash__across *across);

const struct deed_crash__seen_attempt *deed_crash__attempt_numbered(
    const struct deed_crash__facts *facts, uint32_t number);
/* Whether its provider can do any of these (DEED_CRASH__CAN_...). */
bool deed_crash__can(const struct deed_crash__facts *facts, uint32_t abilities);
bool deed_crash__is_blind(const struct deed_crash__facts *facts);

/* ---- the rules, by their names ----------------------------------------------------------- */

typedef bool (*deed_crash__rule)(
    struct deed_crash__promises *in, const struct deed_crash__facts *facts);

bool deed_crash__ir1(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__ir2(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__is1(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__is2(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__is3(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__ie1(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__ie2(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__ib1(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__ib2(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__ib4(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
/* IB3, IB5, IB6, IB7, IL3, and IS2, IS3 for each attempt: how it came to be where it is. */
bool deed_crash__history(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__im3(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__il1(struct deed_crash__promises *in, const struct deed_crash__facts *facts);
bool deed_crash__ie3(struct deed_crash__across *across, const struct deed_crash__facts *facts);
bool deed_crash__if1(struct deed_crash__across *across, const struct deed_crash__facts *facts);

/* What has been met on the way, as bits of deed_crash__mark. */
void deed_crash__mark_facts(struct deed_crash__promises *in, const struct deed_crash__facts *facts);

#endif /* DEED_MOCKS_SIMULATE_FACTS_H */
