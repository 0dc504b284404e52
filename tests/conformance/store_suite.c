/* SPDX-License-Identifier: MIT
 *
 * The contract of deed/ext/store.h, function by function, on whatever store the factory makes.
 * Method: operations assert from inside the transaction, where the core would stand.
 */
#include "store_suite.h"

#include "conformance/store_rows.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deed/evidence.h>
#include <deed/ext/error.h>

static const struct store_factory *factory;

static int set_up(void **state)
{
    *state = factory->fresh(factory->self);
    return *state == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    struct deed_store *store = *state;
    store->close(store->self);
    return 0;
}

/* ---- the ledger's row -------------------------------------------------------------------- */

static deed_rc ledger_is_absent(void *context, deed_tx *tx, struct deed_error *err)
{
    (void)context;
    struct deed_ledger_row row;
    assert_int_equal(tx->ledger_get(tx->self, &row, err), DEED_E_NOT_FOUND);
    return DEED_OK;
}

static deed_rc ledger_put(void *context, deed_tx *tx, struct deed_error *err)
{
    return tx->ledger_put(tx->self, context, err);
}

static deed_rc ledger_equals(void *context, deed_tx *tx, struct deed_error *err)
{
    const struct deed_ledger_row *want = context;
    struct deed_ledger_row row;
    assert_int_equal(tx->ledger_get(tx->self, &row, err), DEED_OK);
    assert_int_equal(row.size, sizeof(row));
    assert_string_equal(row.name, want->name);
    assert_int_equal(row.test, want->test);
    assert_int_equal(row.epoch, want->epoch);
    assert_int_equal(row.fenced, want->fenced);
    assert_int_equal(row.restored_ms, want->restored_ms);
    assert_int_equal(row.fence_send_ms, want->fence_send_ms);
    assert_int_equal(row.created_ms, want->created_ms);
    assert_true(row.file_device == want->file_device);
    assert_true(row.file_inode == want->file_inode);
    assert_int_equal(row.chain_length, want->chain_length);
    assert_memory_equal(row.chain_head, want->chain_head, DEED_DIGEST_BYTES);
    return DEED_OK;
}

static void test_store__a_fresh_one_holds_no_ledger_row(void **state)
{
    read_one(*state, ledger_is_absent, NULL);
}

static void test_store__ledger_row_comes_back_as_it_was_put_and_is_replaced(void **state)
{
    struct deed_ledger_row row = row_ledger();
    write_one(*state, ledger_put, &row);
    read_one(*state, ledger_equals, &row);
    row.test = true;
    row.epoch = 3;
    row.fenced = true;
    row.restored_ms = ROW_NOW_MS + 1;
    row.fence_send_ms = 30000;
    row.file_device = UINT64_MAX;
    row.file_inode = UINT64_C(0x8000000000000001);
    row.chain_length = 2;
    memset(row.chain_head, 0xfe, sizeof(row.chain_head));
    write_one(*state, ledger_put, &row);
    read_one(*state, ledger_equals, &row);
}

/* ---- intents ----------------------------------------------------------------------------- */

static void assert_text(struct deed_text got, struct deed_text want)
{
    assert_int_equal(got.bytes, want.bytes);
    assert_int_equal(got.data == NULL, want.data == NULL);
    if (got.data != NULL && want.data != NULL) {
        assert_memory_equal(got.data, want.data, want.bytes);
        assert_int_equal(got.data[got.bytes], '\0');
    }
}

static void assert_string(const char *got, const char *want)
{
    assert_int_equal(got == NULL, want == NULL);
    if (want != NULL) {
        assert_string_equal(got, want);
    }
}

static void assert_instant(const struct deed_instant *got, const struct deed_instant *want)
{
    assert_int_equal(got->wall_ms, want->wall_ms);
    assert_int_equal(got->mono_ms, want->mono_ms);
    assert_string_equal(got->boot, want->boot);
}

static void assert_intent(const struct deed_intent_row *got, const struct deed_intent_row *want)
{
    assert_int_equal(got->size, sizeof(*got));
    assert_int_equal(got->id, want->id);
    assert_string_equal(got->key, want->key);
    assert_memory_equal(got->digest, want->digest, DEED_DIGEST_BYTES);
    assert_int_equal(got->payload_here, want->payload_here);
    assert_text(got->payload.kind, want->payload.kind);
    assert_int_equal(got->state, want->state);
    assert_int_equal(got->outcome, want->outcome);
    assert_int_equal(got->grade, want->grade);
    assert_int_equal(got->attempts, want->attempts);
    assert_int_equal(got->settled_attempts, want->settled_attempts);
    assert_int_equal(got->fence_raised, want->fence_raised);
    assert_int_equal(got->held, want->held);
    assert_int_equal(got->disputed, want->disputed);
    assert_string(got->held_reason, want->held_reason);
    assert_string(got->disputed_reason, want->disputed_reason);
    assert_string(got->reference, want->reference);
    assert_int_equal(got->recorded_ms, want->recorded_ms);
    assert_int_equal(got->settled_ms, want->settled_ms);
    assert_int_equal(got->not_after_ms, want->not_after_ms);
    assert_int_equal(got->next_due_ms, want->next_due_ms);
    assert_int_equal(got->tries, want->tries);
    assert_int_equal(got->looks_left, want->looks_left);
    assert_int_equal(got->look_due_ms, want->look_due_ms);
    assert_instant(&got->absent_asked, &want->absent_asked);
    assert_int_equal(got->absent_attempts, want->absent_attempts);
    assert_int_equal(got->chain_length, want->chain_length);
    assert_memory_equal(got->chain_head, want->chain_head, DEED_DIGEST_BYTES);
}

static deed_rc intent_insert(void *context, deed_tx *tx, struct deed_error *err)
{
    return tx->intent_insert(tx->self, context, err);
}

static deed_rc intent_update(void *context, deed_tx *tx, struct deed_error *err)
{
    return tx->intent_update(tx->self, context, err);
}

static deed_rc intent_fill(void *context, deed_tx *tx, struct deed_error *err)
{
    return tx->intent_fill(tx->self, context, err);
}

/* By key and by id, with and without payload. */
static deed_rc intent_equals(void *context, deed_tx *tx, struct deed_error *err)
{
    const struct deed_intent_row *want = context;
    struct deed_intent_row row;
    for (int with = 0; with <= 1; with++) {
        for (int by_id = 0; by_id <= 1; by_id++) {
            const deed_rc rc = by_id != 0
                ? tx->intent_by_id(tx->self, want->id, with != 0, &row, err)
                : tx->intent_get(tx->self, want->key, with != 0, &row, err);
            assert_int_equal(rc, DEED_OK);
            assert_intent(&row, want);
            if (with != 0 && want->payload_here) {
                assert_text(row.payload.target, want->payload.target);
                assert_text(row.payload.body, want->payload.body);
            } else {
                assert_null(row.payload.target.data);
                assert_null(row.payload.body.data);
            }
        }
    }
    return DEED_OK;
}

static struct deed_intent_row settled_intent(const char *key)
{
    struct deed_intent_row row = row_intent(key);
    row.state = DEED_RECONCILED;
    row.outcome = DEED_NOT_APPLIED;
    row.grade = DEED_GRADE_PROVIDER_ABSENT_FINAL;
    row.attempts = UINT32_MAX;
    row.settled_attempts = UINT32_MAX;
    row.fence_raised = true;
    row.held = true;
    row.disputed = true;
    row.held_reason = "a person looks";
    row.disputed_reason = "two effects \xc3\xa4";
    row.reference = "tx-1";
    row.settled_ms = ROW_NOW_MS + 1;
    row.not_after_ms = ROW_NOW_MS + 2;
    row.next_due_ms = ROW_NOW_MS + 3;
    row.tries = 4;
    row.looks_left = 2;
    row.look_due_ms = ROW_NOW_MS + 5;
    row.absent_asked.wall_ms = ROW_NOW_MS + 6;
    row.absent_asked.mono_ms = 7;
    memset(row.absent_asked.boot, 'b', DEED_BOOT_BYTES - 1);
    row.absent_attempts = 8;
    row.chain_length = 9;
    memset(row.chain_head, 0xab, sizeof(row.chain_head));
    return row;
}

static void test_intent__every_member_comes_back(void **state)
{
    struct deed_intent_row plain = row_intent("plain");
    struct deed_intent_row full = settled_intent("full");
    write_one(*state, intent_insert, &plain);
    write_one(*state, intent_insert, &full);
    read_one(*state, intent_equals, &plain);
    read_one(*state, intent_equals, &full);
}

static void test_intent__ids_grow_with_age(void **state)
{
    struct deed_intent_row first = row_intent("zz");
    struct deed_intent_row second = row_intent("aa");
    write_one(*state, intent_insert, &first);
    write_one(*state, intent_insert, &second);
    assert_true(first.id > 0);
    assert_true(second.id > first.id);
}

static void test_intent__texts_keep_nul_and_emptiness(void **state)
{
    struct deed_intent_row row = row_intent("nul");
    row.payload.kind = (struct deed_text){.data = "a\0b", .bytes = 3};
    row.payload.target = (struct deed_text){.data = "", .bytes = 0};
    row.payload.body = (struct deed_text){.data = "\0", .bytes = 1};
    write_one(*state, intent_insert, &row);
    read_one(*state, intent_equals, &row);
}

static void test_intent__largest_payload_comes_back(void **state)
{
    static char large[DEED_TEXT_BYTES_MAX];
    memset(large, 'x', sizeof(large));
    struct deed_intent_row row = row_intent("large");
    row.payload.kind = (struct deed_text){.data = large, .bytes = sizeof(large)};
    row.payload.target = row.payload.kind;
    row.payload.body = row.payload.kind;
    write_one(*state, intent_insert, &row);
    read_one(*state, intent_equals, &row);
}

static deed_rc intent_twice(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row row = row_intent("twice");
    struct deed_intent_row other = row_intent("other");
    (void)context;
    assert_int_equal(tx->intent_insert(tx->self, &row, err), DEED_OK);
    const int64_t first = row.id;
    row.digest[0] ^= 1;
    assert_int_equal(tx->intent_insert(tx->self, &row, err), DEED_E_CONFLICT);
    assert_int_equal(tx->intent_get(tx->self, "twice", false, &row, err), DEED_OK);
    assert_int_equal(row.id, first);
    assert_int_equal(row.digest[0], 't');
    return tx->intent_insert(tx->self, &other, err); /* the transaction goes on */
}

