/* SPDX-License-Identifier: MIT
 *
 * What a store with real constraints refuses: the same rules as the CHECKs and triggers of
 * migrations/, but for states and steps, which are asked of the machine itself.
 */
#include <inttypes.h>
#include <string.h>

#include <deed/machine.h>

#include "reference_impl.h"

struct number {
    const char *name;
    int64_t value;
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static deed_rc broken(const char *what, const char *rule, struct deed_error *err)
{
    return deed_error_set(err, DEED_E_CHECK, REFERENCE_ORIGIN, "%s: %s", what, rule);
}

/* A wall time between 1973 and 5138: a value a thousand times too small or too large is none. */
static bool is_time(int64_t ms)
{
    return ms >= DEED_WALL_MS_MIN && ms <= DEED_WALL_MS_MAX;
}

static deed_rc check_time(
    const char *what, struct number time, bool may_be_none, struct deed_error *err)
{
    if ((may_be_none && time.value == 0) || is_time(time.value)) {
        return DEED_OK;
    }
    return deed_error_set(err, DEED_E_CHECK, REFERENCE_ORIGIN,
        "%s: %s is no wall time in milliseconds: %" PRId64, what, time.name, time.value);
}

static deed_rc check_times(
    const char *what, const struct number *times, size_t count, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < count; i++) {
        rc = check_time(what, times[i], true, err);
    }
    return rc;
}

static deed_rc check_durations(
    const char *what, const struct number *durations, size_t count, struct deed_error *err)
{
    for (size_t i = 0; i < count; i++) {
        int64_t ms = durations[i].value;
        if ((ms < 0 || ms > DEED_DURATION_MS_MAX) && ms != DEED_FOREVER) {
            return deed_error_set(err, DEED_E_CHECK, REFERENCE_ORIGIN,
                "%s: %s is no duration in milliseconds: %" PRId64, what, durations[i].name, ms);
        }
    }
    return DEED_OK;
}

static bool is_grade(deed_grade grade)
{
    return deed_grade_name(grade) != NULL;
}

static bool is_boot(const struct deed_instant *instant)
{
    return memchr(instant->boot, '\0', sizeof(instant->boot)) != NULL;
}

/* ---- the ledger -------------------------------------------------------------------------- */

deed_rc deed__reference_rule_ledger(const struct deed_ledger_row *row, struct deed_error *err)
{
    const char *what = "the row of the ledger";
    if (row->name == NULL || deed_key_check(row->name, NULL) != DEED_OK) {
        return broken(what, "its name is no ledger name", err);
    }
    if (row->epoch < 0 || row->chain_length < 0) {
        return broken(what, "its epoch and the length of its chain are not negative", err);
    }
    const struct number send = {"fence_send_ms", row->fence_send_ms};
    const struct number restored = {"restored_ms", row->restored_ms};
    const struct number created = {"created_ms", row->created_ms};
    deed_rc rc = check_durations(what, &send, 1, err);
    if (rc == DEED_OK) {
        rc = check_time(what, restored, true, err);
    }
    return rc == DEED_OK ? check_time(what, created, false, err) : rc;
}

/* ---- intents ----------------------------------------------------------------------------- */

static deed_rc check_state(const struct deed_intent_row *row, struct deed_error *err)
{
    if (!deed_state_allows(row->state, row->outcome)) {
        return deed_error_set(err, DEED_E_CHECK, REFERENCE_ORIGIN,
            "%s: no intent is in state %d with outcome %d", row->key, (int)row->state,
            (int)row->outcome);
    }
    bool open = row->state == DEED_RECORDED || row->state == DEED_ATTEMPTED;
    if (open && (row->grade != DEED_GRADE_NONE || row->settled_ms != 0)) {
        return broken(row->key, "an open intent has no grade and no time of settlement", err);
    }
    if (!is_grade(row->grade)) {
        return broken(row->key, "its grade is none that there is", err);
    }
    if (row->settled_attempts > row->attempts) {
        return broken(row->key, "it was settled after more attempts than were made", err);
    }
    return DEED_OK;
}

