/* SPDX-License-Identifier: MIT
 *
 * What must hold. After each commit what one look at a row and a count of the world can tell; at the
 * end of a run everything.
 */
#include "schedule.h"

#include <string.h>

/* ---- after each commit ------------------------------------------------------------------- */

struct look {
    bool here;
    deed_state state;
    deed_outcome outcome;
    bool disputed;
    int64_t chain_length;
    uint32_t attempts;
};

static deed_rc look_at(void *context, deed_tx *tx, struct deed_error *err)
{
    struct look *look = context;
    struct deed_intent_row row = {.size = sizeof(row)};
    deed_rc rc = tx->intent_get(tx->self, STAGE_KEY, false, &row, err);
    if (rc == DEED_E_NOT_FOUND) {
        return DEED_OK;
    }
    *look = (struct look){.here = rc == DEED_OK,
        .state = row.state,
        .outcome = row.outcome,
        .disputed = row.disputed,
        .chain_length = row.chain_length,
        .attempts = row.attempts};
    return rc;
}

static void judge(struct stage *stage, const struct look *look)
{
    struct deed_world_counts counts = {.size = sizeof(counts)};
    if (deed_world_count(stage->world, STAGE_KEY, NULL, &counts, NULL) != DEED_OK) {
        stage_break(stage, "the world cannot be read");
    } else if (counts.effects > 1 && !stage->scenario->guesses) {
        stage_break(stage, "IE1: it took effect %u times", (unsigned)counts.effects);
    } else if (look->outcome == DEED_APPLIED && counts.effects == 0) {
        stage_break(stage, "IB1: it is applied, and nothing happened");
    } else if (look->outcome != DEED_APPLIED && look->outcome != DEED_OUTCOME_NONE &&
        counts.effects > 0 && !look->disputed && !stage->scenario->guesses) {
        stage_break(stage, "IB2: it is %s, and it happened", deed_outcome_name(look->outcome));
    } else if (counts.sends > look->attempts) {
        stage_break(stage, "IS2: more went out than attempts are stored");
    } else if (look->chain_length < stage->chain_length) {
        stage_break(stage, "IR4: events are gone");
    }
    stage->chain_length = look->chain_length;
}

void judge_commit(struct stage *stage)
{
    struct look look = {.here = false};
    struct deed_op op = {.size = sizeof(op), .run = look_at, .context = &look};
    struct deed_error err = {.text = ""};
    const struct deed_store *store = stage->hands[0].store;
    bool was_quiet = stage->quiet;
    stage->quiet = stage->looking = true;
    disk_enter(stage, 0);
    bool read = store->read(store->self, &op, &err) == DEED_OK && op.rc == DEED_OK;
    stage->looking = false;
    stage->quiet = was_quiet;
    disk_enter(stage, stage_present(stage)->number);
    if (!read) {
        stage_break(stage, "IM1: the ledger cannot be read: %s", err.text);
        return;
    }
    if (look.here) {
        judge(stage, &look);
    }
    if (stage->thorough) {
        judge_end(stage, false);
    }
}

void judge_effects(struct stage *stage)
{
    uint64_t effects = deed_world_effects(stage->world, STAGE_KEY);
    if (effects != stage->effects) {
        stage->effects = effects;
        judge_commit(stage);
    }
}

/* ---- everything -------------------------------------------------------------------------- */

static bool was_asked(void *context, const char *key, uint8_t digest_out[DEED_DIGEST_BYTES])
{
    const struct stage *stage = context;
    if (strcmp(key, STAGE_KEY) != 0) {
        return false;
    }
    /* Either of the two payloads: which one came first is the schedule's. */
    memcpy(digest_out, stage->digests[stage->other_first ? 1 : 0], DEED_DIGEST_BYTES);
    return true;
}

struct told {
    struct stage *stage;
    uint32_t attempts;
    deed_verdict verdicts[64];
    uint32_t causes[64];
};

