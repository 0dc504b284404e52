/* SPDX-License-Identifier: MIT
 *
 * Retention may drop the bytes of a request; after that nothing is replayed under its key, for one
 * key means one sequence of bytes. Method: a store in front of the real one shows attempts without
 * their bytes, as a ledger does that has dropped them.
 */
#include "support/scene.h"

/* ---- a store that has dropped them ---------------------------------------------------------------- */

static deed_rc (*real_each)(void *self, int64_t intent_id, bool with_bytes,
    deed_attempt_visit visit, void *context, struct deed_error *err);
static struct deed_store *real;
static struct deed_store face;

struct showing {
    deed_attempt_visit visit;
    void *context;
};

static deed_rc show(void *context, const struct deed_attempt_row *row)
{
    const struct showing *showing = context;
    struct deed_attempt_row without = *row;
    without.bytes = (struct deed_text){NULL, 0};
    without.bytes_here = false;
    return showing->visit(showing->context, &without);
}

static deed_rc each(void *self, int64_t intent_id, bool with_bytes, deed_attempt_visit visit,
    void *context, struct deed_error *err)
{
    struct showing showing = {visit, context};
    return real_each(self, intent_id, with_bytes, show, &showing, err);
}

static deed_rc run(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_op *op = context;
    deed_tx without = *tx;
    real_each = tx->attempt_each;
    without.attempt_each = each;
    return op->run(op->context, &without, err);
}

static struct deed_op around(struct deed_op *op)
{
    return (struct deed_op){.size = sizeof(struct deed_op), .run = run, .context = op};
}

static void take_over(struct deed_op *op, const struct deed_op *inner)
{
    op->rc = inner->rc;
    op->fate = inner->fate;
    op->error = inner->error;
}

static deed_rc read_without(void *self, struct deed_op *op, struct deed_error *err)
{
    struct deed_op inner = around(op);
    deed_rc rc = real->read(self, &inner, err);
    take_over(op, &inner);
    return rc;
}

static deed_rc write_without(void *self, struct deed_op *ops, size_t count, struct deed_error *err)
{
    assert_int_equal(count, 1);
    struct deed_op inner = around(&ops[0]);
    deed_rc rc = real->write(self, &inner, 1, err);
    take_over(&ops[0], &inner);
    return rc;
}

static void drop_bytes(struct scene *scene, int w)
{
    real = scene->faults[w].inner;
    face = *real;
    face.read = read_without;
    face.write = write_without;
    scene->faults[w].inner = &face;
}

/* ---- what is refused -------------------------------------------------------------------------------- */

static void test_bytes_gone__nothing_is_replayed(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_get(&scene);
    assert_false(scene.result.needs_person);
    drop_bytes(&scene, 0);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 0, DEED_BEGIN_REPLAY, &attempt), DEED_E_UNCERTAIN);
    assert_non_null(strstr(scene.err.text,
        "cannot be replayed: the bytes that were sent are not stored any more, and one key means "
        "one sequence of bytes"));
    assert_int_equal(scene_reconcile(&scene, 0), DEED_OK);
    assert_int_equal(scene.provider.sends, 1);
    scene_expect_uncertain(&scene);
    assert_true(scene.result.needs_person); /* and the listing says so */
    deed_settle_step step = DEED_SETTLE_NOTHING;
    assert_int_equal(
        deed_reconcile_plan(scene.workers[0], SCENE_KEY, true, &step, NULL, &scene.err), DEED_OK);
    assert_int_equal(step, DEED_SETTLE_PERSON);
    scene_end(&scene);
}

/* A retry encodes anew: the key is kept where that gives the same bytes, and is the next one where
 * it does not. */
static void test_bytes_gone__a_retry_goes_on(void **state)
{
    (void)state;
    for (int changed = 0; changed <= 1; changed++) {
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        scene.provider.next_verdict = DEED_VERDICT_NOT_APPLIED;
        assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
        char first[DEED_PROVIDER_KEY_BYTES];
        memcpy(first, scene.provider.last_provider_key, sizeof(first));
        drop_bytes(&scene, 0);
        scene.provider.bytes_suffix = changed == 1 ? "|other" : "";
        assert_int_equal(scene_run(&scene, 0, DEED_BEGIN_BY_NAME), DEED_OK);
        assert_int_equal(scene.provider.sends, 2);
        assert_int_equal(strcmp(first, scene.provider.last_provider_key) != 0, changed);
        scene_end(&scene);
    }
}

/* A request of no bytes at all is stored as that, and can be replayed. */
static void test_bytes_gone__no_bytes_are_bytes_too(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    for (int replay = 0; replay <= 1; replay++) {
        uint32_t flags = replay == 1 ? DEED_BEGIN_REPLAY : 0;
        struct deed_plan plan = {.size = sizeof(plan)};
        assert_int_equal(
            deed_plan(scene.workers[0], SCENE_KEY, NULL, flags, &plan, NULL, &scene.err), DEED_OK);
        struct deed_binding binding = {
            .size = sizeof(binding),
            .executor = "host",
            .executor_version = "1",
            .account_scope = "acct-1",
            .endpoint = "script://provider",
            .provider_key = plan.provider_key,
            .profile = &scene.profile,
        };
        struct deed_begin begin = {
            .size = sizeof(begin), .key = SCENE_KEY, .flags = flags, .binding = &binding};
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(deed_begin(scene.workers[0], &begin, &attempt, NULL, &scene.err), DEED_OK);
        scene_past_lease(&scene);
    }
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_gone__nothing_is_replayed),
        cmocka_unit_test(test_bytes_gone__a_retry_goes_on),
        cmocka_unit_test(test_bytes_gone__no_bytes_are_bytes_too),
    };
    return cmocka_run_group_tests_name("bytes_gone", tests, NULL, NULL);
}
