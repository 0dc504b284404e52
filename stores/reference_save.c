/* SPDX-License-Identifier: MIT
 *
 * A ledger on paper: what was committed, as rows in an order in which they can be inserted again.
 * Loading does just that, so that nothing comes in which a ledger would refuse.
 *
 *   "deedmem2"   the owners made so far, then rows: a tag and its fields; a tag of zero ends them
 *   hash         of all before it
 */
#include <string.h>

#include "reference_codec.h"
#include "reference_impl.h"

#define MAGIC       "deedmem2"
#define MAGIC_BYTES 8 /* the last of them is the version */

enum tag {
    TAG_END,
    TAG_LEDGER,
    TAG_INTENT,
    TAG_ATTEMPT,
    TAG_EVIDENCE,
    TAG_EVENT,
    TAG_PASS
};

/* ---- fields ------------------------------------------------------------------------------ */

static void code_ledger(struct codec *codec, struct deed_ledger_row *row)
{
    deed__reference_codec_string(codec, &row->name);
    row->test = deed__reference_codec_bool(codec, row->test);
    row->epoch = deed__reference_codec_i64(codec, row->epoch);
    row->fenced = deed__reference_codec_bool(codec, row->fenced);
    row->restored_ms = deed__reference_codec_i64(codec, row->restored_ms);
    row->fence_send_ms = deed__reference_codec_i64(codec, row->fence_send_ms);
    row->created_ms = deed__reference_codec_i64(codec, row->created_ms);
    row->file_device = (uint64_t)deed__reference_codec_i64(codec, (int64_t)row->file_device);
    row->file_inode = (uint64_t)deed__reference_codec_i64(codec, (int64_t)row->file_inode);
    row->chain_length = deed__reference_codec_i64(codec, row->chain_length);
    deed__reference_codec_raw(codec, row->chain_head, sizeof(row->chain_head));
}

static void code_intent(struct codec *codec, struct deed_intent_row *row)
{
    row->id = deed__reference_codec_i64(codec, row->id);
    deed__reference_codec_string(codec, &row->key);
    deed__reference_codec_raw(codec, row->digest, sizeof(row->digest));
    row->payload_here = deed__reference_codec_bool(codec, row->payload_here);
    deed__reference_codec_text(codec, &row->payload.kind);
    deed__reference_codec_text(codec, &row->payload.target);
    deed__reference_codec_text(codec, &row->payload.body);
    row->state = (deed_state)deed__reference_codec_u32(codec, row->state);
    row->outcome = (deed_outcome)deed__reference_codec_u32(codec, row->outcome);
    row->grade = (deed_grade)deed__reference_codec_u32(codec, row->grade);
    row->attempts = deed__reference_codec_u32(codec, row->attempts);
    row->settled_attempts = deed__reference_codec_u32(codec, row->settled_attempts);
    row->fence_raised = deed__reference_codec_bool(codec, row->fence_raised);
    row->held = deed__reference_codec_bool(codec, row->held);
    row->disputed = deed__reference_codec_bool(codec, row->disputed);
    deed__reference_codec_string(codec, &row->held_reason);
    deed__reference_codec_string(codec, &row->disputed_reason);
    deed__reference_codec_string(codec, &row->reference);
    row->recorded_ms = deed__reference_codec_i64(codec, row->recorded_ms);
    row->settled_ms = deed__reference_codec_i64(codec, row->settled_ms);
    row->not_after_ms = deed__reference_codec_i64(codec, row->not_after_ms);
    row->next_due_ms = deed__reference_codec_i64(codec, row->next_due_ms);
    row->tries = deed__reference_codec_u32(codec, row->tries);
    row->looks_left = deed__reference_codec_u32(codec, row->looks_left);
    row->look_due_ms = deed__reference_codec_i64(codec, row->look_due_ms);
    deed__reference_codec_instant(codec, &row->absent_asked);
    row->absent_attempts = deed__reference_codec_u32(codec, row->absent_attempts);
    row->chain_length = deed__reference_codec_i64(codec, row->chain_length);
    deed__reference_codec_raw(codec, row->chain_head, sizeof(row->chain_head));
}

