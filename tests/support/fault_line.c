/* SPDX-License-Identifier: MIT */
#include "support/fault_line.h"

#include "support/test.h"

#include <deed/ext/error.h>
#include <deed/reference.h>

static bool crosses(struct fault_line *line)
{
    if (!line->counting) {
        return true;
    }
    line->crossed++;
    return line->crossed != line->nth;
}

static deed_rc no_answer(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_STORE, "store.fault", "the disk did not answer");
}

/* ---- inside a transaction ----------------------------------------------------------------- */

struct crossing_tx {
    struct fault_line *line;
    deed_tx *tx;
};

#define CROSS(self, function, ...)                                                                 \
    do {                                                                                           \
        struct crossing_tx *crossing = (self);                                                     \
        return crosses(crossing->line) ? crossing->tx->function(crossing->tx->self, __VA_ARGS__)   \
                                       : no_answer(err);                                           \
    } while (0)

static deed_rc ledger_get(void *self, struct deed_ledger_row *row_out, struct deed_error *err)
{
    CROSS(self, ledger_get, row_out, err);
}
static deed_rc ledger_put(void *self, const struct deed_ledger_row *row, struct deed_error *err)
{
    CROSS(self, ledger_put, row, err);
}
static deed_rc intent_get(void *self, const char *key, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err)
{
    CROSS(self, intent_get, key, with_payload, row_out, err);
}
static deed_rc intent_by_id(void *self, int64_t id, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err)
{
    CROSS(self, intent_by_id, id, with_payload, row_out, err);
}
static deed_rc intent_insert(void *self, struct deed_intent_row *row, struct deed_error *err)
{
    CROSS(self, intent_insert, row, err);
}
static deed_rc intent_update(void *self, const struct deed_intent_row *row, struct deed_error *err)
{
    CROSS(self, intent_update, row, err);
}
static deed_rc intent_fill(void *self, const struct deed_intent_row *row, struct deed_error *err)
{
    CROSS(self, intent_fill, row, err);
}
static deed_rc intent_each(void *self, const struct deed_select *select, deed_intent_visit visit,
    void *context, struct deed_error *err)
{
    CROSS(self, intent_each, select, visit, context, err);
}
static deed_rc attempt_insert(
    void *self, const struct deed_attempt_row *row, struct deed_error *err)
{
    CROSS(self, attempt_insert, row, err);
}
static deed_rc attempt_update(
    void *self, const struct deed_attempt_row *row, struct deed_error *err)
{
    CROSS(self, attempt_update, row, err);
}
static deed_rc attempt_by_token(void *self, const uint8_t token[DEED_TOKEN_BYTES],
    struct deed_attempt_row *row_out, struct deed_error *err)
{
    CROSS(self, attempt_by_token, token, row_out, err);
}
static deed_rc attempt_each(void *self, int64_t intent_id, bool with_bytes,
    deed_attempt_visit visit, void *context, struct deed_error *err)
{
    CROSS(self, attempt_each, intent_id, with_bytes, visit, context, err);
}
static deed_rc evidence_insert(void *self, struct deed_evidence_row *row, struct deed_error *err)
{
    CROSS(self, evidence_insert, row, err);
}
static deed_rc evidence_each(
    void *self, int64_t intent_id, deed_evidence_visit visit, void *context, struct deed_error *err)
{
    CROSS(self, evidence_each, intent_id, visit, context, err);
}
static deed_rc reference_taken(
    void *self, const struct deed_named_effect *effect, bool *taken_out, struct deed_error *err)
{
    CROSS(self, reference_taken, effect, taken_out, err);
}
static deed_rc event_insert(void *self, const struct deed_event_row *row, struct deed_error *err)
{
    CROSS(self, event_insert, row, err);
}
static deed_rc event_each(
    void *self, int64_t intent_id, deed_event_visit visit, void *context, struct deed_error *err)
{
    CROSS(self, event_each, intent_id, visit, context, err);
}
static deed_rc newest(void *self, int64_t *newest_ms_out, struct deed_error *err)
{
    CROSS(self, newest, newest_ms_out, err);
}
static deed_rc intent_find(void *self, const char *provider_key, const char *reference,
    deed_intent_visit visit, void *context, struct deed_error *err)
{
    CROSS(self, intent_find, provider_key, reference, visit, context, err);
}
static deed_rc pass_insert(void *self, struct deed_pass_row *row, struct deed_error *err)
{
    CROSS(self, pass_insert, row, err);
}
static deed_rc pass_each(
    void *self, uint32_t limit, deed_pass_visit visit, void *context, struct deed_error *err)
{
    CROSS(self, pass_each, limit, visit, context, err);
}

struct crossing_op {
    struct fault_line *line;
    struct deed_op *op;
};

static deed_rc run_op(void *context, deed_tx *tx, struct deed_error *err)
{
    const struct crossing_op *crossing = context;
    struct crossing_tx inner = {crossing->line, tx};
    deed_tx face = {
        .size = sizeof(face),
        .self = &inner,
        .ledger_get = ledger_get,
        .ledger_put = ledger_put,
        .intent_get = intent_get,
        .intent_by_id = intent_by_id,
        .intent_insert = intent_insert,
        .intent_update = intent_update,
        .intent_fill = intent_fill,
        .intent_each = intent_each,
        .attempt_insert = attempt_insert,
        .attempt_update = attempt_update,
        .attempt_by_token = attempt_by_token,
        .attempt_each = attempt_each,
        .evidence_insert = evidence_insert,
        .evidence_each = evidence_each,
        .reference_taken = reference_taken,
        .event_insert = event_insert,
        .event_each = event_each,
        .newest = newest,
        .intent_find = intent_find,
        .pass_insert = pass_insert,
        .pass_each = pass_each,
    };
    return crossing->op->run(crossing->op->context, &face, err);
}

