/* SPDX-License-Identifier: MIT
 *
 * A stage: memory, handles, provider, clock, and the places at which somebody else may go on.
 *
 * Method: every operation of a store is one step, since it holds the lock of the memory from its
 * beginning to its end; so it is enough to stop before each, and where the executor has just sent.
 * Deaths are asked for inside of transactions too.
 */
#include "schedule.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <deed/ext/error.h>
#include <deed/reference.h>
#include <deed/seam.h>

#define NAME "schedules"

void stage_break(struct stage *stage, const char *format, ...)
{
    if (stage->broken[0] != '\0') {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(stage->broken, sizeof(stage->broken), format, arguments);
    va_end(arguments);
}

const char *mark_text(unsigned mark)
{
    static const char *const texts[] = {
#define MARK_TEXT(ident, text) text,
        MARK_LIST(MARK_TEXT)
#undef MARK_TEXT
    };
    return texts[mark];
}

/* ---- places ------------------------------------------------------------------------------ */

struct hand *stage_present(struct stage *stage)
{
    return &stage->hands[deed_workers_present(stage->workers)];
}

static int64_t true_now(const struct stage *stage)
{
    const struct deed_clock *clock = deed_sim_clock_true(stage->clock);
    struct deed_instant now = {.wall_ms = 0};
    (void)clock->now(clock->self, &now);
    return now.wall_ms;
}

static void maybe_die(struct stage *stage, const char *site, bool in_transaction)
{
    struct hand *hand = stage_present(stage);
    /* A ghost on a disk goes on to send; a dead worker does not. */
    if (stage->deaths >= stage->deaths_most || (stage->disk != NULL && hand->between) ||
        deed_choose(stage->choices, DEED_PURPOSE_CRASH, site, 2) == 0) {
        return;
    }
    stage->deaths++;
    if (hand->in_call) {
        stage_mark(stage, MARK_DIED_IN_CALL);
    }
    if (in_transaction) {
        stage_mark(stage, MARK_DIED_IN_TRANSACTION);
    }
    if (hand->untold) {
        stage_mark(stage, MARK_DIED_UNTOLD);
    }
    hand->in_call = hand->between = hand->untold = false;
    hand->heard_attempt = 0;
    if (stage->disk != NULL) {
        hand->ghost = true;
        disk_kill(stage, hand->number);
        return;
    }
    deed_reference_crash(hand->store);
    deed_workers_die(stage->workers);
}

/* Between "you may send" and the first byte no time passes: whoever stands still there for longer than
 * a request may take to land has promised something else. */
bool stage_time_may_pass(const struct stage *stage)
{
    for (unsigned i = 1; i <= STAGE_WORKERS; i++) {
        if (stage->hands[i].between) {
            return false;
        }
    }
    return stage->speaking == 0;
}

void stage_mark_lapse(struct stage *stage)
{
    for (unsigned i = 1; i <= STAGE_WORKERS; i++) {
        if (stage->hands[i].in_call) {
            stage_mark(stage, MARK_LEASE_LAPSED_IN_CALL);
        }
    }
}

static void mark_move(struct stage *stage, deed_sim_move move)
{
    bool passes = move == DEED_SIM_MOVE_LEASE || move == DEED_SIM_MOVE_HORIZON ||
        move == DEED_SIM_MOVE_WINDOW;
    if (passes) {
        stage_mark_lapse(stage);
    }
    if (move == DEED_SIM_MOVE_REBOOT) {
        stage_mark(stage, MARK_REBOOTED);
    } else if (!passes && move != DEED_SIM_MOVE_NOTHING && move != DEED_SIM_MOVE_SECOND) {
        stage_mark(stage, MARK_CLOCK_SET);
    }
}

void stage_place(struct stage *stage, const char *site)
{
    uint64_t landed = 0;
    if (stage->quiet || deed_workers_present(stage->workers) == 0) {
        return;
    }
    struct hand *hand = stage_present(stage);
    if (hand->ghost) {
        return;
    }
    stage->steps++;
    maybe_die(stage, site, false);
    if (stage->speaking == 0) {
        if (stage->moves.most > 0 && stage_time_may_pass(stage)) {
            mark_move(stage, deed_sim_clock_move(stage->clock, stage->choices, &stage->moves));
        }
        if (deed_world_move(stage->world, stage->choices, true_now(stage), &landed, NULL) !=
            DEED_OK) {
            stage_break(stage, "the world does not go on");
        }
        if (landed > 0) {
            stage_mark(stage, MARK_LANDED_LATE);
        }
    }
    judge_effects(stage);
    deed_workers_pass(stage->workers, site);
    disk_enter(stage, hand->number);
}

static void at_seam(void *context, deed_seam seam)
{
    struct stage *stage = context;
    if (stage->quiet || deed_workers_present(stage->workers) == 0) {
        return;
    }
    struct hand *hand = stage_present(stage);
    if (hand->ghost) {
        return;
    }
    switch ((int)seam) {
    case DEED_SEAM_SEND_ALLOWED:
        hand->between = true;
        stage_place(stage, deed_seam_name(seam));
        hand->between = false;
        break;
    case DEED_SEAM_ATTEMPT_DURABLE: /* and may_send has not been asked yet */
    case DEED_SEAM_REPLAY_DURABLE:
    case DEED_SEAM_SEND_EFFECT:
        stage_place(stage, deed_seam_name(seam));
        break;
    case DEED_SEAM_RECORD_WRITTEN:
    case DEED_SEAM_ATTEMPT_WRITTEN:
    case DEED_SEAM_FINISH_WRITTEN:
    case DEED_SEAM_RECONCILE_WRITTEN:
    case DEED_SEAM_REPLAY_WRITTEN:
    case DEED_SEAM_PERSON_WRITTEN:
    case DEED_SEAM_EVIDENCE_WRITTEN:
        maybe_die(stage, deed_seam_name(seam), true);
        break;
    default:
        break;
    }
}

/* ---- the store in front of a worker ------------------------------------------------------ */

static deed_rc face_write(void *self, struct deed_op *ops, size_t count, struct deed_error *err)
{
    struct hand *hand = self;
    stage_place(hand->stage, "store.write");
    deed_rc rc = hand->store->write(hand->store->self, ops, count, err);
    if (rc == DEED_OK && !hand->ghost) {
        judge_commit(hand->stage);
    }
    return rc;
}

static deed_rc face_read(void *self, struct deed_op *op, struct deed_error *err)
{
    struct hand *hand = self;
    stage_place(hand->stage, "store.read");
    return hand->store->read(hand->store->self, op, err);
}

static deed_rc face_recover(void *self, struct deed_error *err)
{
    struct hand *hand = self;
    return hand->store->recover(hand->store->self, err);
}

static int64_t face_owner(void *self)
{
    struct hand *hand = self;
    return hand->store->owner(hand->store->self);
}

static bool face_owner_lives(void *self, int64_t owner)
{
    struct hand *hand = self;
    return hand->store->owner_lives(hand->store->self, owner);
}

static deed_rc face_schema(void *self, struct deed_schema *schema_out, struct deed_error *err)
{
    struct hand *hand = self;
    return hand->store->schema(hand->store->self, schema_out, err);
}

static deed_rc face_check(void *self, struct deed_error *err)
{
    struct hand *hand = self;
    return hand->store->check(hand->store->self, err);
}

static void face_identity(void *self, uint64_t *device_out, uint64_t *inode_out)
{
    struct hand *hand = self;
    hand->store->identity(hand->store->self, device_out, inode_out);
}

static bool face_read_only(void *self)
{
    struct hand *hand = self;
    return hand->store->read_only(hand->store->self);
}

static void face_close(void *self)
{
    (void)self; /* its memory is given back as a whole */
}

static void wear_face(struct hand *hand)
{
    hand->face = *hand->store;
    hand->face.self = hand;
    hand->face.write = face_write;
    hand->face.read = face_read;
    hand->face.recover = face_recover;
    hand->face.owner = face_owner;
    hand->face.owner_lives = face_owner_lives;
    hand->face.schema = face_schema;
    hand->face.check = face_check;
    hand->face.identity = face_identity;
    hand->face.read_only = face_read_only;
    hand->face.close = face_close;
}

/* ---- the executor ------------------------------------------------------------------------ */

static const deed_executor *mock_of(const struct stage *stage)
{
    return stage->mocks[stage->provider_class];
}

/* As the mock's, without JSON: this is called in each step. */
static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation, struct deed_error *err)
{
    (void)self;
    const struct deed_text *parts[] = {
        &request->payload->kind, &request->payload->target, &request->payload->body};
    bool written =
        preparation->write(preparation->sink, request->provider_key, strlen(request->provider_key));
    for (int i = 0; written && i < 3; i++) {
        written = preparation->write(preparation->sink, "\n", 1) &&
            preparation->write(preparation->sink, parts[i]->data, parts[i]->bytes);
    }
    if (!written) {
        return deed_error_set(err, DEED_E_NOMEM, NAME, "no room for the bytes of the request");
    }
    (void)strcpy(preparation->endpoint, "mock://provider");
    (void)strcpy(preparation->account_scope, "acct-1");
    return DEED_OK;
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer)
{
    struct stage *stage = self;
    struct hand *hand = stage_present(stage);
    if (hand->ghost) {
        return;
    }
    hand->in_call = true;
    hand->stored = false;
    mock_of(stage)->attempt(mock_of(stage)->self, call, answer);
    hand->in_call = false;
    hand->untold = answer->verdict != DEED_VERDICT_UNKNOWN;
    hand->untold = hand->untold && !hand->ghost;
    bool is_verdict = answer->verdict == DEED_VERDICT_APPLIED ||
        answer->verdict == DEED_VERDICT_REJECTED || answer->verdict == DEED_VERDICT_NOT_APPLIED;
    hand->heard_attempt = is_verdict ? call->attempt : 0;
    hand->heard = is_verdict ? answer->verdict : DEED_VERDICT_UNKNOWN;
}

