/* SPDX-License-Identifier: MIT */
#include "support/scene.h"

#include <unistd.h>

#include <deed/ext/error.h>
#include <deed/mock/executor.h>

#include "support/scene_store.h"

#define WORLD "scene.world"

/* ---- the provider ----------------------------------------------------------------------------- */

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation, struct deed_error *err)
{
    struct scene *scene = self;
    (void)err;
    (void)snprintf(
        preparation->endpoint, sizeof(preparation->endpoint), "%s", scene->provider.endpoint);
    (void)snprintf(preparation->account_scope, sizeof(preparation->account_scope), "%s",
        scene->provider.account);
    const char *parts[] = {request->provider_key, "|", request->key, scene->provider.bytes_suffix};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (!preparation->write(preparation->sink, parts[i], strlen(parts[i]))) {
            return DEED_E_NOMEM;
        }
    }
    return DEED_OK;
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer)
{
    struct scene *scene = self;
    struct scene_provider *provider = &scene->provider;
    if (!provider->skip_may_send && !call->may_send(call->gate)) {
        provider->refused_sends++;
        return;
    }
    provider->sends++;
    (void)snprintf(
        provider->last_provider_key, sizeof(provider->last_provider_key), "%s", call->provider_key);
    memcpy(provider->last_bytes_digest, call->bytes_digest, DEED_DIGEST_BYTES);
    if (provider->attempt != NULL) {
        provider->attempt(scene, call, answer);
        return;
    }
    answer->verdict = provider->next_verdict;
    answer->stored_first = provider->stored_first;
    answer->pending = provider->pending;
    answer->key_signal = provider->key_signal;
    if (provider->pending) {
        (void)snprintf(answer->handle, sizeof(answer->handle), "handle-1");
    }
    if (answer->verdict == DEED_VERDICT_APPLIED && provider->reference != NULL) {
        (void)snprintf(answer->reference, sizeof(answer->reference), "%s", provider->reference);
    }
}

static void find(struct scene *scene, struct deed_finding *finding)
{
    finding->kind = scene->provider.next_finding;
    finding->complete = true;
    finding->marker_matches = true;
    finding->digest_matches = true;
    finding->count = finding->kind == DEED_FOUND_PRESENT ? 1 : 0;
    if (finding->kind == DEED_FOUND_PRESENT && scene->provider.reference != NULL) {
        (void)snprintf(
            finding->reference, sizeof(finding->reference), "%s", scene->provider.reference);
    }
}

static void lookup(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    struct scene *scene = self;
    scene->provider.looks++;
    if (scene->provider.lookup != NULL) {
        scene->provider.lookup(scene, question, finding);
        return;
    }
    find(scene, finding);
}

static void poll_handle(
    void *self, const struct deed_question *question, struct deed_finding *finding)
{
    struct scene *scene = self;
    if (scene->provider.poll != NULL) {
        scene->provider.poll(scene, question, finding);
        return;
    }
    find(scene, finding);
}

static void cancel(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    struct scene *scene = self;
    if (scene->provider.cancel != NULL) {
        scene->provider.cancel(scene, question, finding);
        return;
    }
    find(scene, finding);
}

/* ---- a store that fails -------------------------------------------------------------------------- */

static deed_rc suspect(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_STORE, "store.fault", "not recovered since a commit failed");
}

/* Runs the operation and leaves nothing of it behind. */
struct lost {
    struct deed_op *op;
};

static deed_rc run_and_lose(void *context, deed_tx *tx, struct deed_error *err)
{
    struct lost *lost = context;
    lost->op->rc = lost->op->run(lost->op->context, tx, &lost->op->error);
    return lost->op->rc == DEED_OK ? deed_error_set(err, DEED_E_STORE, "store.fault", "lost")
                                   : lost->op->rc;
}

static void lose(struct scene_fault *fault, struct deed_op *op)
{
    struct lost lost = {op};
    struct deed_op inner = {.size = sizeof(inner), .run = run_and_lose, .context = &lost};
    struct deed_error ignored;
    (void)fault->inner->write(fault->inner->self, &inner, 1, &ignored);
}