static void code_attempt(struct codec *codec, struct deed_attempt_row *row)
{
    row->intent_id = deed__reference_codec_i64(codec, row->intent_id);
    row->number = deed__reference_codec_u32(codec, row->number);
    deed__reference_codec_raw(codec, row->token, sizeof(row->token));
    row->cause = (deed_cause)deed__reference_codec_u32(codec, row->cause);
    deed__reference_codec_string(codec, &row->executor);
    deed__reference_codec_string(codec, &row->executor_version);
    deed__reference_codec_string(codec, &row->account_scope);
    deed__reference_codec_string(codec, &row->endpoint);
    deed__reference_codec_string(codec, &row->provider_key);
    row->generation = deed__reference_codec_u32(codec, row->generation);
    deed__reference_codec_text(codec, &row->bytes);
    deed__reference_codec_raw(codec, row->bytes_digest, sizeof(row->bytes_digest));
    row->owner = deed__reference_codec_i64(codec, row->owner);
    deed__reference_codec_instant(codec, &row->start);
    row->send_ms = deed__reference_codec_i64(codec, row->send_ms);
    row->answer_ms = deed__reference_codec_i64(codec, row->answer_ms);
    row->landing_ms = deed__reference_codec_i64(codec, row->landing_ms);
    row->lag_ms = deed__reference_codec_i64(codec, row->lag_ms);
    row->reach_ms = deed__reference_codec_i64(codec, row->reach_ms);
    row->window_ms = deed__reference_codec_i64(codec, row->window_ms);
    row->second_look_ms[0] = deed__reference_codec_i64(codec, row->second_look_ms[0]);
    row->second_look_ms[1] = deed__reference_codec_i64(codec, row->second_look_ms[1]);
    row->flags = deed__reference_codec_u32(codec, row->flags);
    row->answered = deed__reference_codec_bool(codec, row->answered);
    row->answered_ms = deed__reference_codec_i64(codec, row->answered_ms);
    row->verdict = (deed_verdict)deed__reference_codec_u32(codec, row->verdict);
    row->pending = deed__reference_codec_bool(codec, row->pending);
    deed__reference_codec_string(codec, &row->handle);
    deed__reference_codec_instant(codec, &row->first_look);
}

static void code_evidence(struct codec *codec, struct deed_evidence_row *row)
{
    row->id = deed__reference_codec_i64(codec, row->id);
    row->intent_id = deed__reference_codec_i64(codec, row->intent_id);
    row->attempt = deed__reference_codec_u32(codec, row->attempt);
    row->token_known = deed__reference_codec_bool(codec, row->token_known);
    deed__reference_codec_raw(codec, row->token, sizeof(row->token));
    deed__reference_codec_string(codec, &row->source);
    row->grade = (deed_grade)deed__reference_codec_u32(codec, row->grade);
    row->outcome = (deed_outcome)deed__reference_codec_u32(codec, row->outcome);
    row->settled = deed__reference_codec_bool(codec, row->settled);
    deed__reference_codec_string(codec, &row->reference);
    deed__reference_codec_text(codec, &row->excerpt);
    deed__reference_codec_raw(codec, row->excerpt_digest, sizeof(row->excerpt_digest));
    row->at_ms = deed__reference_codec_i64(codec, row->at_ms);
    deed__reference_codec_string(codec, &row->actor);
    deed__reference_codec_string(codec, &row->statement);
    deed__reference_codec_string(codec, &row->event_id);
}