static void lookup(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    struct stage *stage = self;
    if (stage_present(stage)->ghost) {
        return;
    }
    mock_of(stage)->lookup(mock_of(stage)->self, question, finding);
}

static void poll_handle(
    void *self, const struct deed_question *question, struct deed_finding *finding)
{
    struct stage *stage = self;
    if (stage_present(stage)->ghost) {
        return;
    }
    mock_of(stage)->poll(mock_of(stage)->self, question, finding);
}

static void cancel(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    struct stage *stage = self;
    if (stage_present(stage)->ghost) {
        return;
    }
    mock_of(stage)->cancel(mock_of(stage)->self, question, finding);
}

static void dress_executor(struct stage *stage)
{
    const deed_executor *mock = mock_of(stage);
    stage->executor = *mock;
    stage->executor.self = stage;
    stage->executor.prepare = prepare;
    stage->executor.attempt = attempt;
    stage->executor.lookup = mock->lookup != NULL ? lookup : NULL;
    stage->executor.poll = mock->poll != NULL ? poll_handle : NULL;
    stage->executor.cancel = mock->cancel != NULL ? cancel : NULL;
    stage->executor.destroy = NULL;
    bool keyed = stage->provider_class == DEED_CLASS_KEYED ||
        stage->provider_class == DEED_CLASS_KEYED_LOOKUP;
    bool looks = stage->provider_class == DEED_CLASS_LOOKUP ||
        stage->provider_class == DEED_CLASS_KEYED_LOOKUP;
    stage->profile = (struct deed_profile){.size = sizeof(stage->profile),
        .send_ms = STAGE_SEND_MS,
        .answer_ms = STAGE_ANSWER_MS,
        .landing_ms = STAGE_LANDING_MS,
        .window_ms = keyed ? STAGE_WINDOW_MS : 0,
        .stored_errors = keyed,
        .lag_ms = looks ? STAGE_LAG_MS : 0,
        .reach_ms = looks ? STAGE_REACH_MS : 0,
        .consistency = looks ? DEED_CONSISTENCY_STRONG : DEED_CONSISTENCY_UNKNOWN};
    if (stage->provider_class == DEED_CLASS_LOOKUP) {
        stage->profile.consistency = DEED_CONSISTENCY_EVENTUAL;
    }
}