static deed_rc fail_write(struct scene_fault *fault, struct deed_op *ops, size_t count)
{
    fault->commits--;
    fault->suspect = true;
    struct deed_error ignored;
    if (fault->kept) {
        (void)fault->inner->write(fault->inner->self, ops, count, &ignored);
    }
    for (size_t i = 0; i < count; i++) {
        if (!fault->kept) {
            lose(fault, &ops[i]);
        }
        if (ops[i].rc == DEED_OK) { /* what was refused is refused */
            ops[i].rc = deed_error_set(
                &ops[i].error, DEED_E_STORE, "store.fault", "the disk did not answer");
            ops[i].fate = DEED_FATE_UNKNOWN;
        }
    }
    return DEED_OK;
}

static deed_rc fault_write(void *self, struct deed_op *ops, size_t count, struct deed_error *err)
{
    struct scene_fault *fault = self;
    if (fault->suspect) {
        for (size_t i = 0; i < count; i++) {
            ops[i].rc = suspect(&ops[i].error);
            ops[i].fate = DEED_FATE_NONE;
        }
        return suspect(err);
    }
    if (fault->at_write != NULL) {
        void (*at_write)(struct scene *) = fault->at_write;
        fault->at_write = NULL;
        at_write(fault->scene);
    }
    return fault->commits > 0 ? fail_write(fault, ops, count)
                              : fault->inner->write(fault->inner->self, ops, count, err);
}

static deed_rc fault_read(void *self, struct deed_op *op, struct deed_error *err)
{
    struct scene_fault *fault = self;
    return fault->suspect ? suspect(err) : fault->inner->read(fault->inner->self, op, err);
}

static deed_rc fault_recover(void *self, struct deed_error *err)
{
    struct scene_fault *fault = self;
    if (fault->at_recovery != NULL) {
        void (*at_recovery)(struct scene *) = fault->at_recovery;
        fault->at_recovery = NULL;
        at_recovery(fault->scene);
    }
    if (fault->recoveries > 0) {
        fault->recoveries--;
        fault->suspect = true;
        return suspect(err);
    }
    fault->suspect = false;
    return fault->inner->recover(fault->inner->self, err);
}

static int64_t fault_owner(void *self)
{
    struct scene_fault *fault = self;
    return fault->inner->owner(fault->inner->self);
}

static bool fault_owner_lives(void *self, int64_t owner)
{
    struct scene_fault *fault = self;
    for (int w = 0; w < SCENE_WORKERS; w++) {
        const struct scene_fault *other = &fault->scene->faults[w];
        if (other->owner_dead && other->inner->owner(other->inner->self) == owner) {
            return false;
        }
    }
    return fault->inner->owner_lives(fault->inner->self, owner);
}

static deed_rc fault_schema(void *self, struct deed_schema *schema_out, struct deed_error *err)
{
    struct scene_fault *fault = self;
    return fault->inner->schema(fault->inner->self, schema_out, err);
}

static deed_rc fault_check(void *self, struct deed_error *err)
{
    struct scene_fault *fault = self;
    return fault->inner->check(fault->inner->self, err);
}

static void fault_identity(void *self, uint64_t *device_out, uint64_t *inode_out)
{
    struct scene_fault *fault = self;
    fault->inner->identity(fault->inner->self, device_out, inode_out);
}

static bool fault_read_only(void *self)
{
    struct scene_fault *fault = self;
    return fault->inner->read_only(fault->inner->self);
}

static void fault_close(void *self)
{
    struct scene_fault *fault = self;
    fault->inner->close(fault->inner->self);
    fault->inner = NULL;
}

static struct deed_store *stand_before(struct scene *scene, int w, struct deed_store *inner)
{
    struct scene_fault *fault = &scene->faults[w];
    memset(fault, 0, sizeof(*fault));
    fault->scene = scene;
    fault->inner = inner;
    fault->face = (struct deed_store){
        .size = sizeof(fault->face),
        .name = inner->name,
        .location = inner->location,
        .self = fault,
        .write = fault_write,
        .read = fault_read,
        .recover = fault_recover,
        .owner = fault_owner,
        .owner_lives = fault_owner_lives,
        .schema = fault_schema,
        .migrate = inner->migrate, /* of another self: no ledger calls it */
        .check = fault_check,
        .identity = fault_identity,
        .read_only = fault_read_only,
        .close = fault_close,
    };
    return &fault->face;
}