deed_rc deed__reference_rule_intent(const struct deed_intent_row *row, struct deed_error *err)
{
    if (row->key == NULL || deed_key_check(row->key, NULL) != DEED_OK) {
        return broken("an intent", "its key is no action key", err);
    }
    if (row->chain_length < 0 || !is_boot(&row->absent_asked)) {
        return broken(
            row->key, "the length of its chain and the boot of its absence are sound", err);
    }
    const struct number times[] = {
        {"recorded_ms", row->recorded_ms},
        {"settled_ms", row->settled_ms},
        {"not_after_ms", row->not_after_ms},
        {"next_due_ms", row->next_due_ms},
        {"look_due_ms", row->look_due_ms},
        {"absent_asked.wall_ms", row->absent_asked.wall_ms},
    };
    deed_rc rc = check_state(row, err);
    return rc == DEED_OK ? check_times(row->key, times, COUNT(times), err) : rc;
}

deed_rc deed__reference_rule_payload(const struct deed_intent_row *row, struct deed_error *err)
{
    const struct deed_payload *payload = &row->payload;
    if (!row->payload_here) {
        return DEED_OK;
    }
    if (payload->kind.data == NULL || payload->target.data == NULL || payload->body.data == NULL) {
        return broken(row->key, "a payload is kind, target and body, all three", err);
    }
    if (payload->kind.bytes > DEED_TEXT_BYTES_MAX || payload->target.bytes > DEED_TEXT_BYTES_MAX ||
        payload->body.bytes > DEED_TEXT_BYTES_MAX) {
        return broken(row->key, "a member of its payload is too long", err);
    }
    return DEED_OK;
}

/* ---- attempts ---------------------------------------------------------------------------- */

#define ATTEMPT_FLAGS_MAX 65535U

static deed_rc check_attempt_parts(const struct deed_attempt_row *row, struct deed_error *err)
{
    const char *what = "an attempt";
    if (row->number == 0) {
        return broken(what, "attempts are counted from 1", err);
    }
    if (row->executor == NULL || row->executor_version == NULL || row->account_scope == NULL ||
        row->endpoint == NULL || row->provider_key == NULL) {
        return broken(what,
            "executor, version, account scope, endpoint and provider key are all stored", err);
    }
    if (deed_cause_name(row->cause) == NULL) {
        return broken(what, "its cause is none that there is", err);
    }
    if (deed_verdict_name(row->verdict) == NULL) {
        return broken(what, "its verdict is none that there is", err);
    }
    if (row->flags > ATTEMPT_FLAGS_MAX) {
        return broken(what, "its flags are more than there are", err);
    }
    if (!is_boot(&row->start) || !is_boot(&row->first_look)) {
        return broken(what, "the name of a boot does not end", err);
    }
    if (row->bytes.data != NULL && row->bytes.bytes > DEED_ENCODED_BYTES_MAX) {
        return broken(what, "its request is too long", err);
    }
    return DEED_OK;
}

deed_rc deed__reference_rule_attempt(const struct deed_attempt_row *row, struct deed_error *err)
{
    const char *what = "an attempt";
    const struct number durations[] = {
        {"send_ms", row->send_ms},
        {"answer_ms", row->answer_ms},
        {"landing_ms", row->landing_ms},
        {"lag_ms", row->lag_ms},
        {"reach_ms", row->reach_ms},
        {"window_ms", row->window_ms},
        {"second_look_ms[0]", row->second_look_ms[0]},
        {"second_look_ms[1]", row->second_look_ms[1]},
    };
    const struct number times[] = {
        {"answered_ms", row->answered_ms},
        {"first_look.wall_ms", row->first_look.wall_ms},
    };
    const struct number start = {"start.wall_ms", row->start.wall_ms};
    deed_rc rc = check_attempt_parts(row, err);
    if (rc == DEED_OK) {
        rc = check_durations(what, durations, COUNT(durations), err);
    }
    if (rc == DEED_OK) {
        rc = check_time(what, start, false, err);
    }
    return rc == DEED_OK ? check_times(what, times, COUNT(times), err) : rc;
}

/* ---- evidence ---------------------------------------------------------------------------- */

#define EVENT_ID_BYTES_MAX 255 /* as in migrations/, which any source's name must fit */