/* ---- handles ----------------------------------------------------------------------------- */

static bool fill_random(void *self, void *buffer, size_t bytes)
{
    struct stage *stage = self;
    unsigned char *at = buffer;
    for (size_t i = 0; i < bytes; i++) {
        if (i % 8 == 0) { /* SplitMix64 */
            stage->random += UINT64_C(0x9e3779b97f4a7c15);
        }
        uint64_t mixed = stage->random ^ (stage->random >> 30);
        mixed *= UINT64_C(0xbf58476d1ce4e5b9);
        mixed ^= mixed >> 27;
        at[i] = (unsigned char)(mixed >> (8 * (i % 8)));
    }
    return true;
}

static bool open_ledger(
    struct stage *stage, struct deed_store *store, unsigned number, deed_ledger **ledger_out)
{
    const struct deed_options options = {.size = sizeof(options),
        .clock = deed_sim_clock_machine(stage->clock),
        .random = &stage->source,
        .memory = stage->disk == NULL ? deed_workers_memory(stage->workers, number) : NULL};
    const char *kind = deed_provider_class_name((deed_provider_class)stage->provider_class);
    struct deed_error err = {.text = ""};
    if (deed_ledger_open(store, &options, ledger_out, &err) != DEED_OK ||
        deed_ledger_register(*ledger_out, kind, &stage->executor, &stage->profile, &err) !=
            DEED_OK) {
        stage_break(stage, "a handle does not open: %s", err.text);
        return false;
    }
    return true;
}