void scene_fail_commit(struct scene *scene, int w, bool kept)
{
    scene->faults[w].commits = 1;
    scene->faults[w].kept = kept;
}

/* ---- setting the scene -------------------------------------------------------------------------- */

static bool asks(enum scene_class class)
{
    return class == SCENE_LOOKUP || class == SCENE_KEYED_LOOKUP || class == SCENE_CLOSABLE;
}

static bool keyed(enum scene_class class)
{
    return class == SCENE_KEYED || class == SCENE_KEYED_LOOKUP;
}

static deed_executor executor_of(struct scene *scene, enum scene_class class)
{
    deed_executor executor = {
        .size = sizeof(executor),
        .name = "script",
        .version = "1",
        .flags = DEED_EXECUTOR_MOCK,
        .self = scene,
        .prepare = prepare,
        .attempt = attempt,
        .lookup = asks(class) ? lookup : NULL,
        .poll = asks(class) ? poll_handle : NULL,
        .cancel = class == SCENE_CLOSABLE ? cancel : NULL,
    };
    return executor;
}

static struct deed_options options_of(struct scene *scene)
{
    struct deed_options options = {
        .size = sizeof(options),
        .clock = deed_sim_clock_machine(scene->clock),
        .random = deed_sim_random_source(scene->random),
        .actor = scene->actor,
    };
    return options;
}

static struct deed_payload payload_of(void)
{
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
    return payload;
}

static deed_rc insert_bare(void *context, deed_tx *tx, struct deed_error *err)
{
    (void)context;
    struct deed_payload payload = payload_of();
    struct deed_intent_row row = {
        .size = sizeof(row),
        .key = SCENE_KEY,
        .payload = {.kind = payload.kind},
        .state = DEED_RECORDED,
        .recorded_ms = SCENE_START_MS,
    };
    deed_rc rc = deed_payload_digest(&payload, row.digest, err);
    return rc == DEED_OK ? tx->intent_insert(tx->self, &row, err) : rc;
}

static void write_row(struct scene *scene,
    deed_rc (*run)(void *context, deed_tx *tx, struct deed_error *err), void *context)
{
    struct deed_op op = {.size = sizeof(op), .run = run, .context = context};
    struct deed_store *store = scene->first_store;
    assert_int_equal(store->write(store->self, &op, 1, &scene->err), DEED_OK);
    if (op.rc != DEED_OK) {
        fail_msg("%s", op.error.text);
    }
}

static void prepare_scene(struct scene *scene, enum scene_class class, bool bare)
{
    memset(scene, 0, sizeof(*scene));
    scene->bare = bare;
    assert_int_equal(deed_sim_clock_new(SCENE_START_MS, &scene->clock, &scene->err), DEED_OK);
    assert_int_equal(deed_sim_random_new(7, &scene->random, &scene->err), DEED_OK);
    scene->store = scene_store_new(&scene->first_store);
    if (bare) {
        write_row(scene, insert_bare, NULL);
    }
    struct deed_options options = options_of(scene);
    assert_int_equal(
        deed_ledger_init(scene->first_store, "scene", true, &options, &scene->err), DEED_OK);
    scene->profile.size = sizeof(scene->profile);
    scene->profile.send_ms = SCENE_SEND_MS;
    scene->profile.answer_ms = SCENE_ANSWER_MS;
    scene->profile.landing_ms = SCENE_LANDING_MS;
    scene->profile.attempts_max = 100;
    if (asks(class)) {
        scene->profile.lag_ms = SCENE_LAG_MS;
        scene->profile.reach_ms = SCENE_REACH_MS;
        scene->profile.consistency = DEED_CONSISTENCY_STRONG;
    }
    if (keyed(class)) {
        scene->profile.window_ms = SCENE_WINDOW_MS;
    }
    scene->provider.account = "acct-1";
    scene->provider.endpoint = "script://provider";
    scene->provider.bytes_suffix = "";
    for (int w = 0; w < SCENE_WORKERS; w++) {
        scene->executors[w] = executor_of(scene, class);
    }
}

