/* SPDX-License-Identifier: MIT */
#include "support/situation.h"

#define FAR_MS 40000 /* later than any not-after here */

static const uint8_t stranger[DEED_TOKEN_BYTES] = {0xEE};

#define MUST(call) assert_int_equal(call, DEED_OK)

/* ---- steps ---------------------------------------------------------------------------------- */

static void begin(struct scene *scene, struct situation_attempts *attempts, uint32_t flags)
{
    attempts->newest.size = sizeof(attempts->newest);
    MUST(scene_begin(scene, 0, flags, &attempts->newest));
}

static void finish(struct scene *scene, struct situation_attempts *attempts, deed_verdict verdict)
{
    MUST(scene_finish(scene, 0, &attempts->newest, verdict));
}

/* Attempt 1 is lost, a person says not_applied, and attempt 2 begins by name. */
static void second(struct scene *scene, struct situation_attempts *attempts)
{
    begin(scene, attempts, 0);
    attempts->old = attempts->newest;
    scene_past_visible(scene);
    MUST(scene_resolve(scene, 0, DEED_NOT_APPLIED));
    begin(scene, attempts, DEED_BEGIN_BY_NAME);
}

static void open_second(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    scene_new(scene, class);
    second(scene, attempts);
}

static void answered(struct scene *scene, enum scene_class class,
    struct situation_attempts *attempts, deed_verdict verdict)
{
    open_second(scene, class, attempts);
    finish(scene, attempts, verdict);
}

/* ---- recorded ------------------------------------------------------------------------------- */

static void ready(struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    (void)attempts;
    scene_new(scene, class);
}

static void recorded_bare(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    (void)attempts;
    scene_prepare_bare(scene, class);
    scene_open(scene);
}

static void recorded_held(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    ready(scene, class, attempts);
    MUST(scene_hold(scene, 0));
}

static void recorded_until(struct scene *scene, enum scene_class class)
{
    scene_prepare(scene, class);
    scene->not_after_ms = SCENE_START_MS + FAR_MS - 1;
    scene_open(scene);
}

static void recorded_overdue(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    (void)attempts;
    recorded_until(scene, class);
    scene_advance(scene, FAR_MS);
}

static void recorded_fenced(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    ready(scene, class, attempts);
    scene_fence(scene, true);
}

/* ---- attempted ------------------------------------------------------------------------------ */

static void unknown(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    answered(scene, class, attempts, DEED_VERDICT_UNKNOWN);
}

static void lease_over(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    open_second(scene, class, attempts);
    scene_past_lease(scene);
}

static void owner_gone(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    open_second(scene, class, attempts);
    scene_owner_dies(scene, 0);
}

static void pending(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    open_second(scene, class, attempts);
    scene->provider.pending = true;
    finish(scene, attempts, DEED_VERDICT_UNKNOWN);
    scene->provider.pending = false;
}

static void uncertain_held(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    unknown(scene, class, attempts);
    MUST(scene_hold(scene, 0));
}

/* ---- confirmed ------------------------------------------------------------------------------ */

static void confirmed_applied(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    answered(scene, class, attempts, DEED_VERDICT_APPLIED);
}

/* Attempt 2 went to another account, where the key of attempt 1 is no fence. */
static void confirmed_disputed(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    scene_new(scene, class);
    begin(scene, attempts, 0);
    attempts->old = attempts->newest;
    scene_past_visible(scene);
    MUST(scene_resolve(scene, 0, DEED_NOT_APPLIED));
    scene->provider.account = "acct-2";
    begin(scene, attempts, DEED_BEGIN_BY_NAME);
    finish(scene, attempts, DEED_VERDICT_APPLIED);
    MUST(scene_finish(scene, 0, &attempts->old, DEED_VERDICT_APPLIED));
}

static void confirmed_rejected(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    answered(scene, class, attempts, DEED_VERDICT_REJECTED);
}

static void confirmed_pausing(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    answered(scene, class, attempts, DEED_VERDICT_NOT_APPLIED);
}

static void confirmed_ready(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    confirmed_pausing(scene, class, attempts);
    scene_advance(scene, 5000);
}

static void confirmed_held(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    confirmed_ready(scene, class, attempts);
    MUST(scene_hold(scene, 0));
}

static void confirmed_overdue(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    recorded_until(scene, class);
    second(scene, attempts);
    finish(scene, attempts, DEED_VERDICT_NOT_APPLIED);
    scene_advance(scene, FAR_MS);
}

static void confirmed_fenced(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    confirmed_ready(scene, class, attempts);
    scene_fence(scene, true);
}

static void confirmed_exhausted(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    scene_prepare(scene, class);
    scene->profile.attempts_max = 2;
    scene_open(scene);
    second(scene, attempts);
    finish(scene, attempts, DEED_VERDICT_NOT_APPLIED);
}

static void confirmed_retracted(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    confirmed_ready(scene, class, attempts);
    MUST(scene_retract(scene, 0));
}

static void retracted_untried(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    ready(scene, class, attempts);
    MUST(scene_retract(scene, 0));
}

