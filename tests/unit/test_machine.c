/* SPDX-License-Identifier: MIT
 *
 * What each call does from each situation. Method: the situation is arranged at a keyed provider
 * with a look-up, which can do the most; one call is made by another worker; then its code, where
 * the intent stands, how many events were chained and how many requests went out must be those of
 * the table, which was read line by line against the rules. A call that is refused writes nothing.
 */
#include "support/situation.h"

/* ---- the calls ---------------------------------------------------------------------------------- */

static const uint8_t stranger[DEED_TOKEN_BYTES] = {0xEE};

typedef deed_rc (*call_function)(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict);

static deed_rc record_as(struct scene *scene, const char *body)
{
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {body, 8}};
    struct deed_record record = {.size = sizeof(record), .key = SCENE_KEY, .payload = &payload};
    scene->result.size = sizeof(scene->result);
    return deed_record(scene->workers[1], &record, &scene->result, &scene->err);
}

static deed_rc record_same(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    (void)verdict;
    deed_rc rc = record_as(scene, "amount=1");
    assert_false(scene->result.created);
    return rc;
}

static deed_rc record_other(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    (void)verdict;
    return record_as(scene, "amount=2");
}

static deed_rc begin_with(struct scene *scene, uint32_t flags)
{
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    return scene_begin(scene, 1, flags, &attempt);
}

static deed_rc begin(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    (void)verdict;
    return begin_with(scene, 0);
}

static deed_rc begin_by_name(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    (void)verdict;
    return begin_with(scene, DEED_BEGIN_BY_NAME);
}

static deed_rc begin_replay(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    (void)verdict;
    return begin_with(scene, DEED_BEGIN_REPLAY);
}

static deed_rc run(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    (void)verdict;
    return scene_run(scene, 1, 0);
}

static deed_rc run_by_name(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    (void)verdict;
    return scene_run(scene, 1, DEED_BEGIN_BY_NAME);
}

static deed_rc reconcile(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    (void)verdict;
    return scene_reconcile(scene, 1);
}

static deed_rc newest(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    return scene_finish(scene, 1, &attempts->newest, verdict);
}

static deed_rc old(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    return scene_finish(scene, 1, &attempts->old, verdict);
}

static deed_rc strange(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    return scene_finish_token(scene, 1, stranger, verdict);
}

static deed_rc resolve(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    return scene_resolve(scene, 1, (deed_outcome)verdict);
}

static deed_rc retract(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    (void)verdict;
    return scene_retract(scene, 1);
}

static deed_rc hold(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    (void)verdict;
    return scene_hold(scene, 1);
}

static deed_rc release(
    struct scene *scene, const struct situation_attempts *attempts, deed_verdict verdict)
{
    (void)attempts;
    (void)verdict;
    return scene_release(scene, 1);
}