void scene_prepare(struct scene *scene, enum scene_class class)
{
    prepare_scene(scene, class, false);
}

void scene_prepare_bare(struct scene *scene, enum scene_class class)
{
    prepare_scene(scene, class, true);
}

static void enter_world(struct scene *scene, int w)
{
    deed_executor *mock = NULL;
    deed_rc rc = deed_mock_executor_new_in(scene->world, scene->world_options[w],
        deed_sim_clock_true(scene->clock), &mock, &scene->err);
    if (rc != DEED_OK) {
        fail_msg("%s", scene->err.text);
    }
    scene->executors[w] = *mock; /* freed by the ledger, through its member destroy */
}

static void open_worker(struct scene *scene, int w, struct deed_store *store)
{
    struct deed_options options = options_of(scene);
    struct deed_store *face = stand_before(scene, w, store);
    assert_int_equal(deed_ledger_open(face, &options, &scene->workers[w], &scene->err), DEED_OK);
    if (scene->world != NULL) {
        enter_world(scene, w);
    }
    assert_int_equal(deed_ledger_register(scene->workers[w], "payment", &scene->executors[w],
                         &scene->profile, &scene->err),
        DEED_OK);
}

void scene_open(struct scene *scene)
{
    for (int w = 0; w < SCENE_WORKERS; w++) {
        open_worker(scene, w, scene_store_attach(scene->store));
    }
    if (!scene->bare) {
        scene_record(scene, SCENE_KEY);
    }
}

void scene_new(struct scene *scene, enum scene_class class)
{
    scene_prepare(scene, class);
    scene_open(scene);
}

void scene_end(struct scene *scene)
{
    for (int w = SCENE_WORKERS - 1; w >= 0; w--) {
        deed_ledger_close(scene->workers[w]);
    }
    deed_seam_hook_set(NULL, NULL);
    scene->first_store->close(scene->first_store->self);
    scene_store_end(scene->store);
    deed_world_close(scene->world);
    deed_sim_clock_free(scene->clock);
    deed_sim_random_free(scene->random);
}

void scene_restart(struct scene *scene, int w)
{
    deed_ledger_close(scene->workers[w]);
    open_worker(scene, w, scene_store_attach(scene->store));
}

void scene_owner_dies(struct scene *scene, int w)
{
    scene->faults[w].owner_dead = true;
}

void scene_reboot(struct scene *scene, int64_t off_ms)
{
    deed_sim_clock_reboot(scene->clock, off_ms);
    for (int w = 0; w < SCENE_WORKERS; w++) {
        scene_restart(scene, w);
    }
}

/* ---- the world -------------------------------------------------------------------------------------- */

void scene_in_world(struct scene *scene, const char *options)
{
    (void)unlink(WORLD);
    assert_int_equal(deed_world_open(WORLD, &scene->world, &scene->err), DEED_OK);
    for (int w = 0; w < SCENE_WORKERS; w++) {
        scene->world_options[w] = options;
    }
}

uint64_t scene_effects(struct scene *scene)
{
    return deed_world_effects(scene->world, SCENE_KEY);
}

uint64_t scene_world_sends(struct scene *scene)
{
    return deed_world_sends(scene->world, SCENE_KEY);
}

/* ---- seams -------------------------------------------------------------------------------------------- */

static void cross(void *context, deed_seam seam)
{
    struct scene *scene = context;
    if (seam == scene->seam && scene->at_seam != NULL) {
        void (*at_seam)(struct scene *) = scene->at_seam;
        scene->at_seam = NULL;
        at_seam(scene);
    }
}

void scene_at(struct scene *scene, deed_seam seam, void (*at_seam)(struct scene *scene))
{
    scene->seam = seam;
    scene->at_seam = at_seam;
    deed_seam_hook_set(cross, scene);
}

/* ---- steps ----------------------------------------------------------------------------------------- */

void scene_record(struct scene *scene, const char *key)
{
    struct deed_payload payload = payload_of();
    struct deed_record record = {.size = sizeof(record),
        .key = key,
        .payload = &payload,
        .not_after_ms = scene->not_after_ms};
    scene->result.size = sizeof(scene->result);
    assert_int_equal(deed_record(scene->workers[0], &record, &scene->result, &scene->err), DEED_OK);
}