deed_rc deed__reference_rule_evidence(const struct deed_evidence_row *row, struct deed_error *err)
{
    const char *what = "evidence";
    if (row->source == NULL) {
        return broken(what, "it has a source", err);
    }
    if (!is_grade(row->grade) || deed_outcome_name(row->outcome) == NULL) {
        return broken(what, "its grade or outcome is none that there is", err);
    }
    if (row->excerpt.data != NULL && row->excerpt.bytes > DEED_EXCERPT_BYTES_MAX) {
        return broken(what, "its excerpt is too long", err);
    }
    if (row->event_id != NULL &&
        (row->event_id[0] == '\0' || strlen(row->event_id) > EVENT_ID_BYTES_MAX)) {
        return broken(what, "the name of its event is none, or too long", err);
    }
    const struct number at = {"at_ms", row->at_ms};
    return check_time(what, at, false, err);
}

/* ---- events ------------------------------------------------------------------------------ */

/* Is this a step of the machine, whatever the outcomes? An event without any edge stays where it
 * is, or belongs to the chain of the ledger. */
static bool is_step(const struct deed_event_row *row)
{
    bool moves = false;
    const struct deed_edge *edge = deed_edge_at(0);
    for (size_t i = 0; edge != NULL; edge = deed_edge_at(++i)) {
        moves = moves || edge->event == row->event;
        if (edge->from == row->from && edge->event == row->event && edge->to == row->to) {
            return true;
        }
    }
    if (moves || row->event == DEED_EVENT_NONE || deed_event_name(row->event) == NULL) {
        return false;
    }
    bool of_ledger = row->event == DEED_EVENT_FENCE || row->event == DEED_EVENT_LIFT;
    return row->from == row->to && of_ledger == (row->to == DEED_STATE_NONE);
}

static bool is_outcome_after(const struct deed_event_row *row)
{
    if (row->to == DEED_STATE_NONE) {
        return row->outcome == DEED_OUTCOME_NONE;
    }
    return deed_state_allows(row->to, row->outcome);
}

deed_rc deed__reference_rule_event(const struct deed_event_row *row, struct deed_error *err)
{
    const char *what = "an event";
    if (!is_step(row)) {
        return deed_error_set(err, DEED_E_CHECK, REFERENCE_ORIGIN,
            "%s: the machine has no step %d > %d > %d (state, event, state)", what, (int)row->from,
            (int)row->event, (int)row->to);
    }
    if (!is_outcome_after(row)) {
        return deed_error_set(err, DEED_E_CHECK, REFERENCE_ORIGIN,
            "%s: no intent is in state %d with outcome %d", what, (int)row->to, (int)row->outcome);
    }
    if ((row->intent_id == 0) != (row->to == DEED_STATE_NONE)) {
        return broken(
            what, "fence and lift are of the ledger's own chain, and nothing else is", err);
    }
    if (row->number < 1 || row->detail == NULL || !is_grade(row->grade)) {
        return broken(what, "it has a number from 1, a detail, and a grade that there is", err);
    }
    if (row->newest_ms < row->at_ms) {
        return broken(what, "it is newer than the newest time it states", err);
    }
    const struct number at = {"at_ms", row->at_ms};
    const struct number newest = {"newest_ms", row->newest_ms};
    deed_rc rc = check_time(what, at, false, err);
    return rc == DEED_OK ? check_time(what, newest, false, err) : rc;
}

/* ---- passes ------------------------------------------------------------------------------ */

deed_rc deed__reference_rule_pass(const struct deed_pass_row *row, struct deed_error *err)
{
    const char *what = "a pass";
    const uint64_t counts[] = {row->seen, row->settled, row->waiting, row->person, row->failed};
    for (size_t i = 0; i < COUNT(counts); i++) {
        if (counts[i] > INT64_MAX / 4) { /* so that their sum is a number too */
            return broken(what, "its counts are numbers of intents", err);
        }
    }
    if (row->settled + row->waiting + row->person + row->failed != row->seen) {
        return broken(what, "its counts add up to what it saw", err);
    }
    if (row->reasons == NULL) {
        return broken(what, "it has reasons, if only none", err);
    }
    const struct number started = {"started_ms", row->started_ms};
    const struct number ended = {"ended_ms", row->ended_ms};
    deed_rc rc = check_time(what, started, false, err);
    return rc == DEED_OK ? check_time(what, ended, false, err) : rc;
}