static void test_intent__key_that_exists_is_a_conflict_and_nothing_else_changes(void **state)
{
    write_one(*state, intent_twice, NULL);
    struct recorded recorded = {.key = "other"};
    read_one(*state, look_for_recorded, &recorded);
    assert_true(recorded.found);
}

static deed_rc intent_absent(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row row;
    (void)context;
    assert_int_equal(tx->intent_get(tx->self, "nobody", true, &row, err), DEED_E_NOT_FOUND);
    assert_int_equal(tx->intent_by_id(tx->self, 4711, true, &row, err), DEED_E_NOT_FOUND);
    return DEED_OK;
}

static deed_rc intent_absent_writes(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row row = row_intent("nobody");
    (void)context;
    row.id = 4711;
    assert_int_equal(tx->intent_update(tx->self, &row, err), DEED_E_NOT_FOUND);
    assert_int_equal(tx->intent_fill(tx->self, &row, err), DEED_E_NOT_FOUND);
    return DEED_OK;
}

static void test_intent__one_that_is_not_there_is_not_found(void **state)
{
    read_one(*state, intent_absent, NULL);
    write_one(*state, intent_absent_writes, NULL);
}

static void test_intent__update_writes_all_but_key_digest_age_and_payload(void **state)
{
    struct deed_intent_row old = row_intent("grows");
    write_one(*state, intent_insert, &old);
    struct deed_intent_row row = settled_intent("renamed");
    row.id = old.id;
    memset(row.digest, 1, sizeof(row.digest));
    row.recorded_ms = ROW_NOW_MS + 99;
    row.payload.body = row_text("another");
    write_one(*state, intent_update, &row);
    row.key = old.key;
    memcpy(row.digest, old.digest, sizeof(row.digest));
    row.recorded_ms = old.recorded_ms;
    row.payload = old.payload;
    read_one(*state, intent_equals, &row);
}

static deed_rc fill_again(void *context, deed_tx *tx, struct deed_error *err)
{
    assert_int_equal(tx->intent_fill(tx->self, context, err), DEED_E_CONFLICT);
    return DEED_OK;
}

static void test_intent__missing_payload_is_filled_once(void **state)
{
    struct deed_intent_row row = row_intent("bare");
    const struct deed_payload payload = row.payload;
    row.payload_here = false;
    memset(&row.payload, 0, sizeof(row.payload));
    row.recorded_ms = 0;
    write_one(*state, intent_insert, &row);
    read_one(*state, intent_equals, &row);
    row.payload_here = true;
    row.payload = payload;
    write_one(*state, intent_fill, &row);
    read_one(*state, intent_equals, &row);
    struct deed_intent_row other = row;
    other.payload.body = row_text("another");
    write_one(*state, fill_again, &other);
    read_one(*state, intent_equals, &row);
}

/* ---- lists ------------------------------------------------------------------------------- */

/* Eight intents, one for each thing a list can ask for. */
static const struct {
    const char *key;
    const char *kind;
    deed_state state;
    deed_outcome outcome;
    bool held;
    bool disputed;
    int64_t not_after_ms;
    uint32_t looks_left;
} gallery[] = {
    {.key = "recorded", .kind = "mail", .state = DEED_RECORDED},
    {.key = "attempted", .kind = "pay", .state = DEED_ATTEMPTED},
    {"applied", "mail", DEED_CONFIRMED, DEED_APPLIED, .not_after_ms = ROW_NOW_MS - 2},
    {.key = "not-applied", .kind = "mail", .state = DEED_RECONCILED, .outcome = DEED_NOT_APPLIED},
    {"held", "mail", DEED_RECONCILED, DEED_APPLIED, .held = true},
    {"disputed", "mail", DEED_RECONCILED, DEED_APPLIED, .disputed = true},
    {.key = "overdue", .kind = "mail", .state = DEED_RECORDED, .not_after_ms = ROW_NOW_MS - 1},
    {"look", "mail", DEED_RECONCILED, DEED_NOT_APPLIED, .looks_left = 1},
};

#define GALLERY_COUNT ((int)(sizeof(gallery) / sizeof(gallery[0])))

static deed_rc insert_gallery(void *context, deed_tx *tx, struct deed_error *err)
{
    int64_t *ids = context;
    for (int i = 0; i < GALLERY_COUNT; i++) {
        struct deed_intent_row row = row_intent(gallery[i].key);
        row.payload.kind = row_text(gallery[i].kind);
        row.state = gallery[i].state;
        row.outcome = gallery[i].outcome;
        row.held = gallery[i].held;
        row.disputed = gallery[i].disputed;
        row.not_after_ms = gallery[i].not_after_ms;
        row.recorded_ms = ROW_NOW_MS + i;
        row.next_due_ms = ROW_NOW_MS + (int64_t)10 * i;
        row.looks_left = gallery[i].looks_left;
        row.look_due_ms = gallery[i].looks_left > 0 ? ROW_NOW_MS + 5 : 0;
        assert_int_equal(tx->intent_insert(tx->self, &row, err), DEED_OK);
        ids[i] = row.id;
    }
    return DEED_OK;
}

struct listing {
    struct deed_select select;
    char digits[300]; /* "014": the rows of the gallery, in the order they came */
    size_t count;
    const int64_t *ids;
};

static deed_rc note_row(void *context, const struct deed_intent_row *row)
{
    struct listing *listing = context;
    for (int i = 0; i < GALLERY_COUNT; i++) {
        if (listing->ids[i] == row->id) {
            listing->digits[listing->count++] = (char)('0' + i);
        }
    }
    return DEED_OK;
}

static deed_rc list(void *context, deed_tx *tx, struct deed_error *err)
{
    struct listing *listing = context;
    return tx->intent_each(tx->self, &listing->select, note_row, listing, err);
}

static void expect_list(
    struct deed_store *store, const int64_t *ids, struct deed_select select, const char *want)
{
    struct listing listing = {.select = select, .ids = ids};
    listing.select.size = sizeof(listing.select);
    read_one(store, list, &listing);
    assert_string_equal(listing.digits, want);
}

static void test_list__each_condition_selects_its_rows_by_age(void **state)
{
    static const int64_t now = ROW_NOW_MS;
    static const struct {
        struct deed_select select;
        const char *want;
    } cases[] = {
        {{.flags = 0}, "01234567"},
        {{.flags = DEED_SELECT_OPEN}, "0134567"},
        {{.flags = DEED_SELECT_DISPUTED}, "5"},
        {{.flags = DEED_SELECT_HELD}, "4"},
        {{.flags = DEED_SELECT_HELD | DEED_SELECT_OPEN}, "4"},
        {{.flags = DEED_SELECT_HELD | DEED_SELECT_DISPUTED}, ""},
        {{.flags = DEED_SELECT_OVERDUE, .now_ms = now}, "6"},
        {{.flags = DEED_SELECT_OVERDUE, .now_ms = now - 1}, ""},
        {{.flags = DEED_SELECT_DUE, .now_ms = now + 30}, "0123"},
        {{.flags = DEED_SELECT_DUE | DEED_SELECT_OPEN, .now_ms = now + 30}, "013"},
        {{.flags = DEED_SELECT_DUE, .now_ms = now - 1}, ""},
        {{.flags = DEED_SELECT_LOOK_DUE, .now_ms = now + 4}, ""},
        {{.flags = DEED_SELECT_LOOK_DUE, .now_ms = now + 5}, "7"},
        {{.state = DEED_RECORDED}, "06"},
        {{.state = DEED_ATTEMPTED}, "1"},
        {{.state = DEED_CONFIRMED}, "2"},
        {{.state = DEED_RECONCILED}, "3457"},
        {{.outcome_given = true, .outcome = DEED_OUTCOME_NONE}, "016"},
        {{.outcome_given = true, .outcome = DEED_APPLIED}, "245"},
        {{.outcome_given = true, .outcome = DEED_NOT_APPLIED}, "37"},
        {{.outcome = DEED_NOT_APPLIED}, "01234567"},
        {{.kind = "pay"}, "1"},
        {{.kind = "mail", .flags = DEED_SELECT_OPEN}, "034567"},
        {{.kind = "nobody"}, ""},
        {{.recorded_before_ms = now + 2}, "01"},
        {{.limit = 3}, "012"},
        {{.flags = DEED_SELECT_OPEN, .limit = 3}, "013"},
    };
    int64_t ids[GALLERY_COUNT];
    write_one(*state, insert_gallery, ids);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_list(*state, ids, cases[i].select, cases[i].want);
    }
    expect_list(*state, ids, (struct deed_select){.after_id = ids[5]}, "67");
    expect_list(*state, ids,
        (struct deed_select){.after_id = ids[1], .flags = DEED_SELECT_OPEN, .limit = 2}, "34");
}

static deed_rc insert_many(void *context, deed_tx *tx, struct deed_error *err)
{
    (void)context;
    for (int i = 0; i < 200; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "many-%d", i);
        struct deed_intent_row row = row_intent(key);
        assert_int_equal(tx->intent_insert(tx->self, &row, err), DEED_OK);
    }
    return DEED_OK;
}

struct walk_state {
    deed_tx *tx;
    int visits;
    int stop_after;
    int64_t last_id;
};

/* Writes to the row it is shown, and walks inside the walk. */
static deed_rc visit_and_write(void *context, const struct deed_intent_row *row)
{
    struct walk_state *walk = context;
    struct deed_intent_row copy = *row;
    struct recorded none = {.key = ""};
    copy.next_due_ms = ROW_NOW_MS;
    copy.held = true;
    assert_true(row->id > walk->last_id);
    walk->last_id = row->id;
    walk->visits++;
    assert_int_equal(walk->tx->intent_update(walk->tx->self, &copy, NULL), DEED_OK);
    assert_int_equal(
        walk->tx->event_each(walk->tx->self, row->id, count_event, &none, NULL), DEED_OK);
    return walk->visits == walk->stop_after ? DEED_E_INTERRUPTED : DEED_OK;
}