static bool hand_open(struct stage *stage, unsigned number)
{
    struct hand *hand = &stage->hands[number];
    wear_face(hand);
    return open_ledger(stage, &hand->face, number, &hand->ledger);
}

static bool attach(struct stage *stage, unsigned number)
{
    struct hand *hand = &stage->hands[number];
    struct deed_error err = {.text = ""};
    if (stage->disk != NULL) {
        return disk_open(stage, number, &hand->store) && hand_open(stage, number);
    }
    if (deed_reference_attach(stage->hands[0].store, NULL, &hand->store, &err) != DEED_OK) {
        stage_break(stage, "no further handle: %s", err.text);
        return false;
    }
    return hand_open(stage, number);
}

static bool set_up(struct stage *stage)
{
    struct deed_error err = {.text = ""};
    const struct deed_reference_options memory = {
        .size = sizeof(memory), .memory = deed_workers_memory(stage->workers, 0)};
    struct deed_options options = {.size = sizeof(options),
        .clock = deed_sim_clock_machine(stage->clock),
        .random = &stage->source,
        .memory = memory.memory};
    for (int other = 0; other < 2; other++) {
        const struct deed_payload payload = stage_payload(stage, other == 1);
        if (deed_payload_digest(&payload, stage->digests[other], &err) != DEED_OK) {
            stage_break(stage, "no digest: %s", err.text);
            return false;
        }
    }
    stage->source = (struct deed_random){sizeof(stage->source), stage, fill_random};
    if (stage->disk != NULL) {
        struct deed_store *beside = NULL;
        return disk_begin(stage) && disk_open(stage, 0, &stage->hands[0].store) &&
            hand_open(stage, 0) && disk_open(stage, 0, &beside) &&
            open_ledger(stage, beside, 0, &stage->witness);
    }
    if (deed_reference_open(&memory, &stage->hands[0].store, &err) != DEED_OK ||
        deed_ledger_init(stage->hands[0].store, NAME, true, &options, &err) != DEED_OK) {
        stage_break(stage, "no ledger: %s", err.text);
        return false;
    }
    struct deed_store *aside = NULL;
    if (deed_reference_attach(stage->hands[0].store, NULL, &aside, &err) != DEED_OK) {
        stage_break(stage, "no further handle: %s", err.text);
        return false;
    }
    return hand_open(stage, 0) && open_ledger(stage, aside, 0, &stage->witness);
}