static deed_rc note_payload(void *context, const struct deed_intent_row *row)
{
    struct stage *stage = context;
    stage->other_first = memcmp(row->digest, stage->digests[1], sizeof(stage->digests[1])) == 0;
    return DEED_OK;
}

static deed_rc note_attempt(void *context, const struct deed_attempt_row *row)
{
    struct told *told = context;
    if (row->number >= 1 && row->number <= 64) {
        told->verdicts[row->number - 1] = row->verdict;
        told->attempts = row->number;
    }
    return DEED_OK;
}

struct walk {
    struct stage *stage;
    bool settled;
    bool denied;   /* somebody said or acted as if nothing had happened: a person, a retraction */
    bool surprise; /* and then it turned out that it had */
    bool disputed; /* which was noticed */
    uint32_t newest;
    deed_outcome outcome; /* after the last event */
    unsigned events;
    unsigned person_at;     /* number of the last event in which a person settled it; 0: none */
    unsigned answer_at[64]; /* and of the last one that tells of an attempt's own answer */
};

/* IB7: what a worker heard and stored is there, whoever had settled it before. */
static void judge_heard(struct stage *stage, const struct told *told, const struct walk *walk)
{
    for (unsigned i = 1; i <= STAGE_WORKERS; i++) {
        const struct hand *hand = &stage->hands[i];
        if (hand->heard_attempt == 0 || !hand->stored || hand->heard_attempt > told->attempts) {
            continue;
        }
        deed_verdict kept = told->verdicts[hand->heard_attempt - 1];
        if (kept == DEED_VERDICT_UNKNOWN ||
            (hand->heard == DEED_VERDICT_APPLIED && kept != DEED_VERDICT_APPLIED)) {
            stage_break(stage, "IB7: attempt %u was answered %s, and it is kept as %s",
                (unsigned)hand->heard_attempt, deed_verdict_name(hand->heard),
                deed_verdict_name(kept));
        } else if (hand->heard == DEED_VERDICT_APPLIED && walk->outcome != DEED_APPLIED &&
            walk->answer_at[hand->heard_attempt - 1] >= walk->person_at) {
            stage_break(stage, "IB7: attempt %u was answered applied, and it is %s",
                (unsigned)hand->heard_attempt, deed_outcome_name(walk->outcome));
        }
    }
}

static void mark_event(struct stage *stage, const struct deed_event_row *row, bool settled)
{
    if (settled && row->grade == DEED_GRADE_FIRST_HAND && row->attempt != 0) {
        stage_mark(stage, MARK_LATE_WORD);
    }
    switch ((int)row->event) {
    case DEED_EVENT_REPLAY:
        stage_mark(stage, MARK_REPLAYED);
        break;
    case DEED_EVENT_DISPUTE:
        stage_mark(stage, MARK_DISPUTED);
        break;
    case DEED_EVENT_NOTE:
        if (row->grade == DEED_GRADE_PROVIDER_PRESENT ||
            row->grade == DEED_GRADE_PROVIDER_ABSENT_FINAL ||
            row->grade == DEED_GRADE_PROVIDER_CLOSED) {
            stage_mark(stage, MARK_LOST_RACE);
        }
        break;
    case DEED_EVENT_RETRACT:
        stage_mark(stage, MARK_RETRACTED);
        break;
    case DEED_EVENT_ATTEMPT:
        if (row->attempt > 1) {
            stage_mark(stage, MARK_RETRIED);
        }
        break;
    case DEED_EVENT_RECONCILE:
        if (row->grade == DEED_GRADE_PROVIDER_ABSENT_FINAL) {
            stage_mark(stage, MARK_ABSENT_FINAL);
        } else if (row->grade == DEED_GRADE_PROVIDER_PRESENT) {
            stage_mark(stage, MARK_PRESENT);
        } else if (row->grade == DEED_GRADE_PROVIDER_CLOSED) {
            stage_mark(stage, MARK_CLOSED);
        }
        break;
    default:
        break;
    }
}