static deed_rc walk_and_write(void *context, deed_tx *tx, struct deed_error *err)
{
    struct walk_state *walk = context;
    const struct deed_select select = {.size = sizeof(select), .flags = DEED_SELECT_OPEN};
    walk->tx = tx;
    const deed_rc rc = tx->intent_each(tx->self, &select, visit_and_write, walk, err);
    assert_int_equal(rc, walk->stop_after > 0 ? DEED_E_INTERRUPTED : DEED_OK);
    return DEED_OK;
}

static void test_list__a_visitor_may_write_and_sees_each_row_once(void **state)
{
    struct walk_state walk = {.visits = 0};
    write_one(*state, insert_many, NULL);
    write_one(*state, walk_and_write, &walk);
    assert_int_equal(walk.visits, 200);
}

static void test_list__a_visitor_that_returns_an_error_ends_the_walk_with_it(void **state)
{
    struct walk_state walk = {.stop_after = 70};
    write_one(*state, insert_many, NULL);
    write_one(*state, walk_and_write, &walk);
    assert_int_equal(walk.visits, 70);
}

/* ---- attempts ---------------------------------------------------------------------------- */

static void assert_attempt(
    const struct deed_attempt_row *got, const struct deed_attempt_row *want, bool with_bytes)
{
    assert_int_equal(got->size, sizeof(*got));
    assert_int_equal(got->intent_id, want->intent_id);
    assert_int_equal(got->number, want->number);
    assert_memory_equal(got->token, want->token, DEED_TOKEN_BYTES);
    assert_int_equal(got->cause, want->cause);
    assert_string_equal(got->executor, want->executor);
    assert_string_equal(got->executor_version, want->executor_version);
    assert_string_equal(got->account_scope, want->account_scope);
    assert_string_equal(got->endpoint, want->endpoint);
    assert_string_equal(got->provider_key, want->provider_key);
    assert_int_equal(got->generation, want->generation);
    const struct deed_text none = {.data = NULL};
    assert_text(got->bytes, with_bytes ? want->bytes : none);
    assert_int_equal(got->bytes_here, want->bytes.data != NULL);
    assert_memory_equal(got->bytes_digest, want->bytes_digest, DEED_DIGEST_BYTES);
    assert_int_equal(got->owner, want->owner);
    assert_instant(&got->start, &want->start);
    assert_int_equal(got->send_ms, want->send_ms);
    assert_int_equal(got->answer_ms, want->answer_ms);
    assert_int_equal(got->landing_ms, want->landing_ms);
    assert_int_equal(got->lag_ms, want->lag_ms);
    assert_int_equal(got->reach_ms, want->reach_ms);
    assert_int_equal(got->window_ms, want->window_ms);
    assert_int_equal(got->second_look_ms[0], want->second_look_ms[0]);
    assert_int_equal(got->second_look_ms[1], want->second_look_ms[1]);
    assert_int_equal(got->flags, want->flags);
    assert_int_equal(got->answered, want->answered);
    assert_int_equal(got->answered_ms, want->answered_ms);
    assert_int_equal(got->verdict, want->verdict);
    assert_int_equal(got->pending, want->pending);
    assert_string(got->handle, want->handle);
    assert_instant(&got->first_look, &want->first_look);
}

struct tries {
    struct deed_intent_row intent;
    struct deed_attempt_row rows[2];
    int visits;
    bool with_bytes;
};

static deed_rc insert_tries(void *context, deed_tx *tx, struct deed_error *err)
{
    struct tries *tries = context;
    tries->intent = row_intent("tried");
    assert_int_equal(tx->intent_insert(tx->self, &tries->intent, err), DEED_OK);
    for (uint32_t i = 0; i < 2; i++) {
        tries->rows[i] = row_attempt(tries->intent.id, i + 1);
    }
    struct deed_attempt_row *first = &tries->rows[0];
    first->bytes = (struct deed_text){.data = "{\"a\":\0}", .bytes = 7};
    memset(first->bytes_digest, 0x5a, sizeof(first->bytes_digest));
    first->owner = INT64_C(1) << 61;
    first->generation = 3;
    first->lag_ms = 1;
    first->reach_ms = DEED_FOREVER;
    first->window_ms = DEED_DURATION_MS_MAX;
    first->second_look_ms[0] = 10;
    first->second_look_ms[1] = 20;
    first->flags = DEED_ATTEMPT_EVENTUAL | DEED_ATTEMPT_DENIED;
    /* In reverse, so that the order of the list is not the order of insertion. */
    assert_int_equal(tx->attempt_insert(tx->self, &tries->rows[1], err), DEED_OK);
    return tx->attempt_insert(tx->self, first, err);
}

static deed_rc visit_try(void *context, const struct deed_attempt_row *row)
{
    struct tries *tries = context;
    assert_in_range(tries->visits, 0, 1);
    assert_attempt(row, &tries->rows[tries->visits], tries->with_bytes);
    tries->visits++;
    return DEED_OK;
}

static deed_rc read_tries(void *context, deed_tx *tx, struct deed_error *err)
{
    struct tries *tries = context;
    struct deed_attempt_row row;
    for (int with = 0; with <= 1; with++) {
        tries->with_bytes = with != 0;
        tries->visits = 0;
        assert_int_equal(
            tx->attempt_each(tx->self, tries->intent.id, tries->with_bytes, visit_try, tries, err),
            DEED_OK);
        assert_int_equal(tries->visits, 2);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tx->attempt_by_token(tx->self, tries->rows[i].token, &row, err), DEED_OK);
        assert_attempt(&row, &tries->rows[i], false);
    }
    const uint8_t stranger[DEED_TOKEN_BYTES] = {0xff};
    assert_int_equal(tx->attempt_by_token(tx->self, stranger, &row, err), DEED_E_NOT_FOUND);
    return DEED_OK;
}

static void test_attempt__every_member_comes_back_in_order_of_number(void **state)
{
    struct tries tries;
    memset(&tries, 0, sizeof(tries));
    write_one(*state, insert_tries, &tries);
    read_one(*state, read_tries, &tries);
}

static deed_rc insert_clashes(void *context, deed_tx *tx, struct deed_error *err)
{
    const struct tries *tries = context;
    struct deed_attempt_row row = tries->rows[0];
    row.token[15] ^= 1;
    assert_int_equal(tx->attempt_insert(tx->self, &row, err), DEED_E_CONFLICT);
    row = tries->rows[0];
    row.number = 3;
    assert_int_equal(tx->attempt_insert(tx->self, &row, err), DEED_E_CONFLICT);
    return DEED_OK;
}

static void test_attempt__number_or_token_that_exists_is_a_conflict(void **state)
{
    struct tries tries;
    memset(&tries, 0, sizeof(tries));
    write_one(*state, insert_tries, &tries);
    write_one(*state, insert_clashes, &tries);
    read_one(*state, read_tries, &tries);
}

static deed_rc update_try(void *context, deed_tx *tx, struct deed_error *err)
{
    struct tries *tries = context;
    struct deed_attempt_row *row = &tries->rows[0];
    row->answered = true;
    row->answered_ms = ROW_NOW_MS + 1;
    row->verdict = DEED_VERDICT_NOT_APPLIED;
    row->pending = true;
    row->handle = "poll-1";
    row->first_look.wall_ms = ROW_NOW_MS + 2;
    row->first_look.mono_ms = 3;
    memcpy(row->first_look.boot, "boot-b", 7);
    row->flags = DEED_ATTEMPT_POLL;
    struct deed_attempt_row given = *row; /* and what must not be written */
    given.endpoint = "elsewhere";
    given.send_ms = 1;
    given.owner = 1;
    assert_int_equal(tx->attempt_update(tx->self, &given, err), DEED_OK);
    given.number = 9;
    assert_int_equal(tx->attempt_update(tx->self, &given, err), DEED_E_NOT_FOUND);
    return DEED_OK;
}

static void test_attempt__update_writes_only_what_may_change(void **state)
{
    struct tries tries;
    memset(&tries, 0, sizeof(tries));
    write_one(*state, insert_tries, &tries);
    write_one(*state, update_try, &tries);
    read_one(*state, read_tries, &tries);
}

static deed_rc update_with_wrong_token(void *context, deed_tx *tx, struct deed_error *err)
{
    const struct tries *tries = context;
    struct deed_attempt_row row = tries->rows[0];
    row.token[0] ^= 1;
    row.verdict = DEED_VERDICT_APPLIED;
    assert_int_equal(tx->attempt_update(tx->self, &row, err), DEED_E_NOT_FOUND);
    return DEED_OK;
}

static void test_attempt__update_under_another_token_finds_nothing(void **state)
{
    struct tries tries;
    memset(&tries, 0, sizeof(tries));
    write_one(*state, insert_tries, &tries);
    write_one(*state, update_with_wrong_token, &tries);
    read_one(*state, read_tries, &tries);
}

static deed_rc insert_large_request(void *context, deed_tx *tx, struct deed_error *err)
{
    struct tries *tries = context;
    static char large[DEED_ENCODED_BYTES_MAX];
    memset(large, 'y', sizeof(large));
    tries->intent = row_intent("large");
    assert_int_equal(tx->intent_insert(tx->self, &tries->intent, err), DEED_OK);
    for (uint32_t i = 0; i < 2; i++) {
        tries->rows[i] = row_attempt(tries->intent.id, i + 1);
        tries->rows[i].bytes = (struct deed_text){.data = large, .bytes = sizeof(large)};
        assert_int_equal(tx->attempt_insert(tx->self, &tries->rows[i], err), DEED_OK);
    }
    return DEED_OK;
}

static void test_attempt__largest_request_comes_back(void **state)
{
    struct tries tries;
    memset(&tries, 0, sizeof(tries));
    write_one(*state, insert_large_request, &tries);
    read_one(*state, read_tries, &tries);
}

struct lengths {
    struct tries tries;
    const char *key;
    size_t bytes[2];
};

static deed_rc insert_lengths(void *context, deed_tx *tx, struct deed_error *err)
{
    struct lengths *lengths = context;
    static const char letters[1024] = {'a', '\0', 'b'};
    struct tries *tries = &lengths->tries;
    tries->intent = row_intent(lengths->key);
    assert_int_equal(tx->intent_insert(tx->self, &tries->intent, err), DEED_OK);
    for (uint32_t i = 0; i < 2; i++) {
        tries->rows[i] = row_attempt(tries->intent.id, i + 1);
        tries->rows[i].bytes = (struct deed_text){.data = letters, .bytes = lengths->bytes[i]};
        assert_int_equal(tx->attempt_insert(tx->self, &tries->rows[i], err), DEED_OK);
    }
    return DEED_OK;
}