/* What came before is done by a process of its own, which is gone by now. */
static void play_before(struct stage *stage)
{
    struct hand *past = &stage->hands[1];
    if (stage->scenario->before[0] == ACT_NOTHING || !attach(stage, 1)) {
        return;
    }
    stage->quiet = true;
    past->acts = stage->scenario->before;
    hand_work(past);
    stage->quiet = false;
    if (stage->disk != NULL) {
        deed_ledger_close(past->ledger);
        past->store->close(past->store->self);
    } else {
        deed_reference_kill(past->store);
    }
    past->heard_attempt = 0;
    deed_sim_clock_advance(stage->clock, stage->scenario->later_ms);
}

static void reset(struct stage *stage)
{
    for (unsigned i = 0; i <= STAGE_WORKERS; i++) {
        stage->hands[i] = (struct hand){.stage = stage, .number = i};
    }
    stage->deaths = 0;
    stage->quiet = false;
    stage->looking = false;
    stage->speaking = 0;
    stage->broken[0] = '\0';
    stage->random = 42;
    stage->chain_length = 0;
    stage->effects = 0;
    deed_sim_clock_reset(stage->clock, STAGE_START_MS);
    if (deed_world_become(stage->world, stage->empty, NULL) != DEED_OK) {
        stage_break(stage, "no empty world");
    }
}

static void free_provider(struct stage *stage, deed_choices *choices)
{
    struct deed_mock_freedom *freedom = &stage->freedom[stage->provider_class];
    freedom->choices = choices;
    freedom->faults_done = 0;
    freedom->faults = stage->scenario->faults;
    freedom->faults_most = stage->mode->faults_most;
    stage->moves.done = 0;
    stage->moves.most = stage->mode->moves_most;
    stage->moves.moves = stage->scenario->moves;
    stage->deaths_most = stage->mode->deaths_most;
    if (choices == NULL || !stage->mode->mixed) {
        return;
    }
    /* One run meets all that can go wrong, another one only a part of it. */
    if (deed_choose(choices, DEED_PURPOSE_WORKLOAD, "stage.deaths", 2) == 0) {
        stage->deaths_most = 0;
    }
    if (deed_choose(choices, DEED_PURPOSE_WORKLOAD, "stage.faults", 2) == 0) {
        freedom->choices = NULL;
    }
    uint32_t moves = deed_choose(choices, DEED_PURPOSE_WORKLOAD, "stage.moves", 4);
    stage->moves.most = moves < 2 ? 0 : stage->moves.most;
    stage->moves.moves = moves == 3 ? 0 : stage->moves.moves; /* 0: any */
}