/* ---- the store ---------------------------------------------------------------------------- */

#define OPS_MAX 8

static deed_rc line_write(void *self, struct deed_op *ops, size_t count, struct deed_error *err)
{
    struct fault_line *line = self;
    struct deed_op inner[OPS_MAX];
    struct crossing_op crossing[OPS_MAX];
    assert_true(count <= OPS_MAX);
    for (size_t i = 0; i < count; i++) {
        crossing[i] = (struct crossing_op){line, &ops[i]};
        inner[i] = (struct deed_op){.size = sizeof(inner[i]),
            .run = run_op,
            .context = &crossing[i],
            .flags = ops[i].flags};
    }
    const bool fails = !crosses(line);
    const deed_rc rc =
        fails ? no_answer(err) : line->inner->write(line->inner->self, inner, count, err);
    for (size_t i = 0; i < count; i++) {
        ops[i].rc = fails ? no_answer(&ops[i].error) : inner[i].rc;
        ops[i].fate = fails ? DEED_FATE_NONE : inner[i].fate;
        if (!fails && inner[i].rc != DEED_OK) {
            ops[i].error = inner[i].error;
        }
    }
    return rc;
}

static deed_rc line_read(void *self, struct deed_op *op, struct deed_error *err)
{
    struct fault_line *line = self;
    struct crossing_op crossing = {line, op};
    struct deed_op inner = {
        .size = sizeof(inner), .run = run_op, .context = &crossing, .flags = op->flags};
    const deed_rc rc =
        crosses(line) ? line->inner->read(line->inner->self, &inner, err) : no_answer(err);
    op->rc = inner.rc;
    op->fate = inner.fate;
    if (inner.rc != DEED_OK) {
        op->error = inner.error;
    }
    return rc;
}

static deed_rc line_recover(void *self, struct deed_error *err)
{
    struct fault_line *line = self;
    return crosses(line) ? line->inner->recover(line->inner->self, err) : no_answer(err);
}

static int64_t line_owner(void *self)
{
    const struct fault_line *line = self;
    return line->inner->owner(line->inner->self);
}

static bool line_owner_lives(void *self, int64_t owner)
{
    const struct fault_line *line = self;
    return line->inner->owner_lives(line->inner->self, owner);
}

static deed_rc line_schema(void *self, struct deed_schema *schema_out, struct deed_error *err)
{
    struct fault_line *line = self;
    return crosses(line) ? line->inner->schema(line->inner->self, schema_out, err) : no_answer(err);
}

static deed_rc line_check(void *self, struct deed_error *err)
{
    struct fault_line *line = self;
    return crosses(line) ? line->inner->check(line->inner->self, err) : no_answer(err);
}

static void line_identity(void *self, uint64_t *device_out, uint64_t *inode_out)
{
    const struct fault_line *line = self;
    line->inner->identity(line->inner->self, device_out, inode_out);
}

static bool line_read_only(void *self)
{
    const struct fault_line *line = self;
    return line->inner->read_only(line->inner->self);
}

/* The memory outlives the handle, so that a ledger can be opened again on it. */
static void line_close(void *self)
{
    (void)self;
}

/* ---- clock and chance ------------------------------------------------------------------------ */

static bool line_now(void *self, struct deed_instant *now_out)
{
    struct fault_line *line = self;
    const struct deed_clock *clock = deed_sim_clock_machine(line->sim_clock);
    return crosses(line) && clock->now(clock->self, now_out);
}

static bool line_fill(void *self, void *buffer, size_t buffer_bytes)
{
    struct fault_line *line = self;
    const struct deed_random *source = deed_sim_random_source(line->sim_random);
    return crosses(line) && source->fill(source->self, buffer, buffer_bytes);
}

void fault_line_new(struct fault_line *line, int64_t now_ms)
{
    memset(line, 0, sizeof(*line));
    assert_int_equal(deed_sim_clock_new(now_ms, &line->sim_clock, NULL), DEED_OK);
    assert_int_equal(deed_sim_random_new(1, &line->sim_random, NULL), DEED_OK);
    assert_int_equal(deed_reference_open(NULL, &line->inner, NULL), DEED_OK);
    line->clock = (struct deed_clock){.size = sizeof(line->clock), .self = line, .now = line_now};
    line->random =
        (struct deed_random){.size = sizeof(line->random), .self = line, .fill = line_fill};
    line->face = (struct deed_store){
        .size = sizeof(line->face),
        .name = "fault",
        .location = "memory",
        .self = line,
        .write = line_write,
        .read = line_read,
        .recover = line_recover,
        .owner = line_owner,
        .owner_lives = line_owner_lives,
        .schema = line_schema,
        .migrate = line->inner->migrate,
        .check = line_check,
        .identity = line_identity,
        .read_only = line_read_only,
        .close = line_close,
    };
}

void fault_line_end(struct fault_line *line)
{
    line->inner->close(line->inner->self);
    deed_sim_random_free(line->sim_random);
    deed_sim_clock_free(line->sim_clock);
}

void fault_line_arm(struct fault_line *line, uint64_t nth)
{
    line->counting = true;
    line->crossed = 0;
    line->nth = nth;
}

bool fault_line_disarm(struct fault_line *line)
{
    line->counting = false;
    return line->nth != 0 && line->crossed >= line->nth;
}