/* A store may keep few bytes elsewhere than many; none are not the same as no request. */
static void test_attempt__a_request_of_any_length_comes_back(void **state)
{
    static const size_t bytes[][2] = {{0, 1}, {255, 256}, {257, 511}, {512, 513}, {1000, 1024}};
    static const char *const keys[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        struct lengths lengths;
        memset(&lengths, 0, sizeof(lengths));
        lengths.key = keys[i];
        memcpy(lengths.bytes, bytes[i], sizeof(lengths.bytes));
        write_one(*state, insert_lengths, &lengths);
        read_one(*state, read_tries, &lengths.tries);
    }
}

/* ---- evidence ---------------------------------------------------------------------------- */

struct proofs {
    int64_t intent_ids[2];
    struct deed_evidence_row rows[2];
    int visits;
};

static deed_rc insert_proofs(void *context, deed_tx *tx, struct deed_error *err)
{
    struct proofs *proofs = context;
    static const char *const keys[2] = {"mine", "theirs"};
    for (int i = 0; i < 2; i++) {
        struct deed_intent_row intent = row_intent(keys[i]);
        assert_int_equal(tx->intent_insert(tx->self, &intent, err), DEED_OK);
        proofs->intent_ids[i] = intent.id;
    }
    proofs->rows[0] = row_evidence(proofs->intent_ids[0]);
    struct deed_evidence_row *full = &proofs->rows[1];
    *full = row_evidence(proofs->intent_ids[0]);
    full->attempt = 2;
    full->token_known = true;
    memset(full->token, 0x77, sizeof(full->token));
    full->settled = true;
    full->reference = "tx-9";
    full->excerpt = (struct deed_text){.data = "\xff\0{}", .bytes = 4};
    memset(full->excerpt_digest, 0x11, sizeof(full->excerpt_digest));
    full->actor = "ann";
    full->statement = "saw it in the dashboard";
    full->event_id = "evt_1";
    assert_int_equal(tx->evidence_insert(tx->self, &proofs->rows[0], err), DEED_OK);
    assert_int_equal(tx->evidence_insert(tx->self, full, err), DEED_OK);
    assert_true(proofs->rows[0].id > 0);
    assert_true(full->id > proofs->rows[0].id);
    return DEED_OK;
}

static deed_rc visit_proof(void *context, const struct deed_evidence_row *row)
{
    struct proofs *proofs = context;
    assert_in_range(proofs->visits, 0, 1);
    const struct deed_evidence_row *want = &proofs->rows[proofs->visits++];
    assert_int_equal(row->size, sizeof(*row));
    assert_int_equal(row->id, want->id);
    assert_int_equal(row->intent_id, want->intent_id);
    assert_int_equal(row->attempt, want->attempt);
    assert_int_equal(row->token_known, want->token_known);
    assert_memory_equal(row->token, want->token, DEED_TOKEN_BYTES);
    assert_string_equal(row->source, want->source);
    assert_int_equal(row->grade, want->grade);
    assert_int_equal(row->outcome, want->outcome);
    assert_int_equal(row->settled, want->settled);
    assert_string(row->reference, want->reference);
    assert_text(row->excerpt, want->excerpt);
    assert_memory_equal(row->excerpt_digest, want->excerpt_digest, DEED_DIGEST_BYTES);
    assert_int_equal(row->at_ms, want->at_ms);
    assert_string(row->actor, want->actor);
    assert_string(row->statement, want->statement);
    assert_string(row->event_id, want->event_id);
    return DEED_OK;
}

static deed_rc read_proofs(void *context, deed_tx *tx, struct deed_error *err)
{
    struct proofs *proofs = context;
    proofs->visits = 0;
    assert_int_equal(
        tx->evidence_each(tx->self, proofs->intent_ids[1], visit_proof, proofs, err), DEED_OK);
    assert_int_equal(proofs->visits, 0);
    assert_int_equal(
        tx->evidence_each(tx->self, proofs->intent_ids[0], visit_proof, proofs, err), DEED_OK);
    assert_int_equal(proofs->visits, 2);
    return DEED_OK;
}

static void test_evidence__every_member_comes_back_in_order(void **state)
{
    struct proofs proofs;
    memset(&proofs, 0, sizeof(proofs));
    write_one(*state, insert_proofs, &proofs);
    read_one(*state, read_proofs, &proofs);
    *state = factory->reopen(factory->self, *state);
    read_one(*state, read_proofs, &proofs);
}

static bool is_taken(deed_tx *tx, struct deed_named_effect effect)
{
    bool taken = false;
    effect.size = sizeof(effect);
    assert_int_equal(tx->reference_taken(tx->self, &effect, &taken, NULL), DEED_OK);
    return taken;
}

static deed_rc ask_for_references(void *context, deed_tx *tx, struct deed_error *err)
{
    const struct proofs *proofs = context;
    struct deed_named_effect mine = {.reference = "tx-9", .intent_id = proofs->intent_ids[0]};
    struct deed_named_effect theirs = {.reference = "tx-9", .intent_id = proofs->intent_ids[1]};
    assert_false(is_taken(tx, mine));
    assert_true(is_taken(tx, theirs));
    struct deed_evidence_row refusal = row_evidence(proofs->intent_ids[0]);
    refusal.reference = "tx-10";
    refusal.outcome = DEED_REJECTED;
    assert_int_equal(tx->evidence_insert(tx->self, &refusal, err), DEED_OK);
    theirs.reference = "tx-10";
    assert_false(is_taken(tx, theirs));
    return DEED_OK;
}

/* Evidence about attempt 1 (executor mock, account acct), about none, and a person's. */
static deed_rc ask_by_scope(void *context, deed_tx *tx, struct deed_error *err)
{
    static const struct {
        const char *executor;
        const char *account;
        bool taken[3];
    } cases[] = {
        {NULL, NULL, {true, true, true}},
        {"mock", "acct", {true, true, true}},
        {"other", "acct", {false, true, true}},
        {"mock", "other", {false, true, true}},
        {"MOCK", "acct", {false, true, true}},
    };
    static const char *const references[3] = {"of-attempt", "of-none", "of-person"};
    const struct proofs *proofs = context;
    struct deed_attempt_row attempt = row_attempt(proofs->intent_ids[0], 1);
    assert_int_equal(tx->attempt_insert(tx->self, &attempt, err), DEED_OK);
    for (uint32_t i = 0; i < 3; i++) {
        struct deed_evidence_row row = row_evidence(proofs->intent_ids[0]);
        row.reference = references[i];
        row.attempt = i == 1 ? 0 : 1;
        row.grade = i == 2 ? DEED_GRADE_OPERATOR : DEED_GRADE_FIRST_HAND;
        assert_int_equal(tx->evidence_insert(tx->self, &row, err), DEED_OK);
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (size_t j = 0; j < 3; j++) {
            struct deed_named_effect effect = {.reference = references[j],
                .intent_id = proofs->intent_ids[1],
                .executor = cases[i].executor,
                .account_scope = cases[i].account};
            if (is_taken(tx, effect) != cases[i].taken[j]) {
                fail_msg("case %zu, %s", i, references[j]);
            }
            effect.intent_id = proofs->intent_ids[0];
            assert_false(is_taken(tx, effect));
        }
    }
    return DEED_OK;
}

static void test_evidence__a_reference_is_taken_where_its_executor_and_account_are(void **state)
{
    struct proofs proofs;
    memset(&proofs, 0, sizeof(proofs));
    write_one(*state, insert_proofs, &proofs);
    write_one(*state, ask_by_scope, &proofs);
}

static void test_evidence__a_reference_is_taken_by_another_intent_that_says_applied(void **state)
{
    struct proofs proofs;
    memset(&proofs, 0, sizeof(proofs));
    write_one(*state, insert_proofs, &proofs);
    write_one(*state, ask_for_references, &proofs);
}

static deed_rc insert_event_id(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row intent = row_intent("named");
    assert_int_equal(tx->intent_insert(tx->self, &intent, err), DEED_OK);
    struct deed_evidence_row row = row_evidence(intent.id);
    row.event_id = context;
    return tx->evidence_insert(tx->self, &row, err);
}

static void test_evidence__the_name_of_an_event_has_1_to_255_bytes(void **state)
{
    static const size_t lengths[] = {0, 1, DEED_EVENT_ID_BYTES_MAX, DEED_EVENT_ID_BYTES_MAX + 1};
    struct deed_store *store = *state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        char name[DEED_EVENT_ID_BYTES_MAX + 2] = "";
        memset(name, 'e', lengths[i]);
        struct deed_op op = op_of(insert_event_id, name);
        assert_int_equal(store->write(store->self, &op, 1, NULL), DEED_OK);
        bool good = lengths[i] >= 1 && lengths[i] <= DEED_EVENT_ID_BYTES_MAX;
        assert_int_equal(op.rc, good ? DEED_OK : DEED_E_CHECK);
        if (good) {
            *state = factory->fresh(factory->self);
            store->close(store->self);
            store = *state;
        }
    }
}

/* ---- finding ----------------------------------------------------------------------------- */

#define FOUND_KEY "00000000-0000-4000-8000-00000000000f"

struct finding {
    int64_t ids[3];
    int64_t want[3];
    size_t wanted;
    size_t seen;
    deed_rc answer; /* of the visit */
    deed_tx *tx;
};

static deed_rc insert_findable(void *context, deed_tx *tx, struct deed_error *err)
{
    struct finding *finding = context;
    static const char *const keys[3] = {"x-first", "y-second", "z-third"};
    for (int i = 0; i < 3; i++) {
        struct deed_intent_row intent = row_intent(keys[i]);
        assert_int_equal(tx->intent_insert(tx->self, &intent, err), DEED_OK);
        finding->ids[i] = intent.id;
    }
    /* The second was sent twice under the key, the third once, the first under another. */
    const int64_t of[4] = {finding->ids[2], finding->ids[1], finding->ids[1], finding->ids[0]};
    for (uint32_t i = 0; i < 4; i++) {
        struct deed_attempt_row row = row_attempt(of[i], i == 2 ? 2 : 1);
        row.provider_key = i == 3 ? "00000000-0000-4000-8000-00000000000e" : FOUND_KEY;
        assert_int_equal(tx->attempt_insert(tx->self, &row, err), DEED_OK);
    }
    for (int i = 0; i < 3; i++) { /* of the first and twice of the third, once as a refusal */
        struct deed_evidence_row row = row_evidence(finding->ids[i == 0 ? 0 : 2]);
        row.reference = "tx-found";
        row.outcome = i == 1 ? DEED_REJECTED : DEED_APPLIED;
        assert_int_equal(tx->evidence_insert(tx->self, &row, err), DEED_OK);
    }
    return DEED_OK;
}