static bool play(struct stage *stage, const struct scenario *scenario, unsigned provider_class,
    const struct mode *mode, deed_choices *choices)
{
    unsigned count = 0;
    stage->scenario = scenario;
    stage->mode = mode;
    stage->provider_class = provider_class;
    stage->choices = choices;
    reset(stage);
    free_provider(stage, NULL);
    dress_executor(stage);
    deed_workers_begin(stage->workers, choices);
    if (!set_up(stage)) {
        return false;
    }
    while (count < STAGE_WORKERS && scenario->acts[count][0] != ACT_NOTHING) {
        count++;
        (void)deed_workers_add(stage->workers, hand_work, &stage->hands[count]);
    }
    play_before(stage);
    for (unsigned i = 1; i <= count; i++) {
        stage->hands[i] = (struct hand){.stage = stage, .number = i, .acts = scenario->acts[i - 1]};
        if (!attach(stage, i)) {
            return false;
        }
    }
    free_provider(stage, choices);
    if (mode->faults_most == UINT32_MAX) {
        stage->freedom[provider_class].choices = NULL;
    }
    if (!deed_workers_run(stage->workers)) {
        stage_break(stage, "IL2: the workers never end");
    }
    free_provider(stage, NULL);
    /* What is late is here now: before anybody sends again and hides it. */
    if (deed_world_land(stage->world, NULL, true_now(stage), NULL, NULL) != DEED_OK) {
        stage_break(stage, "the world does not go on");
    }
    if (stage->broken[0] == '\0') {
        judge_end(stage, false);
    }
    if (stage->broken[0] == '\0') {
        stage_settle(stage);
    }
    return stage->broken[0] == '\0';
}

bool stage_run(struct stage *stage, const struct scenario *scenario, unsigned provider_class,
    const struct mode *mode, deed_choices *choices)
{
    deed_seam_hook_set(at_seam, stage);
    if (stage->disk != NULL) {
        disk_end(stage); /* of the run before, which could be looked at until now */
    }
    return play(stage, scenario, provider_class, mode, choices);
}

/* ---- making one -------------------------------------------------------------------------- */

bool stage_new(struct stage *stage, const char *folder)
{
    static const char *const options[] = {"{\"class\":\"blind\"}",
        "{\"class\":\"lookup\",\"lookup\":{\"lag_ms\":1000,\"reach_ms\":100000,"
        "\"consistency\":\"eventual\"}}",
        "{\"class\":\"keyed\",\"window_ms\":60000,\"stored_errors\":true}",
        "{\"class\":\"keyed+lookup\",\"window_ms\":60000,\"stored_errors\":true,"
        "\"lookup\":{\"lag_ms\":1000,\"reach_ms\":100000}}",
        "{\"class\":\"closable\"}"};
    const struct deed_workers_options workers = {.size = sizeof(workers), .steps_most = 20000};
    memset(stage, 0, sizeof(*stage));
    stage->moves = (struct deed_sim_moves){.size = sizeof(stage->moves),
        .lease_ms = STAGE_LEASE_MS,
        .horizon_ms = STAGE_VISIBLE_MS,
        .window_ms = STAGE_WINDOW_MS};
    bool made = deed_workers_new(&workers, &stage->workers, NULL) == DEED_OK &&
        deed_sim_clock_new(STAGE_START_MS, &stage->clock, NULL) == DEED_OK &&
        deed_world_new(&stage->world, NULL) == DEED_OK &&
        deed_world_new(&stage->empty, NULL) == DEED_OK;
    for (unsigned i = 0; made && i < STAGE_CLASSES; i++) {
        stage->freedom[i] = (struct deed_mock_freedom){
            .size = sizeof(stage->freedom[i]), .late_ms = STAGE_LANDING_MS};
        made = deed_mock_executor_new_in(stage->world, options[i],
                   deed_sim_clock_true(stage->clock), &stage->mocks[i], NULL) == DEED_OK &&
            deed_mock_executor_freedom_set(stage->mocks[i], &stage->freedom[i], NULL) == DEED_OK;
    }
    return made && (folder == NULL || disk_new(stage, folder));
}

void stage_free(struct stage *stage)
{
    deed_seam_hook_set(NULL, NULL);
    if (stage->disk != NULL) {
        disk_end(stage);
        disk_free(stage);
    }
    for (unsigned i = 0; i < STAGE_CLASSES; i++) {
        deed_mock_executor_free(stage->mocks[i]);
    }
    deed_world_close(stage->empty);
    deed_world_close(stage->world);
    deed_sim_clock_free(stage->clock);
    deed_workers_free(stage->workers);
}