/* ---- reconciled ------------------------------------------------------------------------------ */

/* By a contradiction of its own: the one way that every class has. */
static void reconciled_applied(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    confirmed_pausing(scene, class, attempts);
    finish(scene, attempts, DEED_VERDICT_APPLIED);
}

static void reconciled_by_person(struct scene *scene, enum scene_class class,
    struct situation_attempts *attempts, deed_outcome outcome)
{
    unknown(scene, class, attempts);
    scene_past_visible(scene);
    MUST(scene_resolve(scene, 0, outcome));
}

static void person_applied(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    reconciled_by_person(scene, class, attempts, DEED_APPLIED);
}

static void person_rejected(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    reconciled_by_person(scene, class, attempts, DEED_REJECTED);
}

static void person_not_applied(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    reconciled_by_person(scene, class, attempts, DEED_NOT_APPLIED);
}

/* A person had said otherwise. */
static void reconciled_disputed(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    person_not_applied(scene, class, attempts);
    finish(scene, attempts, DEED_VERDICT_APPLIED);
}

static void looked_at(struct scene *scene, deed_finding_kind kind)
{
    scene_past_visible(scene);
    scene->provider.next_finding = kind;
    MUST(scene_reconcile(scene, 0));
    scene->provider.next_finding = DEED_FOUND_NOTHING;
}

static void look_rejected(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    unknown(scene, class, attempts);
    looked_at(scene, DEED_FOUND_REJECTED);
}

/* Two attempts were in doubt, and each was answered by itself. */
static void both_answered(
    struct scene *scene, struct situation_attempts *attempts, deed_verdict verdict)
{
    struct deed_attempt first = attempts->newest;
    begin(scene, attempts, DEED_BEGIN_REPLAY);
    MUST(scene_finish(scene, 0, &first, verdict));
    finish(scene, attempts, DEED_VERDICT_NOT_APPLIED);
}

static void replay_rejected(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    unknown(scene, class, attempts);
    both_answered(scene, attempts, DEED_VERDICT_REJECTED);
}

static void absent_prepared(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts, uint32_t max)
{
    scene_prepare(scene, class);
    scene->profile.prefers_wait = true;
    scene->profile.attempts_max = max;
    scene_open(scene);
    second(scene, attempts);
    finish(scene, attempts, DEED_VERDICT_UNKNOWN);
    if (class == SCENE_KEYED) {
        both_answered(scene, attempts, DEED_VERDICT_NOT_APPLIED);
    } else {
        looked_at(scene, DEED_FOUND_ABSENT);
    }
}

static void absent_pausing(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    absent_prepared(scene, class, attempts, 100);
}

static void absent_ready(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    absent_pausing(scene, class, attempts);
    scene_advance(scene, 5000);
}

static void absent_exhausted(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    absent_prepared(scene, class, attempts, 3);
    if (class != SCENE_KEYED) { /* two attempts so far */
        begin(scene, attempts, DEED_BEGIN_BY_NAME);
        finish(scene, attempts, DEED_VERDICT_UNKNOWN);
        looked_at(scene, DEED_FOUND_ABSENT);
    }
}

static void inferred_held(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    person_not_applied(scene, class, attempts);
    MUST(scene_hold(scene, 0));
}

static void inferred_overdue(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    recorded_until(scene, class);
    second(scene, attempts);
    finish(scene, attempts, DEED_VERDICT_UNKNOWN);
    scene_past_visible(scene);
    MUST(scene_resolve(scene, 0, DEED_NOT_APPLIED));
    scene_advance(scene, FAR_MS);
}

static void inferred_fenced(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    person_not_applied(scene, class, attempts);
    scene_fence(scene, true);
}

static void reconciled_retracted(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    person_not_applied(scene, class, attempts);
    MUST(scene_retract(scene, 0));
}

/* ---- settled without any attempt: by words of a time that was lost ------------------------------ */

static void stranger_applied(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    ready(scene, class, attempts);
    MUST(scene_finish_token(scene, 0, stranger, DEED_VERDICT_APPLIED));
}

static void stranger_by_person(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    recorded_fenced(scene, class, attempts);
    MUST(scene_resolve(scene, 0, DEED_APPLIED));
}

static void stranger_disputed(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    retracted_untried(scene, class, attempts);
    MUST(scene_finish_token(scene, 0, stranger, DEED_VERDICT_APPLIED));
}

static void stranger_rejected(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    stranger_disputed(scene, class, attempts);
    MUST(scene_resolve(scene, 0, DEED_REJECTED));
}

static void stranger_not_applied(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    stranger_disputed(scene, class, attempts);
    MUST(scene_resolve(scene, 0, DEED_NOT_APPLIED));
}

static void stranger_held(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    stranger_not_applied(scene, class, attempts);
    MUST(scene_hold(scene, 0));
}

static void stranger_overdue(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    (void)attempts;
    recorded_until(scene, class);
    MUST(scene_retract(scene, 0));
    MUST(scene_finish_token(scene, 0, stranger, DEED_VERDICT_APPLIED));
    MUST(scene_resolve(scene, 0, DEED_NOT_APPLIED));
    scene_advance(scene, FAR_MS);
}