static deed_rc visit_found(void *context, const struct deed_intent_row *row)
{
    struct finding *finding = context;
    assert_true(finding->seen < finding->wanted);
    assert_int_equal(row->size, sizeof(*row));
    assert_int_equal(row->id, finding->want[finding->seen++]);
    assert_text(row->payload.kind, row_text("mail"));
    assert_null(row->payload.target.data);
    assert_null(row->payload.body.data);
    struct deed_intent_row again; /* a visitor may ask for more */
    assert_int_equal(
        finding->tx->intent_by_id(finding->tx->self, row->id, false, &again, NULL), DEED_OK);
    assert_string_equal(row->key, again.key);
    return finding->answer;
}

static void expect_found(struct finding *finding, const char *key, const char *reference,
    const int64_t *want, size_t wanted)
{
    memcpy(finding->want, want, wanted * sizeof(*want));
    finding->wanted = wanted;
    finding->seen = 0;
    finding->answer = DEED_OK;
    deed_tx *tx = finding->tx;
    assert_int_equal(
        tx->intent_find(tx->self, key, reference, visit_found, finding, NULL), DEED_OK);
    assert_int_equal(finding->seen, wanted);
}

static deed_rc find_all(void *context, deed_tx *tx, struct deed_error *err)
{
    struct finding *finding = context;
    (void)err;
    finding->tx = tx;
    const int64_t by_key[2] = {finding->ids[1], finding->ids[2]};
    const int64_t by_reference[2] = {finding->ids[0], finding->ids[2]};
    expect_found(finding, FOUND_KEY, NULL, by_key, 2);
    expect_found(finding, NULL, "tx-found", by_reference, 2);
    expect_found(finding, "00000000-0000-4000-8000-00000000000d", NULL, by_key, 0);
    expect_found(finding, NULL, "TX-FOUND", by_key, 0);
    finding->seen = 0;
    finding->wanted = 1;
    finding->answer = DEED_E_INTERRUPTED;
    memcpy(finding->want, by_key, sizeof(by_key));
    assert_int_equal(
        tx->intent_find(tx->self, FOUND_KEY, NULL, visit_found, finding, NULL), DEED_E_INTERRUPTED);
    assert_int_equal(finding->seen, 1);
    return DEED_OK;
}

static void test_find__each_intent_once_by_id_under_its_provider_key_or_reference(void **state)
{
    struct finding finding;
    memset(&finding, 0, sizeof(finding));
    write_one(*state, insert_findable, &finding);
    read_one(*state, find_all, &finding);
    write_one(*state, find_all, &finding);
    *state = factory->reopen(factory->self, *state);
    read_one(*state, find_all, &finding);
}

/* ---- events ------------------------------------------------------------------------------ */

struct chain {
    int64_t intent_id;
    int64_t visits;
};

static deed_rc visit_link(void *context, const struct deed_event_row *row)
{
    struct chain *chain = context;
    const struct deed_event_row want = row_event(chain->intent_id, ++chain->visits);
    assert_int_equal(row->size, sizeof(*row));
    assert_int_equal(row->intent_id, want.intent_id);
    assert_int_equal(row->number, want.number);
    assert_int_equal(row->event, want.event);
    assert_int_equal(row->from, want.from);
    assert_int_equal(row->to, want.to);
    assert_int_equal(row->outcome, want.outcome);
    assert_int_equal(row->attempt, chain->visits == 2 ? 7 : 0);
    assert_int_equal(row->grade, chain->visits == 2 ? DEED_GRADE_OPERATOR : DEED_GRADE_NONE);
    assert_int_equal(row->at_ms, want.at_ms);
    assert_int_equal(row->newest_ms, want.newest_ms);
    assert_string(row->actor, chain->visits == 2 ? "ann" : NULL);
    assert_string_equal(row->detail, chain->visits == 2 ? "{\"why\":\"x\"}" : "{}");
    assert_int_equal(row->hash[31], chain->visits == 2 ? 0xcd : 0);
    return DEED_OK;
}

static deed_rc insert_chains(void *context, deed_tx *tx, struct deed_error *err)
{
    struct chain *chain = context;
    struct deed_intent_row intent = row_intent("chained");
    assert_int_equal(tx->intent_insert(tx->self, &intent, err), DEED_OK);
    chain->intent_id = intent.id;
    for (int64_t number = 1; number <= 40; number++) {
        struct deed_event_row event = row_event(intent.id, number);
        if (number == 2) {
            event.attempt = 7;
            event.grade = DEED_GRADE_OPERATOR;
            event.actor = "ann";
            event.detail = "{\"why\":\"x\"}";
            memset(event.hash, 0xcd, sizeof(event.hash));
        }
        assert_int_equal(tx->event_insert(tx->self, &event, err), DEED_OK);
        assert_int_equal(tx->event_insert(tx->self, &event, err), DEED_E_CONFLICT);
    }
    const struct deed_event_row own = row_event(0, 1);
    return tx->event_insert(tx->self, &own, err);
}

static deed_rc read_chains(void *context, deed_tx *tx, struct deed_error *err)
{
    struct chain *chain = context;
    struct chain own = {.intent_id = 0};
    chain->visits = 0;
    assert_int_equal(tx->event_each(tx->self, chain->intent_id, visit_link, chain, err), DEED_OK);
    assert_int_equal(chain->visits, 40);
    assert_int_equal(tx->event_each(tx->self, 0, visit_link, &own, err), DEED_OK);
    assert_int_equal(own.visits, 1);
    return DEED_OK;
}

static void test_event__chains_come_back_link_by_link_and_apart(void **state)
{
    struct chain chain = {.intent_id = 0};
    write_one(*state, insert_chains, &chain);
    read_one(*state, read_chains, &chain);
}

static deed_rc newest_grows(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row intent = row_intent("timed");
    int64_t newest = -1;
    (void)context;
    assert_int_equal(tx->newest(tx->self, &newest, err), DEED_OK);
    assert_int_equal(newest, 0);
    assert_int_equal(tx->intent_insert(tx->self, &intent, err), DEED_OK);
    struct deed_event_row event = row_event(intent.id, 1);
    event.newest_ms = ROW_NOW_MS + 50;
    assert_int_equal(tx->event_insert(tx->self, &event, err), DEED_OK);
    event = row_event(0, 1); /* the wall clock went back: at_ms falls, newest_ms does not */
    event.at_ms = ROW_NOW_MS - 50;
    event.newest_ms = ROW_NOW_MS + 50;
    assert_int_equal(tx->event_insert(tx->self, &event, err), DEED_OK);
    assert_int_equal(tx->newest(tx->self, &newest, err), DEED_OK);
    assert_int_equal(newest, ROW_NOW_MS + 50);
    return DEED_OK;
}

static deed_rc insert_link(void *context, deed_tx *tx, struct deed_error *err)
{
    return tx->event_insert(tx->self, context, err);
}

static deed_rc newest_falls(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_event_row event = row_event(0, 1);
    (void)context;
    event.newest_ms = ROW_NOW_MS + 50;
    deed_rc rc = tx->event_insert(tx->self, &event, err);
    event.number = 2;
    event.newest_ms = ROW_NOW_MS + 49;
    return rc == DEED_OK ? tx->event_insert(tx->self, &event, err) : rc;
}

static void test_event__newest_time_never_falls(void **state)
{
    struct deed_store *store = *state;
    struct deed_op op = op_of(newest_falls, NULL);
    assert_int_equal(store->write(store->self, &op, 1, NULL), DEED_OK);
    assert_int_equal(op.rc, DEED_E_CHECK);
    assert_non_null(strstr(op.error.text, "never falls"));
    struct deed_event_row event = row_event(0, 1);
    event.newest_ms = ROW_NOW_MS + 49;
    write_one(store, insert_link, &event);
    event.number = 2;
    event.newest_ms = ROW_NOW_MS + 48;
    struct deed_op later = op_of(insert_link, &event); /* in a transaction of its own */
    assert_int_equal(store->write(store->self, &later, 1, NULL), DEED_OK);
    assert_int_equal(later.rc, DEED_E_CHECK);
}

static void test_event__newest_time_is_the_largest_seen(void **state)
{
    write_one(*state, newest_grows, NULL);
}

/* ---- passes ------------------------------------------------------------------------------ */

#define PASSES 40 /* more than a store reads at once */

struct passes {
    struct deed_pass_row rows[PASSES];
    uint32_t visits;
    deed_rc answer; /* of the visit to the third */
};

static deed_rc insert_passes(void *context, deed_tx *tx, struct deed_error *err)
{
    struct passes *passes = context;
    for (uint32_t i = 0; i < PASSES; i++) {
        struct deed_pass_row *row = &passes->rows[i];
        *row = row_pass(i);
        row->started_ms = ROW_NOW_MS - i; /* the clock may be set back: ids are the order */
        if (i % 2 == 1) {
            row->actor = "ann";
            row->settled = 0;
            row->waiting = i - 1;
            row->failed = 1;
            row->reasons = "{\"answer_unknown\":1}";
        }
        assert_int_equal(tx->pass_insert(tx->self, row, err), DEED_OK);
        assert_true(row->id > (i == 0 ? 0 : passes->rows[i - 1].id));
    }
    struct deed_pass_row last = row_pass(3);
    last.person = INT64_C(1) << 40;
    last.seen += last.person;
    last.id = passes->rows[PASSES - 1].id;
    passes->rows[0] = last; /* an id that was given is not looked at */
    assert_int_equal(tx->pass_insert(tx->self, &passes->rows[0], err), DEED_OK);
    assert_true(passes->rows[0].id > last.id);
    return DEED_OK;
}