deed_rc scene_begin(struct scene *scene, int w, uint32_t flags, struct deed_attempt *attempt_out)
{
    struct deed_plan plan = {.size = sizeof(plan)};
    scene->result.size = sizeof(scene->result);
    deed_rc rc =
        deed_plan(scene->workers[w], SCENE_KEY, NULL, flags, &plan, &scene->result, &scene->err);
    if (rc != DEED_OK) {
        return rc;
    }
    char bytes[256];
    int length = snprintf(bytes, sizeof(bytes), "%s|%s%s", plan.provider_key, SCENE_KEY,
        scene->provider.bytes_suffix);
    const deed_executor *executor = &scene->executors[w];
    struct deed_binding binding = {
        .size = sizeof(binding),
        .executor = executor->name,
        .executor_version = executor->version,
        .account_scope = scene->provider.account,
        .endpoint = scene->provider.endpoint,
        .provider_key = plan.provider_key,
        .bytes = (const uint8_t *)bytes,
        .bytes_count = (size_t)length,
        .profile = &scene->profile,
        .can_lookup = executor->lookup != NULL,
        .can_poll = executor->poll != NULL,
        .can_cancel = executor->cancel != NULL,
    };
    struct deed_begin begin = {
        .size = sizeof(begin), .key = SCENE_KEY, .flags = flags, .binding = &binding};
    attempt_out->size = sizeof(*attempt_out);
    return deed_begin(scene->workers[w], &begin, attempt_out, &scene->result, &scene->err);
}

deed_rc scene_finish_token(
    struct scene *scene, int w, const uint8_t token[DEED_TOKEN_BYTES], deed_verdict verdict)
{
    struct deed_answer answer = {.size = sizeof(answer), .verdict = verdict};
    answer.stored_first = scene->provider.stored_first;
    answer.pending = scene->provider.pending;
    answer.key_signal = scene->provider.key_signal;
    scene->result.size = sizeof(scene->result);
    return deed_finish(scene->workers[w], SCENE_KEY, token, &answer, &scene->result, &scene->err);
}

deed_rc scene_answer(struct scene *scene, int w, const uint8_t token[DEED_TOKEN_BYTES],
    const struct deed_answer *answer)
{
    scene->result.size = sizeof(scene->result);
    return deed_finish(scene->workers[w], SCENE_KEY, token, answer, &scene->result, &scene->err);
}

deed_rc scene_finish(
    struct scene *scene, int w, const struct deed_attempt *attempt_made, deed_verdict verdict)
{
    return scene_finish_token(scene, w, attempt_made->token, verdict);
}

deed_rc scene_run(struct scene *scene, int w, uint32_t flags)
{
    scene->result.size = sizeof(scene->result);
    return deed_run(scene->workers[w], SCENE_KEY, flags, &scene->result, &scene->err);
}

deed_rc scene_reconcile(struct scene *scene, int w)
{
    scene->result.size = sizeof(scene->result);
    return deed_reconcile(scene->workers[w], SCENE_KEY, &scene->result, &scene->err);
}

deed_rc scene_pass(struct scene *scene, int w, struct deed_pass *pass)
{
    return deed_reconcile_pass(scene->workers[w], NULL, NULL, pass, &scene->err);
}

static struct deed_decision decision_of(void)
{
    struct deed_decision decision = {
        .size = sizeof(decision), .key = SCENE_KEY, .by = "ada", .reason = "seen at the provider"};
    return decision;
}

deed_rc scene_resolve(struct scene *scene, int w, deed_outcome outcome)
{
    struct deed_decision decision = decision_of();
    decision.outcome = outcome;
    scene->result.size = sizeof(scene->result);
    return deed_resolve(scene->workers[w], &decision, &scene->result, &scene->err);
}

deed_rc scene_retract(struct scene *scene, int w)
{
    struct deed_decision decision = decision_of();
    scene->result.size = sizeof(scene->result);
    return deed_retract(scene->workers[w], &decision, &scene->result, &scene->err);
}