static void stranger_fenced(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    stranger_not_applied(scene, class, attempts);
    scene_fence(scene, true);
}

static void stranger_retracted(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    stranger_not_applied(scene, class, attempts);
    MUST(scene_retract(scene, 0));
}

static void stranger_bare(
    struct scene *scene, enum scene_class class, struct situation_attempts *attempts)
{
    recorded_bare(scene, class, attempts);
    MUST(scene_retract(scene, 0));
    MUST(scene_finish_token(scene, 0, stranger, DEED_VERDICT_APPLIED));
    MUST(scene_resolve(scene, 0, DEED_NOT_APPLIED));
}

/* ---- the list ------------------------------------------------------------------------------------ */

static const struct situation situations[] = {
    {"recorded", SITUATION_ANY, ready},
    {"recorded, bare", SITUATION_NOBODY, recorded_bare},
    {"recorded, held", SITUATION_ANY, recorded_held},
    {"recorded, overdue", SITUATION_ANY, recorded_overdue},
    {"recorded, fenced", SITUATION_ANY, recorded_fenced},
    {"in flight", SITUATION_ANY, open_second},
    {"answered unknown", SITUATION_ANY, unknown},
    {"lease over", SITUATION_ANY, lease_over},
    {"owner gone", SITUATION_ANY, owner_gone},
    {"pending", SITUATION_ANY, pending},
    {"uncertain, held", SITUATION_ANY, uncertain_held},
    {"confirmed applied", SITUATION_ANY, confirmed_applied},
    {"confirmed applied, disputed", SITUATION_ANY, confirmed_disputed},
    {"confirmed rejected", SITUATION_ANY, confirmed_rejected},
    {"confirmed not_applied, pausing", SITUATION_ANY, confirmed_pausing},
    {"confirmed not_applied", SITUATION_ANY, confirmed_ready},
    {"confirmed not_applied, held", SITUATION_ANY, confirmed_held},
    {"confirmed not_applied, overdue", SITUATION_ANY, confirmed_overdue},
    {"confirmed not_applied, fenced", SITUATION_ANY, confirmed_fenced},
    {"confirmed not_applied, exhausted", SITUATION_ANY, confirmed_exhausted},
    {"confirmed retracted", SITUATION_ANY, confirmed_retracted},
    {"confirmed retracted, untried", SITUATION_NOBODY, retracted_untried},
    {"reconciled applied", SITUATION_ANY, reconciled_applied},
    {"reconciled applied by a person", SITUATION_ANY, person_applied},
    {"reconciled applied, disputed", SITUATION_ANY, reconciled_disputed},
    {"reconciled rejected by a person", SITUATION_ANY, person_rejected},
    {"reconciled rejected", SITUATION_ASKS, look_rejected},
    {"reconciled rejected by replay", SITUATION_KEYED, replay_rejected},
    {"reconciled not_applied by a person", SITUATION_ANY, person_not_applied},
    {"reconciled not_applied, pausing", SITUATION_ASKS | SITUATION_KEYED, absent_pausing},
    {"reconciled not_applied", SITUATION_ASKS | SITUATION_KEYED, absent_ready},
    {"reconciled not_applied, exhausted", SITUATION_ASKS | SITUATION_KEYED, absent_exhausted},
    {"reconciled not_applied, held", SITUATION_ANY, inferred_held},
    {"reconciled not_applied, overdue", SITUATION_ANY, inferred_overdue},
    {"reconciled not_applied, fenced", SITUATION_ANY, inferred_fenced},
    {"reconciled retracted", SITUATION_ANY, reconciled_retracted},
    {"a stranger's applied", SITUATION_NOBODY, stranger_applied},
    {"a person's applied behind the fence", SITUATION_NOBODY, stranger_by_person},
    {"a stranger's applied, disputed", SITUATION_NOBODY, stranger_disputed},
    {"a stranger's applied, rejected", SITUATION_NOBODY, stranger_rejected},
    {"a stranger's applied, not_applied", SITUATION_NOBODY, stranger_not_applied},
    {"a stranger's applied, not_applied, held", SITUATION_NOBODY, stranger_held},
    {"a stranger's applied, not_applied, overdue", SITUATION_NOBODY, stranger_overdue},
    {"a stranger's applied, not_applied, fenced", SITUATION_NOBODY, stranger_fenced},
    {"a stranger's applied, not_applied, bare", SITUATION_NOBODY, stranger_bare},
    {"a stranger's applied, retracted", SITUATION_NOBODY, stranger_retracted},
};

const struct situation *situation_at(size_t index)
{
    return index < sizeof(situations) / sizeof(situations[0]) ? &situations[index] : NULL;
}

const struct situation *situation_named(const char *name)
{
    for (size_t i = 0; situation_at(i) != NULL; i++) {
        if (strcmp(situations[i].name, name) == 0) {
            return &situations[i];
        }
    }
    return NULL;
}