/* Row 0 was replaced by the newest; the one it stood for is the oldest, and not compared. */
static deed_rc visit_pass(void *context, const struct deed_pass_row *row)
{
    struct passes *passes = context;
    uint32_t visit = passes->visits++;
    const struct deed_pass_row *want =
        visit == 0 ? &passes->rows[0] : &passes->rows[(PASSES - visit) % PASSES];
    if (visit < PASSES) {
        assert_int_equal(row->size, sizeof(*row));
        assert_int_equal(row->id, want->id);
        assert_int_equal(row->started_ms, want->started_ms);
        assert_int_equal(row->ended_ms, want->ended_ms);
        assert_string(row->actor, want->actor);
        assert_true(row->seen == want->seen && row->settled == want->settled);
        assert_true(row->waiting == want->waiting && row->person == want->person);
        assert_true(row->failed == want->failed);
        assert_string_equal(row->reasons, want->reasons);
    }
    return passes->visits == 3 ? passes->answer : DEED_OK;
}

static deed_rc read_passes(void *context, deed_tx *tx, struct deed_error *err)
{
    struct passes *passes = context;
    static const uint32_t limits[] = {0, 1, 3, 16, 17, PASSES + 1, PASSES + 2};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        bool all = limits[i] == 0 || limits[i] > PASSES + 1;
        passes->visits = 0;
        passes->answer = DEED_OK;
        assert_int_equal(tx->pass_each(tx->self, limits[i], visit_pass, passes, err), DEED_OK);
        assert_int_equal(passes->visits, all ? PASSES + 1 : limits[i]);
    }
    passes->visits = 0;
    passes->answer = DEED_E_INTERRUPTED;
    assert_int_equal(tx->pass_each(tx->self, 0, visit_pass, passes, err), DEED_E_INTERRUPTED);
    assert_int_equal(passes->visits, 3);
    return DEED_OK;
}

static deed_rc read_no_passes(void *context, deed_tx *tx, struct deed_error *err)
{
    struct passes *passes = context;
    assert_int_equal(tx->pass_each(tx->self, 0, visit_pass, passes, err), DEED_OK);
    assert_int_equal(passes->visits, 0);
    return DEED_OK;
}

static void test_pass__every_member_comes_back_the_newest_first(void **state)
{
    struct passes passes;
    memset(&passes, 0, sizeof(passes));
    read_one(*state, read_no_passes, &passes);
    write_one(*state, insert_passes, &passes);
    read_one(*state, read_passes, &passes);
    *state = factory->reopen(factory->self, *state);
    read_one(*state, read_passes, &passes);
}

static deed_rc insert_pass(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_pass_row row = *(struct deed_pass_row *)context;
    return tx->pass_insert(tx->self, &row, err);
}

static void test_pass__counts_add_up_and_times_are_times(void **state)
{
    struct deed_store *store = *state;
    struct deed_pass_row broken[4];
    for (int i = 0; i < 4; i++) {
        broken[i] = row_pass(2);
    }
    broken[0].seen = 3;
    broken[1].started_ms = 0;
    broken[2].ended_ms = INT64_C(100000000000000);
    broken[3].reasons = NULL;
    for (int i = 0; i < 4; i++) {
        struct deed_op op = op_of(insert_pass, &broken[i]);
        (void)store->write(store->self, &op, 1, NULL);
        assert_int_not_equal(op.rc, DEED_OK);
        assert_int_equal(op.fate, DEED_FATE_NONE);
    }
    struct passes passes;
    memset(&passes, 0, sizeof(passes));
    read_one(store, read_no_passes, &passes);
}

/* ---- operations -------------------------------------------------------------------------- */

static deed_rc record_and_fail(void *context, deed_tx *tx, struct deed_error *err)
{
    (void)record_like(context, tx, err);
    struct deed_error *own = err;
    own->rc = DEED_E_NO_STEP;
    memcpy(own->text, "no such step", 13);
    return DEED_E_NO_STEP;
}

static void test_write__one_operation_that_fails_leaves_its_neighbours_alone(void **state)
{
    struct deed_store *store = *state;
    char keys[3][8] = {"left", "broken", "right"};
    struct deed_op ops[3] = {
        op_of(record_like, keys[0]), op_of(record_and_fail, keys[1]), op_of(record_like, keys[2])};
    struct deed_error err;
    assert_int_equal(store->write(store->self, ops, 3, &err), DEED_OK);
    assert_int_equal(ops[0].rc, DEED_OK);
    assert_int_equal(ops[0].fate, DEED_FATE_COMMITTED);
    assert_int_equal(ops[1].rc, DEED_E_NO_STEP);
    assert_int_equal(ops[1].fate, DEED_FATE_NONE);
    assert_string_equal(ops[1].error.text, "no such step");
    assert_int_equal(ops[2].rc, DEED_OK);
    assert_int_equal(ops[2].fate, DEED_FATE_COMMITTED);
    assert_int_equal(recorded_whole(store, "left"), 1);
    assert_int_equal(recorded_whole(store, "broken"), 0);
    assert_int_equal(recorded_whole(store, "right"), 1);
}

static void test_write__an_operation_sees_what_its_elder_neighbours_wrote(void **state)
{
    struct deed_store *store = *state;
    char key[] = "same";
    struct deed_op ops[2] = {op_of(record_like, key), op_of(record_like, key)};
    assert_int_equal(store->write(store->self, ops, 2, NULL), DEED_OK);
    assert_int_equal(ops[0].rc, DEED_OK);
    assert_int_equal(ops[1].rc, DEED_E_CONFLICT);
    assert_int_equal(ops[1].fate, DEED_FATE_NONE);
    assert_int_equal(recorded_whole(store, key), 1);
}

static void test_write__a_lone_operation_that_fails_leaves_nothing(void **state)
{
    struct deed_store *store = *state;
    char key[] = "alone";
    struct deed_op op = op_of(record_and_fail, key);
    assert_int_equal(store->write(store->self, &op, 1, NULL), DEED_OK);
    assert_int_equal(op.rc, DEED_E_NO_STEP);
    assert_int_equal(op.fate, DEED_FATE_NONE);
    assert_int_equal(recorded_whole(store, key), 0);
}

static void test_write__a_hundred_operations_go_together(void **state)
{
    struct deed_store *store = *state;
    static char keys[100][8];
    static struct deed_op ops[100];
    for (int i = 0; i < 100; i++) {
        (void)snprintf(keys[i], sizeof(keys[i]), "k-%d", i);
        ops[i] = op_of(i % 10 == 3 ? record_and_fail : record_like, keys[i]);
    }
    assert_int_equal(store->write(store->self, ops, 100, NULL), DEED_OK);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(recorded_whole(store, keys[i]), i % 10 == 3 ? 0 : 1);
    }
}

static deed_rc hide_a_refusal(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row broken = row_intent("broken");
    assert_int_equal(record_like(context, tx, err), DEED_OK);
    broken.outcome = DEED_APPLIED; /* recorded, and applied: the machine has no such pair */
    assert_int_equal(tx->intent_insert(tx->self, &broken, err), DEED_E_CHECK);
    return DEED_OK;
}

static void test_write__an_operation_that_hides_a_refusal_is_undone(void **state)
{
    struct deed_store *store = *state;
    char keys[2][8] = {"hidden", "next"};
    struct deed_op ops[2] = {op_of(hide_a_refusal, keys[0]), op_of(record_like, keys[1])};
    for (size_t count = 1; count <= 2; count++) {
        assert_int_equal(store->write(store->self, ops, count, NULL), DEED_OK);
        assert_int_equal(ops[0].rc, DEED_E_MISUSE);
        assert_int_equal(ops[0].fate, DEED_FATE_NONE);
        assert_int_equal(recorded_whole(store, keys[0]), 0);
    }
    assert_int_equal(recorded_whole(store, keys[1]), 1);
}

static deed_rc try_every_write(void *context, deed_tx *tx, struct deed_error *err)
{
    (void)context;
    const struct deed_ledger_row ledger = row_ledger();
    struct deed_intent_row intent = row_intent("no");
    const struct deed_attempt_row attempt = row_attempt(1, 1);
    struct deed_evidence_row evidence = row_evidence(1);
    const struct deed_event_row event = row_event(0, 1);
    assert_int_equal(tx->ledger_put(tx->self, &ledger, err), DEED_E_MISUSE);
    assert_int_equal(tx->intent_insert(tx->self, &intent, err), DEED_E_MISUSE);
    assert_int_equal(tx->intent_update(tx->self, &intent, err), DEED_E_MISUSE);
    assert_int_equal(tx->intent_fill(tx->self, &intent, err), DEED_E_MISUSE);
    assert_int_equal(tx->attempt_insert(tx->self, &attempt, err), DEED_E_MISUSE);
    assert_int_equal(tx->attempt_update(tx->self, &attempt, err), DEED_E_MISUSE);
    assert_int_equal(tx->evidence_insert(tx->self, &evidence, err), DEED_E_MISUSE);
    assert_int_equal(tx->event_insert(tx->self, &event, err), DEED_E_MISUSE);
    struct deed_pass_row pass = row_pass(1);
    assert_int_equal(tx->pass_insert(tx->self, &pass, err), DEED_E_MISUSE);
    return DEED_OK;
}

static void test_read__refuses_every_write(void **state)
{
    read_one(*state, try_every_write, NULL);
}

static deed_rc fail_to_read(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row row;
    (void)context;
    return tx->intent_get(tx->self, "nobody", false, &row, err);
}

static void test_read__hands_back_the_error_of_its_operation(void **state)
{
    struct deed_store *store = *state;
    struct deed_op op = op_of(fail_to_read, NULL);
    (void)store->read(store->self, &op, NULL);
    assert_int_equal(op.rc, DEED_E_NOT_FOUND);
    assert_int_equal(op.error.rc, DEED_E_NOT_FOUND);
}

struct snapshot {
    struct deed_store *writer;
    bool before;
    bool after;
};

static deed_rc look_twice(void *context, deed_tx *tx, struct deed_error *err)
{
    struct snapshot *snapshot = context;
    struct deed_intent_row row;
    char key[] = "meanwhile";
    snapshot->before = tx->intent_get(tx->self, key, false, &row, err) == DEED_OK;
    write_one(snapshot->writer, record_like, key);
    snapshot->after = tx->intent_get(tx->self, key, false, &row, err) == DEED_OK;
    return DEED_OK;
}