static void code_event(struct codec *codec, struct deed_event_row *row)
{
    row->intent_id = deed__reference_codec_i64(codec, row->intent_id);
    row->number = deed__reference_codec_i64(codec, row->number);
    row->event = (deed_event)deed__reference_codec_u32(codec, row->event);
    row->from = (deed_state)deed__reference_codec_u32(codec, row->from);
    row->to = (deed_state)deed__reference_codec_u32(codec, row->to);
    row->outcome = (deed_outcome)deed__reference_codec_u32(codec, row->outcome);
    row->attempt = deed__reference_codec_u32(codec, row->attempt);
    row->grade = (deed_grade)deed__reference_codec_u32(codec, row->grade);
    row->at_ms = deed__reference_codec_i64(codec, row->at_ms);
    row->newest_ms = deed__reference_codec_i64(codec, row->newest_ms);
    deed__reference_codec_string(codec, &row->actor);
    deed__reference_codec_string(codec, &row->detail);
    deed__reference_codec_raw(codec, row->hash, sizeof(row->hash));
}

static void code_pass(struct codec *codec, struct deed_pass_row *row)
{
    row->started_ms = deed__reference_codec_i64(codec, row->started_ms);
    row->ended_ms = deed__reference_codec_i64(codec, row->ended_ms);
    deed__reference_codec_string(codec, &row->actor);
    row->seen = (uint64_t)deed__reference_codec_i64(codec, (int64_t)row->seen);
    row->settled = (uint64_t)deed__reference_codec_i64(codec, (int64_t)row->settled);
    row->waiting = (uint64_t)deed__reference_codec_i64(codec, (int64_t)row->waiting);
    row->person = (uint64_t)deed__reference_codec_i64(codec, (int64_t)row->person);
    row->failed = (uint64_t)deed__reference_codec_i64(codec, (int64_t)row->failed);
    deed__reference_codec_string(codec, &row->reasons);
}

/* ---- saving ------------------------------------------------------------------------------ */

static void save_intent(struct codec *codec, const struct intent *intent)
{
    struct deed_intent_row row = *(const struct deed_intent_row *)intent->cell.row.data;
    row.payload = *(const struct deed_payload *)intent->cell.content.data;
    (void)deed__reference_codec_u32(codec, TAG_INTENT);
    code_intent(codec, &row);
    for (size_t i = 0; i < intent->attempts.count; i++) {
        const struct cell *cell = intent->attempts.items[i];
        struct deed_attempt_row attempt = *(const struct deed_attempt_row *)cell->row.data;
        if (cell->content.data != NULL) {
            attempt.bytes = *(const struct deed_text *)cell->content.data;
        }
        (void)deed__reference_codec_u32(codec, TAG_ATTEMPT);
        code_attempt(codec, &attempt);
    }
}

static void save_all(struct codec *codec, const struct ledger_memory *ledger)
{
    (void)deed__reference_codec_i64(codec, atomic_load(&ledger->owners_made));
    if (ledger->ledger.data != NULL) {
        struct deed_ledger_row row = *(const struct deed_ledger_row *)ledger->ledger.data;
        (void)deed__reference_codec_u32(codec, TAG_LEDGER);
        code_ledger(codec, &row);
    }
    for (size_t i = 0; i < ledger->intents.count; i++) {
        save_intent(codec, (const struct intent *)ledger->intents.items[i]);
    }
    for (size_t i = 0; i < ledger->evidence.count; i++) {
        struct deed_evidence_row row =
            *(const struct deed_evidence_row *)ledger->evidence.items[i]->row.data;
        (void)deed__reference_codec_u32(codec, TAG_EVIDENCE);
        code_evidence(codec, &row);
    }
    for (size_t i = 0; i < ledger->events.count; i++) {
        struct deed_event_row row =
            *(const struct deed_event_row *)ledger->events.items[i]->row.data;
        (void)deed__reference_codec_u32(codec, TAG_EVENT);
        code_event(codec, &row);
    }
    for (size_t i = 0; i < ledger->passes.count; i++) { /* their ids are their order */
        struct deed_pass_row row = *(const struct deed_pass_row *)ledger->passes.items[i]->row.data;
        (void)deed__reference_codec_u32(codec, TAG_PASS);
        code_pass(codec, &row);
    }
    (void)deed__reference_codec_u32(codec, TAG_END);
}