/* Words about an attempt, and decisions, end with the first letter of what they say. */
static const struct {
    const char *name;
    call_function function;
    deed_verdict verdict;
} calls[] = {
    {"record", record_same, 0},
    {"record-other", record_other, 0},
    {"begin", begin, 0},
    {"begin-by-name", begin_by_name, 0},
    {"begin-replay", begin_replay, 0},
    {"run", run, 0},
    {"run-by-name", run_by_name, 0},
    {"reconcile", reconcile, 0},
    {"newest-u", newest, DEED_VERDICT_UNKNOWN},
    {"newest-a", newest, DEED_VERDICT_APPLIED},
    {"newest-r", newest, DEED_VERDICT_REJECTED},
    {"newest-n", newest, DEED_VERDICT_NOT_APPLIED},
    {"old-u", old, DEED_VERDICT_UNKNOWN},
    {"old-a", old, DEED_VERDICT_APPLIED},
    {"old-r", old, DEED_VERDICT_REJECTED},
    {"old-n", old, DEED_VERDICT_NOT_APPLIED},
    {"strange-u", strange, DEED_VERDICT_UNKNOWN},
    {"strange-a", strange, DEED_VERDICT_APPLIED},
    {"strange-r", strange, DEED_VERDICT_REJECTED},
    {"strange-n", strange, DEED_VERDICT_NOT_APPLIED},
    {"resolve-a", resolve, DEED_VERDICT_APPLIED},
    {"resolve-r", resolve, DEED_VERDICT_REJECTED},
    {"resolve-n", resolve, DEED_VERDICT_NOT_APPLIED},
    {"retract", retract, 0},
    {"hold", hold, 0},
    {"release", release, 0},
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

/* ---- the table ------------------------------------------------------------------------------------ */

/* Places: R recorded, A attempted, C confirmed, E reconciled; - none, a applied, r rejected, n
 * not_applied, t retracted; then f in flight, u uncertain, d disputed, h held, o overdue, F fenced,
 * p needs a person. A row without a name belongs to the situation above it. */
static const struct row {
    const char *situation;
    deed_rc rc;
    const char *place;
    unsigned events;
    unsigned sends;
    const char *calls;
} table[] = {
    {"recorded", DEED_OK, "R-", 0, 0, "record reconcile release"},
    {NULL, DEED_E_CONFLICT, "R-", 0, 0, "record-other"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin begin-by-name"},
    {NULL, DEED_E_NO_STEP, "R-", 0, 0, "begin-replay resolve-a resolve-r resolve-n"},
    {NULL, DEED_OK, "A-u", 2, 1, "run run-by-name"},
    {NULL, DEED_OK, "R-", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "strange-a"},
    {NULL, DEED_OK, "Ct", 1, 0, "retract"},
    {NULL, DEED_OK, "R-hp", 1, 0, "hold"},
    {"recorded, bare", DEED_OK, "R-", 1, 0, "record"},
    {NULL, DEED_E_CONFLICT, "R-p", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "R-p", 0, 0, "begin begin-by-name run run-by-name"},
    {NULL, DEED_E_NO_STEP, "R-p", 0, 0, "begin-replay resolve-a resolve-r resolve-n"},
    {NULL, DEED_OK, "R-p", 0, 0, "reconcile release"},
    {NULL, DEED_OK, "R-p", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "strange-a"},
    {NULL, DEED_OK, "Ct", 1, 0, "retract"},
    {NULL, DEED_OK, "R-hp", 1, 0, "hold"},
    {"recorded, held", DEED_OK, "R-hp", 0, 0, "record reconcile hold"},
    {NULL, DEED_E_CONFLICT, "R-hp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "R-hp", 0, 0, "begin begin-by-name run run-by-name"},
    {NULL, DEED_E_NO_STEP, "R-hp", 0, 0, "begin-replay resolve-a resolve-r resolve-n"},
    {NULL, DEED_OK, "R-hp", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "strange-a"},
    {NULL, DEED_OK, "Ct", 1, 0, "retract"},
    {NULL, DEED_OK, "R-", 1, 0, "release"},
    {"recorded, overdue", DEED_OK, "R-op", 0, 0, "record reconcile release"},
    {NULL, DEED_E_CONFLICT, "R-op", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "R-op", 0, 0, "begin begin-by-name run run-by-name"},
    {NULL, DEED_E_NO_STEP, "R-op", 0, 0, "begin-replay resolve-a resolve-r resolve-n"},
    {NULL, DEED_OK, "R-op", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "strange-a"},
    {NULL, DEED_OK, "Ct", 1, 0, "retract"},
    {NULL, DEED_OK, "R-hop", 1, 0, "hold"},
    {"recorded, fenced", DEED_OK, "R-Fp", 0, 0, "record reconcile release"},
    {NULL, DEED_E_CONFLICT, "R-Fp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "R-Fp", 0, 0, "begin begin-by-name run run-by-name retract"},
    {NULL, DEED_E_NO_STEP, "R-Fp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "R-Fp", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "strange-a resolve-a"},
    {NULL, DEED_OK, "R-hFp", 1, 0, "hold"},
    {"in flight", DEED_OK, "A-f", 0, 0, "record run run-by-name reconcile release"},
    {NULL, DEED_E_CONFLICT, "A-f", 0, 0, "record-other"},
    {NULL, DEED_E_IN_FLIGHT, "A-f", 0, 0,
        "begin begin-by-name begin-replay resolve-a resolve-r resolve-n retract"},
    {NULL, DEED_OK, "A-u", 1, 0, "newest-u"},
    {NULL, DEED_OK, "Ca", 1, 0, "newest-a"},
    {NULL, DEED_OK, "Cr", 1, 0, "newest-r"},
    {NULL, DEED_OK, "Cn", 1, 0, "newest-n"},
    {NULL, DEED_OK, "A-f", 1, 0, "old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "old-a"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_OK, "A-fh", 1, 0, "hold"},
    {"answered unknown", DEED_OK, "A-u", 0, 0, "record run run-by-name newest-u release"},
    {NULL, DEED_E_CONFLICT, "A-u", 0, 0, "record-other"},
    {NULL, DEED_E_UNCERTAIN, "A-u", 0, 0, "begin begin-by-name retract"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin-replay"},
    {NULL, DEED_OK, "A-u", 3, 1, "reconcile"},
    {NULL, DEED_OK, "Ca", 1, 0, "newest-a"},
    {NULL, DEED_OK, "Cr", 1, 0, "newest-r"},
    {NULL, DEED_OK, "Cn", 1, 0, "newest-n"},
    {NULL, DEED_OK, "A-u", 1, 0, "old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "old-a resolve-a"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_E_NOT_YET, "A-u", 0, 0, "resolve-r resolve-n"},
    {NULL, DEED_OK, "A-uhp", 1, 0, "hold"},
    {"lease over", DEED_OK, "A-u", 0, 0, "record run run-by-name release"},
    {NULL, DEED_E_CONFLICT, "A-u", 0, 0, "record-other"},
    {NULL, DEED_E_UNCERTAIN, "A-u", 0, 0, "begin begin-by-name retract"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin-replay"},
    {NULL, DEED_OK, "A-u", 3, 1, "reconcile"},
    {NULL, DEED_OK, "A-u", 1, 0, "newest-u old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ca", 1, 0, "newest-a"},
    {NULL, DEED_OK, "Cr", 1, 0, "newest-r"},
    {NULL, DEED_OK, "Cn", 1, 0, "newest-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "old-a resolve-a"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_E_NOT_YET, "A-u", 0, 0, "resolve-r resolve-n"},
    {NULL, DEED_OK, "A-uhp", 1, 0, "hold"},
    {"owner gone", DEED_OK, "A-u", 0, 0, "record run run-by-name release"},
    {NULL, DEED_E_CONFLICT, "A-u", 0, 0, "record-other"},
    {NULL, DEED_E_UNCERTAIN, "A-u", 0, 0, "begin begin-by-name retract"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin-replay"},
    {NULL, DEED_OK, "A-u", 3, 1, "reconcile"},
    {NULL, DEED_OK, "A-u", 1, 0, "newest-u old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ca", 1, 0, "newest-a"},
    {NULL, DEED_OK, "Cr", 1, 0, "newest-r"},
    {NULL, DEED_OK, "Cn", 1, 0, "newest-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "old-a resolve-a"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_E_NOT_YET, "A-u", 0, 0, "resolve-r resolve-n"},
    {NULL, DEED_OK, "A-uhp", 1, 0, "hold"},
    {"pending", DEED_OK, "A-u", 0, 0, "record run run-by-name newest-u release"},
    {NULL, DEED_E_CONFLICT, "A-u", 0, 0, "record-other"},
    {NULL, DEED_E_UNCERTAIN, "A-u", 0, 0, "begin begin-by-name begin-replay retract"},
    {NULL, DEED_OK, "A-u", 2, 0, "reconcile"},
    {NULL, DEED_OK, "Ca", 1, 0, "newest-a"},
    {NULL, DEED_OK, "Cr", 1, 0, "newest-r"},
    {NULL, DEED_OK, "Cn", 1, 0, "newest-n"},
    {NULL, DEED_OK, "A-u", 1, 0, "old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "old-a resolve-a"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_E_NOT_YET, "A-u", 0, 0, "resolve-r resolve-n"},
    {NULL, DEED_OK, "A-uhp", 1, 0, "hold"},
    {"uncertain, held", DEED_OK, "A-uhp", 0, 0, "record run run-by-name newest-u hold"},
    {NULL, DEED_E_CONFLICT, "A-uhp", 0, 0, "record-other"},
    {NULL, DEED_E_UNCERTAIN, "A-uhp", 0, 0, "begin begin-by-name retract"},
    {NULL, DEED_E_NEEDS_PERSON, "A-uhp", 0, 0, "begin-replay"},
    {NULL, DEED_OK, "A-uhp", 1, 0, "reconcile old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ca", 1, 0, "newest-a"},
    {NULL, DEED_OK, "Cr", 1, 0, "newest-r"},
    {NULL, DEED_OK, "Cnhp", 1, 0, "newest-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "old-a resolve-a"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_E_NOT_YET, "A-uhp", 0, 0, "resolve-r resolve-n"},
    {NULL, DEED_OK, "A-u", 1, 0, "release"},
    {"confirmed applied", DEED_OK, "Ca", 0, 0,
        "record run run-by-name reconcile newest-u newest-a release"},
    {NULL, DEED_E_CONFLICT, "Ca", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Ca", 0, 0,
        "begin begin-by-name begin-replay resolve-a resolve-r resolve-n retract hold"},
    {NULL, DEED_OK, "Ca", 1, 0,
        "newest-r newest-n old-u old-a old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Cadp", 2, 0, "strange-a"},
    {"confirmed applied, disputed", DEED_OK, "Cadp", 0, 0,
        "record reconcile newest-u newest-a old-u old-a release"},
    {NULL, DEED_E_CONFLICT, "Cadp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Cadp", 0, 0, "begin begin-by-name run run-by-name retract"},
    {NULL, DEED_E_NO_STEP, "Cadp", 0, 0, "begin-replay hold"},
    {NULL, DEED_OK, "Cadp", 1, 0,
        "newest-r newest-n old-r old-n strange-u strange-a strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "Er", 1, 0, "resolve-r"},
    {NULL, DEED_OK, "Enp", 1, 0, "resolve-n"},
    {"confirmed rejected", DEED_OK, "Cr", 0, 0,
        "record run run-by-name reconcile newest-u newest-r release"},
    {NULL, DEED_E_CONFLICT, "Cr", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Cr", 0, 0,
        "begin begin-by-name begin-replay resolve-r resolve-n retract hold"},
    {NULL, DEED_OK, "Ea", 1, 0, "newest-a old-a strange-a resolve-a"},
    {NULL, DEED_OK, "Cr", 1, 0, "newest-n old-u old-r old-n strange-u strange-r strange-n"},
    {"confirmed not_applied, pausing", DEED_OK, "Cn", 0, 0,
        "record reconcile newest-u newest-n release"},
    {NULL, DEED_E_CONFLICT, "Cn", 0, 0, "record-other"},
    {NULL, DEED_E_NOT_YET, "Cn", 0, 0, "begin run"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin-by-name"},
    {NULL, DEED_E_NO_STEP, "Cn", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "A-u", 2, 1, "run-by-name"},
    {NULL, DEED_OK, "Ea", 1, 0, "newest-a old-a strange-a resolve-a"},
    {NULL, DEED_OK, "Cn", 1, 0, "newest-r old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ct", 1, 0, "retract"},
    {NULL, DEED_OK, "Cnhp", 1, 0, "hold"},
    {"confirmed not_applied", DEED_OK, "Cn", 0, 0, "record reconcile newest-u newest-n release"},
    {NULL, DEED_E_CONFLICT, "Cn", 0, 0, "record-other"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin begin-by-name"},
    {NULL, DEED_E_NO_STEP, "Cn", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "A-u", 2, 1, "run run-by-name"},
    {NULL, DEED_OK, "Ea", 1, 0, "newest-a old-a strange-a resolve-a"},
    {NULL, DEED_OK, "Cn", 1, 0, "newest-r old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ct", 1, 0, "retract"},
    {NULL, DEED_OK, "Cnhp", 1, 0, "hold"},
    {"confirmed not_applied, held", DEED_OK, "Cnhp", 0, 0,
        "record reconcile newest-u newest-n hold"},
    {NULL, DEED_E_CONFLICT, "Cnhp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Cnhp", 0, 0, "begin begin-by-name run run-by-name"},
    {NULL, DEED_E_NO_STEP, "Cnhp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "newest-a old-a strange-a resolve-a"},
    {NULL, DEED_OK, "Cnhp", 1, 0, "newest-r old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ct", 1, 0, "retract"},
    {NULL, DEED_OK, "Cn", 1, 0, "release"},
    {"confirmed not_applied, overdue", DEED_OK, "Cnop", 0, 0,
        "record reconcile newest-u newest-n release"},
    {NULL, DEED_E_CONFLICT, "Cnop", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Cnop", 0, 0, "begin begin-by-name run run-by-name"},
    {NULL, DEED_E_NO_STEP, "Cnop", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "newest-a old-a strange-a resolve-a"},
    {NULL, DEED_OK, "Cnop", 1, 0, "newest-r old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ct", 1, 0, "retract"},
    {NULL, DEED_OK, "Cnhop", 1, 0, "hold"},
    {"confirmed not_applied, fenced", DEED_OK, "CnFp", 0, 0,
        "record reconcile newest-u newest-n release"},
    {NULL, DEED_E_CONFLICT, "CnFp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "CnFp", 0, 0, "begin begin-by-name run run-by-name retract"},
    {NULL, DEED_E_NO_STEP, "CnFp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "newest-a old-a strange-a resolve-a"},
    {NULL, DEED_OK, "CnFp", 1, 0, "newest-r old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "CnhFp", 1, 0, "hold"},
    {"confirmed not_applied, exhausted", DEED_OK, "Cnp", 0, 0,
        "record reconcile newest-u newest-n release"},
    {NULL, DEED_E_CONFLICT, "Cnp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Cnp", 0, 0, "begin run"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin-by-name"},
    {NULL, DEED_E_NO_STEP, "Cnp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "A-u", 2, 1, "run-by-name"},
    {NULL, DEED_OK, "Ea", 1, 0, "newest-a old-a strange-a resolve-a"},
    {NULL, DEED_OK, "Cnp", 1, 0, "newest-r old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ct", 1, 0, "retract"},
    {NULL, DEED_OK, "Cnhp", 1, 0, "hold"},
    {"confirmed retracted", DEED_OK, "Ct", 0, 0,
        "record run run-by-name reconcile newest-u newest-n retract release"},
    {NULL, DEED_E_CONFLICT, "Ct", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Ct", 0, 0, "begin begin-by-name begin-replay resolve-r resolve-n hold"},
    {NULL, DEED_OK, "Eadp", 2, 0, "newest-a old-a strange-a"},
    {NULL, DEED_OK, "Ct", 1, 0, "newest-r old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {"confirmed retracted, untried", DEED_OK, "Ct", 0, 0,
        "record run run-by-name reconcile retract release"},
    {NULL, DEED_E_CONFLICT, "Ct", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Ct", 0, 0, "begin begin-by-name begin-replay resolve-r resolve-n hold"},
    {NULL, DEED_OK, "Ct", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {"reconciled applied", DEED_OK, "Ea", 0, 0,
        "record run run-by-name reconcile newest-u newest-n release"},
    {NULL, DEED_E_CONFLICT, "Ea", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Ea", 0, 0,
        "begin begin-by-name begin-replay resolve-a resolve-r resolve-n retract hold"},
    {NULL, DEED_OK, "Ea", 1, 0,
        "newest-a newest-r old-u old-a old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {"reconciled applied by a person", DEED_OK, "Ea", 0, 0,
        "record run run-by-name reconcile newest-u release"},
    {NULL, DEED_E_CONFLICT, "Ea", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Ea", 0, 0,
        "begin begin-by-name begin-replay resolve-a resolve-r resolve-n retract hold"},
    {NULL, DEED_OK, "Ea", 1, 0,
        "newest-a newest-r newest-n old-u old-a old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {"reconciled applied, disputed", DEED_OK, "Eadp", 0, 0,
        "record reconcile newest-u newest-a release"},
    {NULL, DEED_E_CONFLICT, "Eadp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Eadp", 0, 0, "begin begin-by-name run run-by-name retract"},
    {NULL, DEED_E_NO_STEP, "Eadp", 0, 0, "begin-replay hold"},
    {NULL, DEED_OK, "Eadp", 1, 0,
        "newest-r newest-n old-u old-a old-r old-n strange-u strange-a strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "Er", 1, 0, "resolve-r"},
    {NULL, DEED_OK, "Enp", 1, 0, "resolve-n"},
    {"reconciled rejected by a person", DEED_OK, "Er", 0, 0,
        "record run run-by-name reconcile newest-u release"},
    {NULL, DEED_E_CONFLICT, "Er", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Er", 0, 0,
        "begin begin-by-name begin-replay resolve-r resolve-n retract hold"},
    {NULL, DEED_OK, "Eadp", 2, 0, "newest-a old-a strange-a"},
    {NULL, DEED_OK, "Er", 1, 0,
        "newest-r newest-n old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {"reconciled rejected", DEED_OK, "Er", 0, 0,
        "record run run-by-name reconcile newest-u release"},
    {NULL, DEED_E_CONFLICT, "Er", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Er", 0, 0,
        "begin begin-by-name begin-replay resolve-r resolve-n retract hold"},
    {NULL, DEED_OK, "Ea", 1, 0, "newest-a old-a strange-a resolve-a"},
    {NULL, DEED_OK, "Er", 1, 0,
        "newest-r newest-n old-u old-r old-n strange-u strange-r strange-n"},
    {"reconciled not_applied by a person", DEED_OK, "Enp", 0, 0, "record newest-u release"},
    {NULL, DEED_E_CONFLICT, "Enp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Enp", 0, 0, "begin run"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin-by-name"},
    {NULL, DEED_E_NO_STEP, "Enp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "A-u", 2, 1, "run-by-name"},
    {NULL, DEED_OK, "Enp", 1, 0,
        "reconcile newest-r newest-n old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "newest-a old-a strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "Et", 1, 0, "retract"},
    {NULL, DEED_OK, "Enhp", 1, 0, "hold"},
    {"reconciled not_applied, pausing", DEED_OK, "En", 0, 0, "record newest-u release"},
    {NULL, DEED_E_CONFLICT, "En", 0, 0, "record-other"},
    {NULL, DEED_E_NOT_YET, "En", 0, 0, "begin run"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin-by-name"},
    {NULL, DEED_E_NO_STEP, "En", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "A-u", 2, 1, "run-by-name"},
    {NULL, DEED_OK, "En", 1, 0,
        "reconcile newest-r newest-n old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "newest-a old-a strange-a resolve-a"},
    {NULL, DEED_OK, "Et", 1, 0, "retract"},
    {NULL, DEED_OK, "Enhp", 1, 0, "hold"},
    {"reconciled not_applied", DEED_OK, "En", 0, 0, "record newest-u release"},
    {NULL, DEED_E_CONFLICT, "En", 0, 0, "record-other"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin begin-by-name"},
    {NULL, DEED_E_NO_STEP, "En", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "A-u", 2, 1, "run run-by-name"},
    {NULL, DEED_OK, "En", 1, 0,
        "reconcile newest-r newest-n old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "newest-a old-a strange-a resolve-a"},
    {NULL, DEED_OK, "Et", 1, 0, "retract"},
    {NULL, DEED_OK, "Enhp", 1, 0, "hold"},
    {"reconciled not_applied, exhausted", DEED_OK, "Enp", 0, 0, "record newest-u release"},
    {NULL, DEED_E_CONFLICT, "Enp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Enp", 0, 0, "begin run"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin-by-name"},
    {NULL, DEED_E_NO_STEP, "Enp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "A-u", 2, 1, "run-by-name"},
    {NULL, DEED_OK, "Enp", 1, 0,
        "reconcile newest-r newest-n old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "newest-a old-a strange-a resolve-a"},
    {NULL, DEED_OK, "Et", 1, 0, "retract"},
    {NULL, DEED_OK, "Enhp", 1, 0, "hold"},
    {"reconciled not_applied, held", DEED_OK, "Enhp", 0, 0, "record newest-u hold"},
    {NULL, DEED_E_CONFLICT, "Enhp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Enhp", 0, 0, "begin begin-by-name run run-by-name"},
    {NULL, DEED_E_NO_STEP, "Enhp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "Enhp", 1, 0,
        "reconcile newest-r newest-n old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "newest-a old-a strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "Et", 1, 0, "retract"},
    {NULL, DEED_OK, "Enp", 1, 0, "release"},
    {"reconciled not_applied, overdue", DEED_OK, "Enop", 0, 0, "record newest-u release"},
    {NULL, DEED_E_CONFLICT, "Enop", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Enop", 0, 0, "begin begin-by-name run run-by-name"},
    {NULL, DEED_E_NO_STEP, "Enop", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "Enop", 1, 0,
        "reconcile newest-r newest-n old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "newest-a old-a strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "Et", 1, 0, "retract"},
    {NULL, DEED_OK, "Enhop", 1, 0, "hold"},
    {"reconciled not_applied, fenced", DEED_OK, "EnFp", 0, 0, "record newest-u release"},
    {NULL, DEED_E_CONFLICT, "EnFp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "EnFp", 0, 0, "begin begin-by-name run run-by-name retract"},
    {NULL, DEED_E_NO_STEP, "EnFp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "EnFp", 1, 0,
        "reconcile newest-r newest-n old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "newest-a old-a strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "EnhFp", 1, 0, "hold"},
    {"reconciled retracted", DEED_OK, "Et", 0, 0,
        "record run run-by-name newest-u retract release"},
    {NULL, DEED_E_CONFLICT, "Et", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Et", 0, 0, "begin begin-by-name begin-replay resolve-r resolve-n hold"},
    {NULL, DEED_OK, "Et", 1, 0,
        "reconcile newest-r newest-n old-u old-r old-n strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "newest-a old-a strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {"a stranger's applied", DEED_OK, "Ea", 0, 0, "record run run-by-name reconcile release"},
    {NULL, DEED_E_CONFLICT, "Ea", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Ea", 0, 0,
        "begin begin-by-name begin-replay resolve-a resolve-r resolve-n retract hold"},
    {NULL, DEED_OK, "Ea", 1, 0, "strange-u strange-a strange-r strange-n"},
    {"a person's applied behind the fence", DEED_OK, "Ea", 0, 0,
        "record run run-by-name reconcile release"},
    {NULL, DEED_E_CONFLICT, "Ea", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Ea", 0, 0,
        "begin begin-by-name begin-replay resolve-a resolve-r resolve-n retract hold"},
    {NULL, DEED_OK, "Ea", 1, 0, "strange-u strange-a strange-r strange-n"},
    {"a stranger's applied, disputed", DEED_OK, "Eadp", 0, 0, "record reconcile release"},
    {NULL, DEED_E_CONFLICT, "Eadp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Eadp", 0, 0, "begin begin-by-name run run-by-name retract"},
    {NULL, DEED_E_NO_STEP, "Eadp", 0, 0, "begin-replay hold"},
    {NULL, DEED_OK, "Eadp", 1, 0, "strange-u strange-a strange-r strange-n"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "Er", 1, 0, "resolve-r"},
    {NULL, DEED_OK, "Enp", 1, 0, "resolve-n"},
    {"a stranger's applied, rejected", DEED_OK, "Er", 0, 0,
        "record run run-by-name reconcile release"},
    {NULL, DEED_E_CONFLICT, "Er", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Er", 0, 0,
        "begin begin-by-name begin-replay resolve-r resolve-n retract hold"},
    {NULL, DEED_OK, "Er", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {"a stranger's applied, not_applied", DEED_OK, "Enp", 0, 0, "record reconcile release"},
    {NULL, DEED_E_CONFLICT, "Enp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Enp", 0, 0, "begin run"},
    {NULL, DEED_OK, "A-f", 1, 0, "begin-by-name"},
    {NULL, DEED_E_NO_STEP, "Enp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "A-u", 2, 1, "run-by-name"},
    {NULL, DEED_OK, "Enp", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "Et", 1, 0, "retract"},
    {NULL, DEED_OK, "Enhp", 1, 0, "hold"},
    {"a stranger's applied, not_applied, held", DEED_OK, "Enhp", 0, 0, "record reconcile hold"},
    {NULL, DEED_E_CONFLICT, "Enhp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Enhp", 0, 0, "begin begin-by-name run run-by-name"},
    {NULL, DEED_E_NO_STEP, "Enhp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "Enhp", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "Et", 1, 0, "retract"},
    {NULL, DEED_OK, "Enp", 1, 0, "release"},
    {"a stranger's applied, not_applied, overdue", DEED_OK, "Enop", 0, 0,
        "record reconcile release"},
    {NULL, DEED_E_CONFLICT, "Enop", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Enop", 0, 0, "begin begin-by-name run run-by-name"},
    {NULL, DEED_E_NO_STEP, "Enop", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "Enop", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "Et", 1, 0, "retract"},
    {NULL, DEED_OK, "Enhop", 1, 0, "hold"},
    {"a stranger's applied, not_applied, fenced", DEED_OK, "EnFp", 0, 0,
        "record reconcile release"},
    {NULL, DEED_E_CONFLICT, "EnFp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "EnFp", 0, 0, "begin begin-by-name run run-by-name retract"},
    {NULL, DEED_E_NO_STEP, "EnFp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "EnFp", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "EnhFp", 1, 0, "hold"},
    {"a stranger's applied, not_applied, bare", DEED_OK, "Enp", 1, 0,
        "record strange-u strange-r strange-n"},
    {NULL, DEED_E_CONFLICT, "Enp", 0, 0, "record-other"},
    {NULL, DEED_E_NEEDS_PERSON, "Enp", 0, 0, "begin begin-by-name run run-by-name"},
    {NULL, DEED_E_NO_STEP, "Enp", 0, 0, "begin-replay resolve-r resolve-n"},
    {NULL, DEED_OK, "Enp", 0, 0, "reconcile release"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
    {NULL, DEED_OK, "Et", 1, 0, "retract"},
    {NULL, DEED_OK, "Enhp", 1, 0, "hold"},
    {"a stranger's applied, retracted", DEED_OK, "Et", 0, 0,
        "record run run-by-name reconcile retract release"},
    {NULL, DEED_E_CONFLICT, "Et", 0, 0, "record-other"},
    {NULL, DEED_E_NO_STEP, "Et", 0, 0, "begin begin-by-name begin-replay resolve-r resolve-n hold"},
    {NULL, DEED_OK, "Et", 1, 0, "strange-u strange-r strange-n"},
    {NULL, DEED_OK, "Eadp", 2, 0, "strange-a"},
    {NULL, DEED_OK, "Ea", 1, 0, "resolve-a"},
};
#define ROWS (sizeof(table) / sizeof(table[0]))

/* ---- running it ------------------------------------------------------------------------------------- */

static bool names(const char *list, const char *call)
{
    size_t length = strlen(call);
    for (const char *at = strstr(list, call); at != NULL; at = strstr(at + 1, call)) {
        bool starts = at == list || at[-1] == ' ';
        if (starts && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/* State and outcome as two letters, then what is marked. */
static void place_of(const struct deed_result *result, char place_out[16])
{
    const struct {
        bool holds;
        char letter;
    } marks[] = {
        {result->in_flight, 'f'},
        {result->uncertain, 'u'},
        {result->disputed, 'd'},
        {result->held, 'h'},
        {result->overdue, 'o'},
        {result->fenced, 'F'},
        {result->needs_person, 'p'},
    };
    char *at = place_out;
    *at++ = "-RACE"[result->state];
    *at++ = "-arnt"[result->outcome];
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        if (marks[i].holds) {
            *at++ = marks[i].letter;
        }
    }
    *at = '\0';
}

static bool possible(size_t call, const struct situation_attempts *attempts)
{
    return (calls[call].function != newest || attempts->newest.number != 0) &&
        (calls[call].function != old || attempts->old.number != 0);
}

static const struct row *row_of(const char *situation, const char *call)
{
    const struct row *found = NULL;
    const char *current = "";
    for (size_t i = 0; i < ROWS; i++) {
        current = table[i].situation != NULL ? table[i].situation : current;
        if (strcmp(current, situation) == 0 && names(table[i].calls, call)) {
            if (found != NULL) {
                fail_msg("%s, %s: named twice", situation, call);
            }
            found = &table[i];
        }
    }
    return found;
}

struct seen {
    deed_rc rc;
    char place[16];
    unsigned events;
    unsigned sends;
};

/* False: the call cannot be made from there. */
static bool look_at(const struct situation *situation, size_t call, struct seen *seen)
{
    struct scene scene;
    struct situation_attempts attempts;
    memset(&attempts, 0, sizeof(attempts));
    situation->arrange(&scene, SCENE_KEYED_LOOKUP, &attempts);
    bool made = possible(call, &attempts);
    if (made) {
        unsigned chain = scene_chain(&scene);
        unsigned sends = scene.provider.sends;
        seen->rc = calls[call].function(&scene, &attempts, calls[call].verdict);
        seen->events = scene_chain(&scene) - chain;
        seen->sends = scene.provider.sends - sends;
        char told[16];
        place_of(&scene.result, told);
        scene_get(&scene);
        place_of(&scene.result, seen->place);
        assert_string_equal(told, seen->place); /* the call itself tells how things stand */
        assert_true(seen->rc == DEED_OK || seen->events == 0);
        assert_true(seen->rc != DEED_OK || seen->sends <= 1);
        scene_check(&scene);
    }
    scene_end(&scene);
    return made;
}

static void check_call(const struct situation *situation, size_t call)
{
    struct seen seen;
    const struct row *row = row_of(situation->name, calls[call].name);
    if (!look_at(situation, call, &seen)) {
        assert_null(row);
        return;
    }
    if (row == NULL || row->rc != seen.rc || strcmp(row->place, seen.place) != 0 ||
        row->events != seen.events || row->sends != seen.sends) {
        fail_msg("%s, %s: %s, %s, %u events, %u sends, and the table says %s, %s, %u, %u",
            situation->name, calls[call].name, deed_rc_name(seen.rc), seen.place, seen.events,
            seen.sends, row == NULL ? "nothing" : deed_rc_name(row->rc),
            row == NULL ? "" : row->place, row == NULL ? 0 : row->events,
            row == NULL ? 0 : row->sends);
    }
}

static void test_machine__every_call_from_every_situation_does_what_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; situation_at(i) != NULL; i++) {
        const struct situation *situation = situation_at(i);
        unsigned class = (1U << SCENE_KEYED_LOOKUP) | SITUATION_NOBODY;
        for (size_t call = 0; (situation->classes & class) != 0 && call < CALLS; call++) {
            check_call(situation, call);
        }
    }
}

static void test_machine__every_row_is_of_a_situation_and_of_calls_that_exist(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(table[i].situation == NULL || situation_named(table[i].situation) != NULL);
        char list[512];
        (void)snprintf(list, sizeof(list), "%s", table[i].calls);
        for (char *call = strtok(list, " "); call != NULL; call = strtok(NULL, " ")) {
            size_t k = 0;
            while (k < CALLS && strcmp(calls[k].name, call) != 0) {
                k++;
            }
            assert_true(k < CALLS);
        }
        assert_true(table[i].rc == DEED_OK || table[i].events == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine__every_call_from_every_situation_does_what_the_table_says),
        cmocka_unit_test(test_machine__every_row_is_of_a_situation_and_of_calls_that_exist),
    };
    return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