static deed_rc walk_event(void *context, const struct deed_event_row *row)
{
    struct walk *walk = context;
    mark_event(walk->stage, row, walk->settled);
    walk->surprise = walk->surprise ||
        (walk->denied && row->outcome == DEED_APPLIED && row->grade != DEED_GRADE_OPERATOR &&
            row->event != DEED_EVENT_DISPUTE);
    walk->denied = row->outcome == DEED_RETRACTED ||
        (row->outcome == DEED_NOT_APPLIED && (walk->denied || row->grade == DEED_GRADE_OPERATOR));
    if (row->event == DEED_EVENT_RETRACT && walk->disputed) {
        stage_break(walk->stage, "IB7: it was given up while words about it contradict each other");
    }
    walk->disputed = walk->disputed || row->event == DEED_EVENT_DISPUTE;
    bool starts = row->event == DEED_EVENT_ATTEMPT || row->event == DEED_EVENT_REPLAY;
    walk->newest = starts ? row->attempt : walk->newest;
    if (!starts && row->attempt != 0 && row->attempt < walk->newest &&
        row->grade == DEED_GRADE_FIRST_HAND) {
        stage_mark(walk->stage, MARK_REPLAY_BEFORE_ANSWER);
    }
    walk->outcome = row->outcome;
    walk->events++;
    if (row->grade == DEED_GRADE_OPERATOR) {
        walk->person_at = walk->events;
    } else if (row->grade == DEED_GRADE_FIRST_HAND && row->attempt >= 1 && row->attempt <= 64) {
        walk->answer_at[row->attempt - 1] = walk->events;
    }
    walk->settled = row->to == DEED_CONFIRMED || row->to == DEED_RECONCILED;
    return DEED_OK;
}

/* Where a person guessed, only what does not depend on persons. */
static void judge_machinery(struct stage *stage)
{
    struct deed_check check = {.size = sizeof(check)};
    struct deed_error err = {.text = ""};
    if (deed_ledger_check(stage->witness, NULL, NULL, &check, &err) != DEED_OK) {
        stage_break(stage, "IM1: %s", err.text);
    }
}

static void judge_in_full(struct stage *stage, bool ended)
{
    struct deed_crash__promises *in = &stage->in;
    if (stage->scenario->guesses) {
        judge_machinery(stage);
        return;
    }
    in->ledger = stage->witness;
    in->world = stage->world;
    in->asked = was_asked;
    in->context = stage;
    in->whole = true;
    in->ended = ended;
    in->looked_back = ended;
    if (!deed_crash__hold(in)) {
        stage_break(stage, "%s", in->broken);
    }
}

/* Nothing here is a place: whoever looks stands beside it. */
void judge_end(struct stage *stage, bool ended)
{
    struct told told = {.stage = stage};
    struct walk walk = {.stage = stage};
    deed_ledger *ledger = stage->witness;
    struct deed_error err = {.text = ""};
    bool was_quiet = stage->quiet;
    stage->quiet = stage->looking = true;
    disk_enter(stage, 0);
    deed_rc rc = deed_intent_payload(ledger, STAGE_KEY, note_payload, stage, &err);
    if (rc == DEED_OK) {
        rc = deed_intent_attempts(ledger, STAGE_KEY, note_attempt, &told, &err);
    }
    if (rc == DEED_OK && !ended && deed_workers_present(stage->workers) == 0) {
        rc = deed_intent_events(ledger, STAGE_KEY, walk_event, &walk, &err);
        judge_heard(stage, &told, &walk);
        if (walk.surprise && !walk.disputed) {
            stage_break(stage, "IB7: a person's word was wrong, and nobody is told");
        }
    }
    if (rc != DEED_OK && rc != DEED_E_NOT_FOUND) {
        stage_break(stage, "IM1: the ledger cannot be read: %s", err.text);
    }
    judge_in_full(stage, ended);
    stage->looking = false;
    stage->quiet = was_quiet;
    disk_enter(stage, stage_present(stage)->number);
}
