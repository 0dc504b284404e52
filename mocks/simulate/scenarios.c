/* SPDX-License-Identifier: MIT
 *
 * The scenarios. The first life goes by the script; whoever starts the program again finds it doing
 * what every program with a ledger does: record what its callers bring again, run what is due,
 * reconcile, and wait.
 */
#include "simulate/scenarios.h"

#include <string.h>

#include "simulate/classes.h"
#include "simulate/simulate.h"

#define LEASE_MS   DEED_CRASH__LEASE_MS
#define VISIBLE_MS DEED_CRASH__VISIBLE_MS

/* ---- first lives ------------------------------------------------------------------------- */

static bool act_record(struct deed_crash__scene *s)
{
    static const char *const two[] = {"b", "c"};
    return deed_crash__record(s, "a") && deed_crash__record_many(s, two, 2) &&
        deed_crash__record(s, "a") && deed_crash__record_as(s, "held", "not before noon", 0) &&
        deed_crash__record_as(s, "until", NULL, DEED_CRASH__START_MS + 1000);
}

/* Enough of them to fill the log several times over. */
static bool act_checkpoint(struct deed_crash__scene *s)
{
    static const char *const many[] = {"m-0", "m-1", "m-2"};
    return deed_crash__record(s, "a") && deed_crash__record_many(s, many, 3) &&
        deed_crash__run_key(s, "a") && deed_crash__retract(s, "m-0");
}

static bool act_run(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") && deed_crash__run_key(s, "a");
}

static bool act_retries(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") && deed_crash__wait(s, 2000) &&
        deed_crash__run_due_ones(s) && deed_crash__wait(s, 2000) && deed_crash__run_due_ones(s);
}

/* The answer is lost; it is settled by whatever this provider offers. */
static bool act_lost(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__wait(s, LEASE_MS) && deed_crash__reconcile(s, "a") &&
        deed_crash__wait(s, VISIBLE_MS) && deed_crash__pass(s);
}

/* Nothing happened, and nobody said so: absence, closing, replay; then the next attempt. */
static bool act_absent(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__wait(s, LEASE_MS) && deed_crash__pass(s) && deed_crash__wait(s, VISIBLE_MS) &&
        deed_crash__pass(s) && deed_crash__wait(s, VISIBLE_MS) && deed_crash__pass(s) &&
        deed_crash__wait(s, 2000) && deed_crash__run_due_ones(s);
}

/* It lands after the first look. */
static bool act_late(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") && deed_crash__wait(s, 500) &&
        deed_crash__reconcile(s, "a") && deed_crash__wait(s, VISIBLE_MS) && deed_crash__pass(s) &&
        deed_crash__wait(s, 2000) && deed_crash__run_due_ones(s) &&
        deed_crash__wait(s, VISIBLE_MS) && deed_crash__pass(s);
}

static bool act_pending(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") && deed_crash__wait(s, 1000) &&
        deed_crash__reconcile(s, "a") && deed_crash__wait(s, 5000) && deed_crash__reconcile(s, "a");
}

static bool act_replays(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__wait(s, LEASE_MS) && deed_crash__reconcile(s, "a") &&
        deed_crash__wait(s, LEASE_MS) && deed_crash__reconcile(s, "a");
}

static bool act_several(struct deed_crash__scene *s)
{
    static const char *const three[] = {"a", "b", "c"};
    return deed_crash__record_many(s, three, 3) && deed_crash__run_due_ones(s) &&
        deed_crash__wait(s, LEASE_MS) && deed_crash__pass(s) && deed_crash__run_due_ones(s) &&
        deed_crash__wait(s, VISIBLE_MS) && deed_crash__pass(s) && deed_crash__wait(s, 2000) &&
        deed_crash__run_due_ones(s);
}

static bool act_person(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__record(s, "b") && deed_crash__run_key(s, "b") &&
        deed_crash__wait(s, VISIBLE_MS) && deed_crash__resolve(s, "a", DEED_APPLIED) &&
        deed_crash__resolve(s, "b", DEED_NOT_APPLIED) && deed_crash__run_by_name(s, "b");
}

/* The answer is lost, and its notice comes: twice, as notices do. */
static bool act_evidence(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__wait(s, LEASE_MS) && deed_crash__evidence(s, "a") &&
        deed_crash__evidence(s, "a");
}

static bool act_retract(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "b") && deed_crash__run_key(s, "b") &&
        deed_crash__retract(s, "b") && deed_crash__record(s, "a") && deed_crash__retract(s, "a");
}