deed_rc scene_hold(struct scene *scene, int w)
{
    struct deed_decision decision = decision_of();
    scene->result.size = sizeof(scene->result);
    return deed_hold(scene->workers[w], &decision, &scene->result, &scene->err);
}

deed_rc scene_release(struct scene *scene, int w)
{
    struct deed_decision decision = decision_of();
    scene->result.size = sizeof(scene->result);
    return deed_release(scene->workers[w], &decision, &scene->result, &scene->err);
}

static deed_rc put_fence(void *context, deed_tx *tx, struct deed_error *err)
{
    const bool *raised = context;
    struct deed_ledger_row ledger;
    struct deed_intent_row intent;
    deed_rc rc = tx->ledger_get(tx->self, &ledger, err);
    if (rc == DEED_OK) {
        ledger.fenced = *raised;
        ledger.epoch += *raised ? 1 : 0;
        ledger.restored_ms = SCENE_START_MS;
        rc = tx->ledger_put(tx->self, &ledger, err);
    }
    if (rc == DEED_OK) {
        rc = tx->intent_get(tx->self, SCENE_KEY, false, &intent, err);
    }
    if (rc == DEED_OK) {
        intent.fence_raised = intent.fence_raised || *raised;
        rc = tx->intent_update(tx->self, &intent, err);
    }
    return rc;
}

void scene_fence(struct scene *scene, bool raised)
{
    write_row(scene, put_fence, &raised);
}

void scene_get(struct scene *scene)
{
    scene->result.size = sizeof(scene->result);
    assert_int_equal(deed_get(scene->workers[0], SCENE_KEY, &scene->result, &scene->err), DEED_OK);
}

/* ---- time --------------------------------------------------------------------------------------------- */

void scene_advance(struct scene *scene, int64_t passed_ms)
{
    deed_sim_clock_advance(scene->clock, passed_ms);
}

void scene_jump(struct scene *scene, int64_t jump_ms)
{
    deed_sim_clock_jump(scene->clock, jump_ms);
}

void scene_suspend(struct scene *scene, int64_t passed_ms)
{
    deed_sim_clock_suspend(scene->clock, passed_ms, true);
}

void scene_past_lease(struct scene *scene)
{
    scene_advance(scene, SCENE_SEND_MS + SCENE_ANSWER_MS);
}

void scene_past_visible(struct scene *scene)
{
    scene_advance(scene, SCENE_VISIBLE_MS);
}

/* ---- expectations --------------------------------------------------------------------------------------- */

void scene_expect(struct scene *scene, deed_state state, deed_outcome outcome)
{
    scene_get(scene);
    assert_string_equal(deed_state_name(scene->result.state), deed_state_name(state));
    assert_string_equal(deed_outcome_name(scene->result.outcome), deed_outcome_name(outcome));
}

void scene_expect_uncertain(struct scene *scene)
{
    scene_expect(scene, DEED_ATTEMPTED, DEED_OUTCOME_NONE);
    assert_true(scene->result.uncertain);
}

void scene_expect_disputed(struct scene *scene, bool disputed)
{
    scene_get(scene);
    assert_int_equal(scene->result.disputed, disputed);
}

struct event_count {
    deed_event event;
    unsigned count;
};

static deed_rc count_event(void *context, const struct deed_event_row *row)
{
    struct event_count *count = context;
    count->count += count->event == DEED_EVENT_NONE || row->event == count->event ? 1 : 0;
    return DEED_OK;
}

unsigned scene_events(struct scene *scene, deed_event event)
{
    struct event_count count = {event, 0};
    assert_int_equal(
        deed_intent_events(scene->workers[0], SCENE_KEY, count_event, &count, &scene->err),
        DEED_OK);
    return count.count;
}

unsigned scene_chain(struct scene *scene)
{
    return scene_events(scene, DEED_EVENT_NONE);
}

static void print_broken(void *context, const char *key, const char *text)
{
    (void)context;
    print_error("%s: %s\n", key, text);
}

void scene_check(struct scene *scene)
{
    struct deed_check check = {.size = sizeof(check)};
    assert_int_equal(
        deed_ledger_check(scene->workers[0], print_broken, NULL, &check, &scene->err), DEED_OK);
}