static void test_read__stands_on_one_snapshot(void **state)
{
    struct snapshot snapshot = {.writer = factory->second(factory->self)};
    if (snapshot.writer == NULL) {
        /* A store with one lock would wait here for itself: its factory offers no second handle. */
        skip();
    }
    read_one(*state, look_twice, &snapshot);
    assert_false(snapshot.before);
    assert_false(snapshot.after);
    assert_int_equal(recorded_whole(*state, "meanwhile"), 1);
    snapshot.writer->close(snapshot.writer->self);
}

static deed_rc keep_rows(void *context, deed_tx *tx, struct deed_error *err)
{
    (void)context;
    struct deed_intent_row rows[20];
    for (int i = 0; i < 20; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "many-%d", i);
        assert_int_equal(tx->intent_get(tx->self, key, true, &rows[i], err), DEED_OK);
    }
    for (int i = 0; i < 20; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "many-%d", i);
        assert_string_equal(rows[i].key, key);
        assert_text(rows[i].payload.body, row_text("the body"));
    }
    return DEED_OK;
}

static void test_read__rows_live_until_the_operation_returns(void **state)
{
    write_one(*state, insert_many, NULL);
    read_one(*state, keep_rows, NULL);
}

/* ---- the store --------------------------------------------------------------------------- */

static void test_store__what_was_committed_is_there_after_opening_again(void **state)
{
    char key[] = "kept";
    struct deed_ledger_row ledger = row_ledger();
    write_one(*state, record_like, key);
    write_one(*state, ledger_put, &ledger);
    *state = factory->reopen(factory->self, *state);
    assert_int_equal(recorded_whole(*state, key), 1);
    read_one(*state, ledger_equals, &ledger);
}

static void test_store__schema_is_the_newest_and_tells_whether_it_is_initialised(void **state)
{
    struct deed_store *store = *state;
    struct deed_schema schema = {.size = sizeof(schema)};
    struct deed_ledger_row ledger = row_ledger();
    assert_int_equal(store->schema(store->self, &schema, NULL), DEED_OK);
    assert_int_equal(schema.found, schema.wanted);
    assert_false(schema.adoptable);
    assert_false(schema.initialised);
    write_one(store, ledger_put, &ledger);
    assert_int_equal(store->schema(store->self, &schema, NULL), DEED_OK);
    assert_true(schema.initialised);
}

static void count_migration(void *context, int number, const char *name)
{
    (void)number;
    (void)name;
    (*(int *)context)++;
}

static void test_store__nothing_is_left_to_migrate(void **state)
{
    struct deed_store *store = *state;
    int applied = 0;
    assert_int_equal(store->migrate(store->self, true, count_migration, &applied, NULL), DEED_OK);
    assert_int_equal(store->migrate(store->self, false, count_migration, &applied, NULL), DEED_OK);
    assert_int_equal(applied, 0);
    char key[] = "after";
    write_one(store, record_like, key);
}

static void test_store__recovering_without_need_harms_nothing(void **state)
{
    struct deed_store *store = *state;
    char key[] = "before";
    write_one(store, record_like, key);
    assert_int_equal(store->recover(store->self, NULL), DEED_OK);
    assert_int_equal(recorded_whole(store, key), 1);
}

static void test_store__checks_itself_and_finds_nothing(void **state)
{
    struct deed_store *store = *state;
    struct deed_error err = {.text = ""};
    char key[] = "checked";
    write_one(store, record_like, key);
    if (store->check(store->self, &err) != DEED_OK) {
        fail_msg("%s", err.text);
    }
    assert_false(store->read_only(store->self));
}

static void test_store__its_own_owner_lives_and_differs_from_another_handle(void **state)
{
    struct deed_store *store = *state;
    const int64_t owner = store->owner(store->self);
    assert_true(owner != 0);
    assert_int_equal(store->owner(store->self), owner);
    assert_true(store->owner_lives(store->self, owner));
    struct deed_store *second = factory->second(factory->self);
    if (second != NULL) {
        assert_true(second->owner(second->self) != owner);
        assert_true(second->owner_lives(second->self, owner));
        second->close(second->self);
    }
}

/* What a handle has read it may keep, for as long as nobody has changed it. */
struct facts {
    int64_t epoch;
    int64_t newest_ms;
};

static deed_rc read_facts(void *context, deed_tx *tx, struct deed_error *err)
{
    struct facts *facts = context;
    struct deed_ledger_row row;
    deed_rc rc = tx->ledger_get(tx->self, &row, err);
    if (rc == DEED_OK) {
        facts->epoch = row.epoch;
        rc = tx->newest(tx->self, &facts->newest_ms, err);
    }
    return rc;
}

/* A link of the ledger's own chain, and a row that says how many there are. */
static deed_rc raise_facts(void *context, deed_tx *tx, struct deed_error *err)
{
    const int64_t epoch = *(const int64_t *)context;
    struct deed_ledger_row row = row_ledger();
    struct deed_event_row event = row_event(0, epoch);
    row.epoch = epoch;
    event.newest_ms = ROW_NOW_MS + epoch;
    deed_rc rc = tx->ledger_put(tx->self, &row, err);
    return rc == DEED_OK ? tx->event_insert(tx->self, &event, err) : rc;
}

static deed_rc raise_and_fail(void *context, deed_tx *tx, struct deed_error *err)
{
    struct facts seen = {0, 0};
    const deed_rc rc = raise_facts(context, tx, err);
    assert_int_equal(rc == DEED_OK ? read_facts(&seen, tx, err) : rc, DEED_OK);
    assert_int_equal(seen.epoch, *(const int64_t *)context);
    assert_int_equal(seen.newest_ms, ROW_NOW_MS + *(const int64_t *)context);
    return deed_error_set(err, DEED_E_INVALID, "test", "thought better of it");
}

static void assert_facts(struct deed_store *store, int64_t epoch)
{
    for (int writes = 0; writes < 2; writes++) {
        struct facts seen = {0, 0};
        (writes == 1 ? write_one : read_one)(store, read_facts, &seen);
        assert_int_equal(seen.epoch, epoch);
        assert_int_equal(seen.newest_ms, ROW_NOW_MS + epoch);
    }
}

static void test_store__ledger_row_and_newest_time_are_those_of_now(void **state)
{
    struct deed_store *store = *state;
    int64_t epoch = 1;
    write_one(store, raise_facts, &epoch);
    assert_facts(store, 1);
    struct deed_store *other = factory->second(factory->self);
    for (epoch = 2; other != NULL && epoch < 8; epoch++) {
        struct deed_store *writer = epoch % 3 == 0 ? store : other;
        write_one(writer, raise_facts, &epoch);
        assert_facts(epoch % 2 == 0 ? store : other, epoch);
        assert_facts(epoch % 2 == 0 ? other : store, epoch);
    }
    if (other != NULL) {
        other->close(other->self);
    }
}

/* Alone, and between others: the next one and the next transaction see nothing of it. */
static void test_store__ledger_row_and_newest_time_of_what_is_undone_are_forgotten(void **state)
{
    struct deed_store *store = *state;
    int64_t epoch = 1;
    int64_t undone = 2;
    struct facts seen = {0, 0};
    write_one(store, raise_facts, &epoch);
    struct deed_op alone = op_of(raise_and_fail, &undone);
    assert_int_equal(store->write(store->self, &alone, 1, NULL), DEED_OK);
    assert_int_equal(alone.rc, DEED_E_INVALID);
    assert_facts(store, 1);
    struct deed_op ops[] = {op_of(raise_and_fail, &undone), op_of(read_facts, &seen)};
    assert_int_equal(store->write(store->self, ops, 2, NULL), DEED_OK);
    assert_int_equal(ops[0].rc, DEED_E_INVALID);
    assert_int_equal(ops[1].rc, DEED_OK);
    assert_int_equal(seen.epoch, 1);
    assert_int_equal(seen.newest_ms, ROW_NOW_MS + 1);
    assert_facts(store, 1);
}

/* ---- what was just written --------------------------------------------------------------- */

/* An intent and its attempts, as they should be found. */
struct begun {
    struct deed_intent_row intent;
    struct deed_attempt_row tries[2];
    int count;
    int visits;
};

static deed_rc write_begun(void *context, deed_tx *tx, struct deed_error *err)
{
    struct begun *begun = context;
    deed_rc rc = tx->intent_insert(tx->self, &begun->intent, err);
    if (rc == DEED_OK && begun->count > 0) {
        begun->tries[0] = row_attempt(begun->intent.id, 1);
        begun->tries[0].bytes = row_text("as sent");
        rc = tx->attempt_insert(tx->self, &begun->tries[0], err);
    }
    return rc;
}

static deed_rc visit_begun(void *context, const struct deed_attempt_row *row)
{
    struct begun *begun = context;
    assert_in_range(begun->visits, 0, begun->count - 1);
    assert_attempt(row, &begun->tries[begun->visits], false);
    begun->visits++;
    return DEED_OK;
}

static deed_rc read_begun(void *context, deed_tx *tx, struct deed_error *err)
{
    struct begun *begun = context;
    begun->visits = 0;
    deed_rc rc = intent_equals(&begun->intent, tx, err);
    if (rc == DEED_OK) {
        rc = tx->attempt_each(tx->self, begun->intent.id, false, visit_begun, begun, err);
    }
    assert_int_equal(begun->visits, begun->count);
    return rc;
}

static deed_rc miss_begun(void *context, deed_tx *tx, struct deed_error *err)
{
    const struct begun *begun = context;
    struct deed_intent_row row;
    assert_int_equal(
        tx->intent_get(tx->self, begun->intent.key, false, &row, err), DEED_E_NOT_FOUND);
    return DEED_OK;
}

static deed_rc hold_begun(void *context, deed_tx *tx, struct deed_error *err)
{
    struct begun *begun = context;
    begun->intent.held = true;
    begun->intent.held_reason = "somebody asked";
    return tx->intent_update(tx->self, &begun->intent, err);
}

static deed_rc count_tries(void *context, deed_tx *tx, struct deed_error *err)
{
    struct begun *begun = context;
    begun->intent.tries++;
    begun->intent.next_due_ms = ROW_NOW_MS + 7;
    return tx->intent_update(tx->self, &begun->intent, err);
}

static deed_rc answer_begun(void *context, deed_tx *tx, struct deed_error *err)
{
    struct begun *begun = context;
    begun->tries[0].verdict = DEED_VERDICT_APPLIED;
    begun->tries[0].answered = true;
    begun->tries[0].answered_ms = ROW_NOW_MS + 1;
    return tx->attempt_update(tx->self, &begun->tries[0], err);
}