static bool act_hold(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__hold_key(s, "a") &&
        deed_crash__release(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__hold_key(s, "a") && deed_crash__wait(s, LEASE_MS) && deed_crash__pass(s) &&
        deed_crash__release(s, "a") && deed_crash__wait(s, 2000) && deed_crash__pass(s);
}

static bool act_dispute(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__wait(s, LEASE_MS) && deed_crash__reconcile(s, "a") &&
        deed_crash__resolve(s, "a", DEED_APPLIED);
}

/* What the look-up shows first is not ours: the intent is held until a person has seen it. */
static bool act_flawed(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__wait(s, LEASE_MS) && deed_crash__reconcile(s, "a") &&
        deed_crash__release(s, "a") && deed_crash__reconcile(s, "a");
}

/* The window of the key ends between two replays. */
static bool act_window(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__wait(s, DEED_CRASH__WINDOW_MS / 2) && deed_crash__reconcile(s, "a") &&
        deed_crash__wait(s, DEED_CRASH__WINDOW_MS * 2 / 3) && deed_crash__pass(s);
}

/* The window is about to end: what goes out now may land after it. */
static bool act_window_end(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__wait(s, DEED_CRASH__WINDOW_MS - 1000) && deed_crash__reconcile(s, "a") &&
        deed_crash__wait(s, VISIBLE_MS) && deed_crash__pass(s);
}

/* Looks after the horizon of the first request and before that of the second. */
static bool act_second_late(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__wait(s, LEASE_MS) && deed_crash__reconcile(s, "a") &&
        deed_crash__wait(s, VISIBLE_MS - LEASE_MS + 100) && deed_crash__reconcile(s, "a") &&
        deed_crash__wait(s, VISIBLE_MS) && deed_crash__pass(s);
}

/* After a final absence. It may land all the same, where a provider said what is not so. */
static bool act_given_up(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__wait(s, VISIBLE_MS) && deed_crash__pass(s) && deed_crash__retract(s, "a");
}

/* Two actions about the same, whose keys differ in the last place there is. */
#define TWIN "twin-7890123456789012345678901234567890123456789012345678901234567890123456789"
static const char *const twins[] = {TWIN "-1", TWIN "-2"};

static bool act_twins(struct deed_crash__scene *s)
{
    return deed_crash__record(s, twins[0]) && deed_crash__record(s, twins[1]) &&
        deed_crash__record_too_long(s, twins[0]) && deed_crash__run_due_ones(s) &&
        deed_crash__wait(s, LEASE_MS) && deed_crash__pass(s);
}

/* Nothing happened, and somebody says that it did. */
static bool act_forged(struct deed_crash__scene *s)
{
    return deed_crash__record(s, "a") && deed_crash__run_key(s, "a") &&
        deed_crash__wait(s, LEASE_MS) && deed_crash__evidence_forged(s, "a") &&
        deed_crash__wait(s, VISIBLE_MS) && deed_crash__pass(s);
}

/* ---- the list ---------------------------------------------------------------------------- */

#define SCRIPT(steps) "{\"script\":" steps "}"
#define ANSWER        "{\"do\":\"answer\"}"
#define LOSE          "{\"do\":\"lose\"}"
#define M(ident)      DEED_CRASH__BIT(ident)

static const struct deed_crash__scenario scenarios[] = {
    {.name = "answered",
        .about = "one action, and its answer; and with every fault of network and provider",
        .classes = ALL,
        .act = act_run,
        .keys = {"a"},
        .faults = true,
        .marks = M(DIED_UNTOLD) | M(REPLY_LOST) | M(LATE) | M(RETRIED) | M(REJECTED) | M(GARBAGE)},
    {.name = "record",
        .about = "recording only: alone, several at once, held, and with a last moment",
        .classes = BLIND,
        .act = act_record,
        .keys = {"a", "b", "c", "held"},
        .marks = M(HELD)},
    {.name = "checkpoint",
        .about = "a log that is brought back again and again",
        .classes = BLIND,
        .act = act_checkpoint,
        .keys = {"a", "m-0", "m-2"},
        .checkpoint_pages = 4,
        .marks = M(CHECKPOINTED) | M(RETRACTED)},
    {.name = "lost",
        .about = "it took effect, and the answer is lost",
        .classes = ALL,
        .options = SCRIPT("[" LOSE "," ANSWER "]"),
        .act = act_lost,
        .keys = {"a"},
        .twice = true,
        .marks = M(REPLY_LOST),
        .marks_by_class = {[DEED_CLASS_BLIND] = M(PERSON) | M(UNCERTAIN),
            [DEED_CLASS_LOOKUP] = M(PRESENT),
            [DEED_CLASS_KEYED] = M(REPLAYED),
            [DEED_CLASS_CLOSABLE] = M(PRESENT)}},
    {.name = "refused",
        .about = "refused, then unreachable, then done",
        .classes = BLIND | KEYED | CLOSABLE,
        .options = SCRIPT("[{\"do\":\"refuse\"},{\"do\":\"unreachable\"}," ANSWER "]"),
        .act = act_retries,
        .keys = {"a"},
        .marks = M(RETRIED)},
    {.name = "rejected",
        .about = "refused for good",
        .classes = BLIND | KEYED | KEYED_LOOKUP,
        .options = SCRIPT("{\"do\":\"reject\"}"),
        .act = act_run,
        .keys = {"a"},
        .marks = M(REJECTED)},
    {.name = "rejected-and-lost",
        .about = "refused for good, and nobody heard it",
        .classes = ALL,
        .options = SCRIPT("[{\"do\":\"reject\",\"lost\":true}," ANSWER "]"),
        .act = act_lost,
        .keys = {"a"},
        .marks = M(REJECTED)},
    {.name = "absent",
        .about = "nothing happened, and nobody said so",
        .classes = ALL,
        .options = SCRIPT("[{\"do\":\"error\"}," ANSWER "]"),
        .act = act_absent,
        .keys = {"a"},
        .twice = true,
        .marks_by_class = {[DEED_CLASS_BLIND] = M(PERSON),
            [DEED_CLASS_LOOKUP] = M(ABSENT_FINAL) | M(RETRIED),
            [DEED_CLASS_KEYED] = M(REPLAYED),
            [DEED_CLASS_CLOSABLE] = M(CLOSED) | M(RETRIED)}},
    {.name = "late",
        .about = "it lands after the first look",
        .classes = ALL,
        .options = SCRIPT("[{\"do\":\"late\",\"land\":{\"after_ms\":3000}}," ANSWER "]"),
        .act = act_late,
        .keys = {"a"},
        .marks = M(LATE),
        .marks_by_class = {[DEED_CLASS_LOOKUP] = M(LATE_AFTER_LOOK)}},
    {.name = "pending",
        .about = "accepted first, done later",
        .classes = ALL,
        .options = SCRIPT("[{\"do\":\"pending\",\"land\":{\"after_ms\":4000}}," ANSWER "]"),
        .act = act_pending,
        .keys = {"a"},
        .marks = M(LATE)},
    {.name = "pending-then-rejected",
        .about = "accepted first, refused later",
        .classes = LOOKUP | KEYED,
        .options =
            SCRIPT("{\"do\":\"pending\",\"outcome\":\"rejected\",\"land\":{\"after_ms\":4000}}"),
        .act = act_pending,
        .keys = {"a"},
        .marks = M(REJECTED)},
    {.name = "replayed",
        .about = "two answers are lost, under one key",
        .classes = KEYED | KEYED_LOOKUP,
        .options = SCRIPT("[" LOSE ",{\"do\":\"answer\",\"lost\":true}," ANSWER "]"),
        .act = act_replays,
        .keys = {"a"},
        .marks = M(REPLY_LOST),
        .marks_by_class = {[DEED_CLASS_KEYED] = M(REPLAYED)}},
    {.name = "several",
        .about = "three actions at once, each with a fate of its own",
        .classes = KEYED_LOOKUP | CLOSABLE,
        .options = "{\"scripts\":{\"a\":[" LOSE "," ANSWER "],\"b\":[{\"do\":\"refuse\"}," ANSWER
                   "],\"c\":[{\"do\":\"error\"}," ANSWER "]}}",
        .act = act_several,
        .keys = {"a", "b", "c"},
        .marks = M(REPLY_LOST) | M(RETRIED)},
    {.name = "garbage",
        .about = "an answer that is none",
        .classes = BLIND | KEYED,
        .options = SCRIPT("[{\"do\":\"garbage\",\"verdict\":99}," ANSWER "]"),
        .act = act_lost,
        .keys = {"a"},
        .marks = M(GARBAGE)},
    {.name = "person",
        .about = "a person decides, either way",
        .classes = BLIND,
        .options = "{\"scripts\":{\"a\":" LOSE ",\"b\":[{\"do\":\"error\"}," ANSWER "]}}",
        .act = act_person,
        .keys = {"a", "b"},
        .marks = M(PERSON) | M(REPLY_LOST)},
    {.name = "evidence",
        .about = "the answer is lost, and a notice comes twice",
        .classes = BLIND | KEYED | LOOKUP,
        .options = SCRIPT("[" LOSE "," ANSWER "]"),
        .act = act_evidence,
        .keys = {"a"},
        .marks = M(REPLY_LOST) | M(PERSON)},
    {.name = "retracted",
        .about = "given up: before any attempt, and after one that was refused",
        .classes = BLIND | LOOKUP,
        .options = SCRIPT("{\"do\":\"refuse\"}"),
        .act = act_retract,
        .keys = {"a", "b"},
        .marks = M(RETRACTED)},
    {.name = "held",
        .about = "held and released, before and in doubt",
        .classes = BLIND | KEYED | LOOKUP,
        .options = SCRIPT("[" LOSE "," ANSWER "]"),
        .act = act_hold,
        .keys = {"a"},
        .marks = M(HELD) | M(REPLY_LOST)},
    {.name = "disputed",
        .about = "a look-up counts two",
        .classes = LOOKUP,
        .options = "{\"script\":[" LOSE "],\"lookup_script\":{\"say\":\"several\",\"count\":2}}",
        .act = act_dispute,
        .keys = {"a"},
        .marks = M(DISPUTED) | M(PERSON)},
    {.name = "flawed",
        .about = "a look-up shows what is not ours",
        .classes = LOOKUP | KEYED_LOOKUP,
        .options = "{\"script\":[" LOSE "],\"lookup_script\":[\"wrong_marker\",\"truth\"]}",
        .act = act_flawed,
        .keys = {"a"},
        .marks = M(HELD) | M(PRESENT)},
    {.name = "window",
        .about = "two answers are lost, and then the window of the key is over",
        .classes = KEYED,
        .options = SCRIPT("[" LOSE "," LOSE "," ANSWER "]"),
        .act = act_window,
        .keys = {"a"},
        .marks = M(REPLY_LOST) | M(REPLAYED) | M(PERSON)},
    {.name = "window-end",
        .about = "an answer is lost, and the window of the key is about to end",
        .classes = KEYED,
        .options = SCRIPT("[" LOSE ",{\"do\":\"late\",\"land\":{\"after_ms\":4000}}," ANSWER "]"),
        .act = act_window_end,
        .keys = {"a"},
        .marks = M(REPLY_LOST) | M(PERSON)},
    {.name = "second-late",
        .about = "the first request is gone, and the second lands after a look",
        .classes = KEYED_LOOKUP,
        .options = SCRIPT(
            "[{\"do\":\"error\"},{\"do\":\"late\",\"land\":{\"after_ms\":4990}}," ANSWER "]"),
        .act = act_second_late,
        .keys = {"a"},
        .marks = M(LATE) | M(LATE_AFTER_LOOK)},
    {.name = "surprise",
        .about = "it lands after it was given up: the provider's numbers were wrong",
        .classes = LOOKUP,
        .options = "{\"lying\":true,\"script\":{\"do\":\"late\",\"land\":{\"after_ms\":12000}}}",
        .act = act_given_up,
        .keys = {"a"},
        .marks = M(LATE_AFTER_LOOK) | M(RETRACTED) | M(DISPUTED)},
    {.name = "given-up",
        .about = "given up after a final absence, and looked at again",
        .classes = LOOKUP,
        .options = SCRIPT("{\"do\":\"error\"}"),
        .act = act_given_up,
        .keys = {"a"},
        .marks = M(ABSENT_FINAL) | M(RETRACTED)},
    {.name = "twins",
        .about = "two actions about the same, with long keys; a longer one is refused",
        .classes = KEYED | LOOKUP,
        .options = SCRIPT("[" LOSE "," ANSWER "]"),
        .act = act_twins,
        .keys = {TWIN "-1", TWIN "-2"},
        .marks = M(REPLY_LOST)},
    {.name = "forged",
        .about = "nothing happened, and a notice that nobody signed says that it did",
        .classes = LOOKUP | BLIND,
        .options = SCRIPT("[{\"do\":\"error\"}," ANSWER "]"),
        .act = act_forged,
        .keys = {"a"}},
};

const struct deed_crash__scenario *deed_crash__scenario_at(size_t index)
{
    return index < sizeof(scenarios) / sizeof(scenarios[0]) ? &scenarios[index] : NULL;
}

const struct deed_crash__scenario *deed_crash__scenario_named(const char *name)
{
    const struct deed_crash__scenario *scenario = NULL;
    for (size_t i = 0; (scenario = deed_crash__scenario_at(i)) != NULL; i++) {
        if (strcmp(scenario->name, name) == 0) {
            return scenario;
        }
    }
    return NULL;
}