deed_rc deed_reference_save(struct deed_store *store, void *buffer, size_t capacity,
    size_t *bytes_out, struct deed_error *err)
{
    struct handle *handle = deed__reference_handle(store);
    if (handle == NULL || bytes_out == NULL || (buffer == NULL && capacity > 0)) {
        return deed_error_set(err, DEED_E_MISUSE, REFERENCE_ORIGIN,
            "saving needs a reference store and a place for the result");
    }
    deed_rc rc = deed__reference_enter(handle, false, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct codec codec = {.out = buffer, .bytes = capacity};
    char magic[MAGIC_BYTES];
    memcpy(magic, MAGIC, sizeof(magic));
    deed__reference_codec_raw(&codec, magic, sizeof(magic));
    save_all(&codec, handle->ledger);
    deed__reference_leave(handle);
    bool whole = codec.at <= capacity;
    uint64_t hash = whole ? deed__reference_hash(buffer, codec.at) : 0;
    (void)deed__reference_codec_i64(&codec, (int64_t)hash);
    *bytes_out = codec.at;
    return DEED_OK;
}

/* ---- loading ----------------------------------------------------------------------------- */

static deed_rc damaged(struct deed_error *err)
{
    return deed_error_set(
        err, DEED_E_CHECK, REFERENCE_ORIGIN, "these bytes are not as they were saved");
}

static deed_rc load_intent(struct codec *codec, struct reference_tx *tx, struct deed_error *err)
{
    struct deed_intent_row row;
    memset(&row, 0, sizeof(row));
    code_intent(codec, &row);
    int64_t id = row.id;
    deed_rc rc = codec->damaged ? damaged(err) : deed__reference_intent_insert(tx, &row, err);
    return rc == DEED_OK && row.id != id ? damaged(err) : rc;
}

static deed_rc load_attempt(struct codec *codec, struct reference_tx *tx, struct deed_error *err)
{
    struct deed_attempt_row row;
    memset(&row, 0, sizeof(row));
    code_attempt(codec, &row);
    return codec->damaged ? damaged(err) : deed__reference_attempt_insert(tx, &row, err);
}

static deed_rc load_evidence(struct codec *codec, struct reference_tx *tx, struct deed_error *err)
{
    struct deed_evidence_row row;
    memset(&row, 0, sizeof(row));
    code_evidence(codec, &row);
    int64_t id = row.id;
    deed_rc rc = codec->damaged ? damaged(err) : deed__reference_evidence_insert(tx, &row, err);
    return rc == DEED_OK && row.id != id ? damaged(err) : rc;
}

static deed_rc load_event(struct codec *codec, struct reference_tx *tx, struct deed_error *err)
{
    struct deed_event_row row;
    memset(&row, 0, sizeof(row));
    code_event(codec, &row);
    return codec->damaged ? damaged(err) : deed__reference_event_insert(tx, &row, err);
}

static deed_rc load_pass(struct codec *codec, struct reference_tx *tx, struct deed_error *err)
{
    struct deed_pass_row row;
    memset(&row, 0, sizeof(row));
    code_pass(codec, &row);
    return codec->damaged ? damaged(err) : deed__reference_pass_insert(tx, &row, err);
}

static deed_rc load_ledger(struct codec *codec, struct reference_tx *tx, struct deed_error *err)
{
    struct deed_ledger_row row;
    memset(&row, 0, sizeof(row));
    row.size = sizeof(row);
    code_ledger(codec, &row);
    return codec->damaged ? damaged(err) : deed__reference_ledger_put(tx, &row, err);
}

static deed_rc load_row(
    struct codec *codec, struct reference_tx *tx, uint32_t tag, struct deed_error *err)
{
    switch (tag) {
    case TAG_LEDGER:
        return load_ledger(codec, tx, err);
    case TAG_INTENT:
        return load_intent(codec, tx, err);
    case TAG_ATTEMPT:
        return load_attempt(codec, tx, err);
    case TAG_EVIDENCE:
        return load_evidence(codec, tx, err);
    case TAG_EVENT:
        return load_event(codec, tx, err);
    case TAG_PASS:
        return load_pass(codec, tx, err);
    default:
        return damaged(err);
    }
}

static deed_rc load_all(struct codec *codec, struct ledger_memory *ledger, struct deed_error *err)
{
    struct reference_tx tx = {.ledger = ledger, .arena.memory = ledger->memory, .writing = true};
    int64_t owners = deed__reference_codec_i64(codec, 0);
    uint32_t tag = deed__reference_codec_u32(codec, 0);
    deed_rc rc = owners < 0 ? damaged(err) : DEED_OK;
    while (rc == DEED_OK && !codec->damaged && tag != TAG_END) {
        rc = load_row(codec, &tx, tag, err);
        tag = deed__reference_codec_u32(codec, 0);
    }
    if (rc == DEED_OK && (codec->damaged || codec->at != codec->bytes)) {
        rc = damaged(err);
    }
    if (rc == DEED_OK) {
        deed__reference_commit(ledger);
        atomic_store(&ledger->owners_made, owners);
        ledger->owners_before = owners;
    }
    return rc;
}

/* Sets up `codec` for what stands between magic and hash. */
static deed_rc check_paper(
    struct codec *codec, const void *buffer, size_t bytes, struct deed_error *err)
{
    *codec = (struct codec){.loading = true, .in = buffer, .bytes = bytes};
    char magic[MAGIC_BYTES];
    deed__reference_codec_raw(codec, magic, sizeof(magic));
    if (codec->damaged || memcmp(magic, MAGIC, MAGIC_BYTES - 1) != 0) {
        return deed_error_set(
            err, DEED_E_CHECK, REFERENCE_ORIGIN, "these bytes are no saved reference store");
    }
    if (magic[MAGIC_BYTES - 1] != MAGIC[MAGIC_BYTES - 1]) {
        return deed_error_set(err, DEED_E_SCHEMA, REFERENCE_ORIGIN,
            "another version of this library saved these bytes");
    }
    if (bytes < MAGIC_BYTES + sizeof(uint64_t)) {
        return damaged(err);
    }
    struct codec tail = {.loading = true, .in = buffer, .bytes = bytes};
    tail.at = bytes - sizeof(uint64_t);
    codec->bytes = tail.at;
    uint64_t hash = deed__reference_hash(buffer, codec->bytes);
    return (uint64_t)deed__reference_codec_i64(&tail, 0) == hash ? DEED_OK : damaged(err);
}

deed_rc deed_reference_load(const void *buffer, size_t bytes,
    const struct deed_reference_options *options, struct deed_store **store_out,
    struct deed_error *err)
{
    if (buffer == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, REFERENCE_ORIGIN, "loading needs a buffer");
    }
    struct codec codec;
    struct ledger_memory *ledger = NULL;
    struct deed_reference_options mine = {.size = 0};
    deed_rc rc = deed__reference_options_take(&mine, options, store_out, err);
    if (rc == DEED_OK) {
        rc = check_paper(&codec, buffer, bytes, err);
    }
    if (rc == DEED_OK) {
        rc = deed__reference_memory_new(mine.memory, &ledger, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    rc = load_all(&codec, ledger, err);
    if (rc == DEED_OK) {
        rc = deed__reference_check_memory(ledger, err);
    }
    if (rc == DEED_OK) {
        rc = deed__reference_open_handle(ledger, &mine, store_out, err);
    }
    if (rc != DEED_OK) {
        deed__reference_undo(ledger, 0);
        deed__reference_memory_free(ledger);
    }
    return rc;
}