static deed_rc try_again(void *context, deed_tx *tx, struct deed_error *err)
{
    struct begun *begun = context;
    begun->tries[1] = row_attempt(begun->intent.id, 2);
    begun->count = 2;
    return tx->attempt_insert(tx->self, &begun->tries[1], err);
}

static deed_rc write_begun_and_fail(void *context, deed_tx *tx, struct deed_error *err)
{
    assert_int_equal(write_begun(context, tx, err), DEED_OK);
    assert_int_equal(read_begun(context, tx, err), DEED_OK);
    return deed_error_set(err, DEED_E_INVALID, "test", "thought better of it");
}

static void assert_begun(struct deed_store *store, struct begun *begun)
{
    write_one(store, read_begun, begun);
    read_one(store, read_begun, begun);
}

/* `begins` begins, either of both makes change `i`, and both see it at once; `other` may be NULL. */
static void change_begun(struct deed_store *store, struct deed_store *other,
    struct deed_store *begins, size_t i, const char *key)
{
    static deed_rc (*const changes[])(void *, deed_tx *, struct deed_error *) = {
        count_tries, answer_begun, try_again, hold_begun};
    struct begun begun = {.intent = row_intent(key), .count = 1};
    read_one(store, miss_begun, &begun);
    write_one(store, miss_begun, &begun);
    write_one(begins, write_begun, &begun);
    assert_begun(store, &begun);
    write_one(other != NULL && i % 2 == 0 ? other : store, changes[i], &begun);
    assert_begun(store, &begun);
    if (other != NULL) {
        assert_begun(other, &begun);
    }
    write_one(store, changes[(i + 1) % 2], &begun);
    assert_begun(store, &begun);
}

/* Each change by the handle that began, or by the other one. */
static void test_store__what_was_just_written_is_that_of_now(void **state)
{
    struct deed_store *store = *state;
    struct deed_store *other = factory->second(factory->self);
    for (int who = 0; who < 2 && (who == 0 || other != NULL); who++) {
        for (size_t i = 0; i < 4; i++) {
            char key[32];
            (void)snprintf(key, sizeof(key), "k-%d-%zu", who, i);
            change_begun(store, other, who == 0 ? store : other, i, key);
        }
    }
    if (other != NULL) {
        other->close(other->self);
    }
}

/* More than a handle may keep, with kinds of any length. */
static void test_store__what_was_just_written_comes_back_however_much_it_is(void **state)
{
    static char kind[20][DEED_TEXT_CODE_POINTS_MAX + 1];
    static char keys[20][32];
    static struct begun all[20];
    struct deed_store *store = *state;
    for (size_t i = 0; i < 20; i++) {
        memset(kind[i], 'x', i * DEED_TEXT_CODE_POINTS_MAX / 60);
        (void)snprintf(keys[i], sizeof(keys[i]), "many-%zu", i);
        all[i] = (struct begun){.intent = row_intent(keys[i]), .count = i % 3 == 0 ? 0 : 1};
        all[i].intent.payload.kind = row_text(kind[i]);
        write_one(store, write_begun, &all[i]);
        assert_begun(store, &all[i]);
    }
    for (size_t i = 0; i < 20; i++) {
        assert_begun(store, &all[i]);
    }
}

static void test_store__what_was_just_written_and_undone_is_not_there(void **state)
{
    struct deed_store *store = *state;
    struct begun begun = {.intent = row_intent("undone"), .count = 1};
    struct deed_op alone = op_of(write_begun_and_fail, &begun);
    assert_int_equal(store->write(store->self, &alone, 1, NULL), DEED_OK);
    assert_int_equal(alone.rc, DEED_E_INVALID);
    write_one(store, miss_begun, &begun);
    struct deed_op ops[] = {
        op_of(write_begun_and_fail, &begun), op_of(miss_begun, &begun), op_of(write_begun, &begun)};
    assert_int_equal(store->write(store->self, ops, 3, NULL), DEED_OK);
    assert_int_equal(ops[0].rc, DEED_E_INVALID);
    assert_int_equal(ops[1].rc, DEED_OK);
    assert_int_equal(ops[2].rc, DEED_OK);
    assert_begun(store, &begun);
}

/* What the child of a fork does with its parent's handle; the calls that answered misuse, and left the
 * fate of an operation certain. */
static int use_in_child(struct deed_store *store, char *key)
{
    struct recorded recorded = {.key = key};
    struct deed_op write = op_of(record_like, key);
    struct deed_op read = op_of(look_for_recorded, &recorded);
    struct deed_schema schema = {.size = sizeof(schema)};
    int right = 0;
    right += store->write(store->self, &write, 1, NULL) == DEED_E_MISUSE ? 1 : 0;
    right += write.rc == DEED_E_MISUSE && write.fate == DEED_FATE_NONE ? 1 : 0;
    (void)store->read(store->self, &read, NULL);
    right += read.rc == DEED_E_MISUSE ? 1 : 0;
    right += store->recover(store->self, NULL) == DEED_E_MISUSE ? 1 : 0;
    right += store->schema(store->self, &schema, NULL) == DEED_E_MISUSE ? 1 : 0;
    right += store->migrate(store->self, false, NULL, NULL, NULL) == DEED_E_MISUSE ? 1 : 0;
    right += store->check(store->self, NULL) == DEED_E_MISUSE ? 1 : 0;
    return right;
}

static void test_store__a_handle_used_after_fork_answers_misuse_and_waits_for_nothing(void **state)
{
    struct deed_store *store = *state;
    char key[] = "parent";
    write_one(store, record_like, key);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(30);
        const int right = use_in_child(store, key);
        store->close(store->self);
        _exit(right);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    char later[] = "later"; /* the child's close took nothing from the parent */
    write_one(store, record_like, later);
    assert_int_equal(recorded_whole(store, key), 1);
}

int store_suite_run(const struct store_factory *stores)
{
#define SUITE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        SUITE_TEST(test_store__a_fresh_one_holds_no_ledger_row),
        SUITE_TEST(test_store__ledger_row_comes_back_as_it_was_put_and_is_replaced),
        SUITE_TEST(test_intent__every_member_comes_back),
        SUITE_TEST(test_intent__ids_grow_with_age),
        SUITE_TEST(test_intent__texts_keep_nul_and_emptiness),
        SUITE_TEST(test_intent__largest_payload_comes_back),
        SUITE_TEST(test_intent__key_that_exists_is_a_conflict_and_nothing_else_changes),
        SUITE_TEST(test_intent__one_that_is_not_there_is_not_found),
        SUITE_TEST(test_intent__update_writes_all_but_key_digest_age_and_payload),
        SUITE_TEST(test_intent__missing_payload_is_filled_once),
        SUITE_TEST(test_list__each_condition_selects_its_rows_by_age),
        SUITE_TEST(test_list__a_visitor_may_write_and_sees_each_row_once),
        SUITE_TEST(test_list__a_visitor_that_returns_an_error_ends_the_walk_with_it),
        SUITE_TEST(test_attempt__every_member_comes_back_in_order_of_number),
        SUITE_TEST(test_attempt__number_or_token_that_exists_is_a_conflict),
        SUITE_TEST(test_attempt__update_writes_only_what_may_change),
        SUITE_TEST(test_attempt__update_under_another_token_finds_nothing),
        SUITE_TEST(test_attempt__largest_request_comes_back),
        SUITE_TEST(test_attempt__a_request_of_any_length_comes_back),
        SUITE_TEST(test_evidence__every_member_comes_back_in_order),
        SUITE_TEST(test_evidence__a_reference_is_taken_by_another_intent_that_says_applied),
        SUITE_TEST(test_evidence__a_reference_is_taken_where_its_executor_and_account_are),
        SUITE_TEST(test_evidence__the_name_of_an_event_has_1_to_255_bytes),
        SUITE_TEST(test_find__each_intent_once_by_id_under_its_provider_key_or_reference),
        SUITE_TEST(test_event__chains_come_back_link_by_link_and_apart),
        SUITE_TEST(test_event__newest_time_is_the_largest_seen),
        SUITE_TEST(test_event__newest_time_never_falls),
        SUITE_TEST(test_pass__every_member_comes_back_the_newest_first),
        SUITE_TEST(test_pass__counts_add_up_and_times_are_times),
        SUITE_TEST(test_write__one_operation_that_fails_leaves_its_neighbours_alone),
        SUITE_TEST(test_write__an_operation_sees_what_its_elder_neighbours_wrote),
        SUITE_TEST(test_write__a_lone_operation_that_fails_leaves_nothing),
        SUITE_TEST(test_write__a_hundred_operations_go_together),
        SUITE_TEST(test_write__an_operation_that_hides_a_refusal_is_undone),
        SUITE_TEST(test_read__refuses_every_write),
        SUITE_TEST(test_read__hands_back_the_error_of_its_operation),
        SUITE_TEST(test_read__stands_on_one_snapshot),
        SUITE_TEST(test_read__rows_live_until_the_operation_returns),
        SUITE_TEST(test_store__what_was_committed_is_there_after_opening_again),
        SUITE_TEST(test_store__schema_is_the_newest_and_tells_whether_it_is_initialised),
        SUITE_TEST(test_store__nothing_is_left_to_migrate),
        SUITE_TEST(test_store__recovering_without_need_harms_nothing),
        SUITE_TEST(test_store__checks_itself_and_finds_nothing),
        SUITE_TEST(test_store__ledger_row_and_newest_time_are_those_of_now),
        SUITE_TEST(test_store__ledger_row_and_newest_time_of_what_is_undone_are_forgotten),
        SUITE_TEST(test_store__what_was_just_written_is_that_of_now),
        SUITE_TEST(test_store__what_was_just_written_comes_back_however_much_it_is),
        SUITE_TEST(test_store__what_was_just_written_and_undone_is_not_there),
        SUITE_TEST(test_store__its_own_owner_lives_and_differs_from_another_handle),
        SUITE_TEST(test_store__a_handle_used_after_fork_answers_misuse_and_waits_for_nothing),
    };
#undef SUITE_TEST
    factory = stores;
    return cmocka_run_group_tests_name(stores->name, tests, NULL, NULL);
}
