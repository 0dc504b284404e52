/* SPDX-License-Identifier: MIT
 *
 * Reading scripts, and finding the step of an attempt in them. A script that contradicts its class
 * is refused here: a mock that did more than its class allows would make a ledger look wrong.
 */
#include "mock_script.h"

#include <stdlib.h>
#include <string.h>

static const char *const step_words[] = {"answer", "lose", "unreachable", "refuse", "reject",
    "late", "hang", "error", "error_stored", "pending", "in_progress", "mismatch", "garbage", NULL};
static const char *const say_words[] = {"truth", "fresh", "error", "lose", "incomplete",
    "wrong_marker", "wrong_digest", "several", "absent", "present", NULL};
static const char *const cut_words[] = {"nowhere", "drop", "reset", "header", "body", NULL};
static const char *const ending_words[] = {"applied", "rejected", "never", NULL};

const char *deed_mock__step_name(enum deed_mock__step_kind kind)
{
    return step_words[kind];
}

/* ---- steps ------------------------------------------------------------------------------- */

static struct deed_mock__step step_default(enum deed_mock__step_kind kind)
{
    bool effect = kind == DEED_MOCK__STEP_ANSWER || kind == DEED_MOCK__STEP_LOSE ||
        kind == DEED_MOCK__STEP_HANG || kind == DEED_MOCK__STEP_GARBAGE;
    return (struct deed_mock__step){
        .kind = kind,
        .serves = 1,
        .effect = effect,
        .lost = kind == DEED_MOCK__STEP_LOSE,
        .duplicates_land = {.after_ms = DEED_FOREVER, .after_looks = UINT64_MAX},
        .land = {.after_ms = DEED_FOREVER, .after_looks = UINT64_MAX},
        .verdict = kind == DEED_MOCK__STEP_ERROR_STORED ? DEED_VERDICT_NOT_APPLIED : 0,
    };
}

static void read_landing(
    const struct deed_mock__node *step, const char *name, struct deed_mock__landing_rule *out)
{
    static const char *const names[] = {"after_ms", "after_looks", "on_demand", NULL};
    struct deed_mock__node node = deed_mock__member(step, name);
    if (node.value == NULL) {
        return;
    }
    bool on_demand = false;
    out->given = true;
    deed_mock__only(&node, names);
    deed_mock__read_duration(&node, "after_ms", &out->after_ms);
    deed_mock__read_count(&node, "after_looks", &out->after_looks);
    deed_mock__read_flag(&node, "on_demand", &on_demand);
    bool by_itself = out->after_ms != DEED_FOREVER || out->after_looks != UINT64_MAX;
    if (on_demand == by_itself) {
        deed_mock__refuse(&node, "name after_ms, after_looks or both; or else \"on_demand\": true");
    }
}

static void read_verdict(const struct deed_mock__node *object, struct deed_mock__step *step)
{
    static const char *const words[] = {"unknown", "applied", "rejected", "not_applied", NULL};
    struct deed_mock__node node = deed_mock__member(object, "verdict");
    if (node.value == NULL) {
        return;
    }
    if (step->kind == DEED_MOCK__STEP_GARBAGE && json_is_integer(node.value)) {
        step->verdict = (int)(json_integer_value(node.value) % INT32_MAX);
        return;
    }
    if (step->kind != DEED_MOCK__STEP_ERROR_STORED) {
        deed_mock__refuse(&node, "only error_stored has one; garbage may have a bare number");
        return;
    }
    deed_mock__read_word_here(&node, words, &step->verdict); /* in the order of deed_verdict */
    if (step->verdict == DEED_VERDICT_APPLIED) {
        deed_mock__refuse(&node, "an error does not say applied");
    }
}

/* Members where they mean nothing: a misspelt test would pass for the wrong reason. */
static void check_members(const struct deed_mock__node *object, const struct deed_mock__step *step)
{
    struct deed_mock__node land = deed_mock__member(object, "land");
    struct deed_mock__node outcome = deed_mock__member(object, "outcome");
    struct deed_mock__node copies_land = deed_mock__member(object, "duplicates_land");
    bool is_late = step->kind == DEED_MOCK__STEP_LATE || step->kind == DEED_MOCK__STEP_PENDING ||
        step->kind == DEED_MOCK__STEP_HANG;
    if (land.value != NULL && !is_late) {
        deed_mock__refuse(&land, "only late, pending and hang land later");
    }
    if (outcome.value != NULL && (!is_late || step->kind == DEED_MOCK__STEP_HANG)) {
        deed_mock__refuse(&outcome, "only late and pending have one");
    }
    bool lands_at_once = step->effect && !step->land.given;
    if (copies_land.value != NULL && (step->duplicates == 0 || !lands_at_once)) {
        deed_mock__refuse(&copies_land, "only copies of what takes effect at once arrive later");
    }
    if (step->duplicates > 0 && step->kind == DEED_MOCK__STEP_UNREACHABLE) {
        deed_mock__refuse(object, "nothing goes out, so nothing is doubled");
    }
}

/* A cut needs an answer that is on its way. */
static void check_cut(const struct deed_mock__node *object, const struct deed_mock__step *step,
    const struct deed_mock__script_rules *rules)
{
    struct deed_mock__node cut = deed_mock__member(object, "cut");
    bool is_silent = step->lost || step->kind == DEED_MOCK__STEP_UNREACHABLE ||
        step->kind == DEED_MOCK__STEP_LATE || step->kind == DEED_MOCK__STEP_HANG;
    if (cut.value != NULL && !rules->http) {
        deed_mock__refuse(&cut, "only an answer over HTTP is cut (deed mock-provider)");
    } else if (cut.value != NULL && is_silent) {
        deed_mock__refuse(&cut, "this step has no answer that could be cut");
    }
}

static void check_class(const struct deed_mock__node *object, const struct deed_mock__step *step,
    const struct deed_mock__script_rules *rules)
{
    struct deed_mock__node kind = deed_mock__member(object, "do");
    struct deed_mock__node effect = deed_mock__member(object, "effect");
    bool about_keys = step->kind == DEED_MOCK__STEP_ERROR_STORED ||
        step->kind == DEED_MOCK__STEP_IN_PROGRESS || step->kind == DEED_MOCK__STEP_MISMATCH;
    if (about_keys && !rules->keyed) {
        deed_mock__refuse(&kind, "a provider of this class knows no keys");
    }
    if (step->kind == DEED_MOCK__STEP_ERROR_STORED && rules->no_stored_errors) {
        deed_mock__refuse(&kind, "this provider stores no errors");
    }
    bool has_no_effect = step->kind == DEED_MOCK__STEP_REFUSE ||
        step->kind == DEED_MOCK__STEP_REJECT || step->kind == DEED_MOCK__STEP_IN_PROGRESS ||
        step->kind == DEED_MOCK__STEP_MISMATCH ||
        (step->kind == DEED_MOCK__STEP_ERROR_STORED && step->verdict != DEED_VERDICT_UNKNOWN);
    if (step->effect && has_no_effect && !rules->lying) {
        deed_mock__refuse(&effect, "only a lying provider has an effect and says it has none");
    }
    if (step->kind == DEED_MOCK__STEP_ANSWER && !step->effect && !rules->lying) {
        deed_mock__refuse(&effect, "only a lying provider says applied without an effect");
    }
    if (step->kind == DEED_MOCK__STEP_UNREACHABLE && step->effect) {
        deed_mock__refuse(&effect, "nothing goes out, so nothing happens");
    }
}

static void read_step(const struct deed_mock__node *object,
    const struct deed_mock__script_rules *rules, struct deed_mock__step *out)
{
    static const char *const names[] = {"do", "effect", "lost", "duplicates", "duplicates_land",
        "land", "outcome", "verdict", "retry_after_ms", "count", "cut", NULL};
    int cut = DEED_MOCK__CUT_NOWHERE;
    int kind = DEED_MOCK__STEP_ANSWER;
    int ending = DEED_MOCK__ENDS_APPLIED;
    deed_mock__only(object, names);
    deed_mock__read_word(object, "do", step_words, &kind);
    struct deed_mock__step step = step_default((enum deed_mock__step_kind)kind);
    deed_mock__read_flag(object, "effect", &step.effect);
    deed_mock__read_flag(object, "lost", &step.lost);
    deed_mock__read_count(object, "duplicates", &step.duplicates);
    deed_mock__read_count(object, "count", &step.serves);
    deed_mock__read_duration(object, "retry_after_ms", &step.retry_after_ms);
    deed_mock__read_word(object, "outcome", ending_words, &ending);
    step.ending = (enum deed_mock__ending)ending;
    deed_mock__read_word(object, "cut", cut_words, &cut);
    step.cut = (enum deed_mock__cut)cut;
    check_cut(object, &step, rules);
    read_landing(object, "land", &step.land);
    read_landing(object, "duplicates_land", &step.duplicates_land);
    read_verdict(object, &step);
    check_members(object, &step);
    check_class(object, &step, rules);
    if (step.serves == 0) {
        struct deed_mock__node count = deed_mock__member(object, "count");
        deed_mock__refuse(&count, "a step serves one attempt or more");
    }
    *out = step;
}

/* One thing, or a list of at least one. */
static size_t list_size(const struct deed_mock__node *node)
{
    if (!json_is_array(node->value)) {
        return 1;
    }
    size_t count = json_array_size(node->value);
    if (count == 0) {
        deed_mock__refuse(node, "is empty");
    }
    return count;
}

void deed_mock__read_steps(const struct deed_mock__node *node,
    const struct deed_mock__script_rules *rules, struct deed_mock__script *out)
{
    size_t count = list_size(node);
    out->steps = calloc(count + 1, sizeof(*out->steps)); /* + 1: an empty list is an error, later */
    if (out->steps == NULL) {
        deed_mock__refuse_memory(node);
        return;
    }
    out->steps_count = count;
    if (node->value == NULL) {
        out->steps[0] = step_default(DEED_MOCK__STEP_ANSWER);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct deed_mock__node item = json_is_array(node->value) ? deed_mock__item(node, i) : *node;
        read_step(&item, rules, &out->steps[i]);
    }
}

/* ---- sayings ----------------------------------------------------------------------------- */

static void read_saying(const struct deed_mock__node *node,
    const struct deed_mock__script_rules *rules, struct deed_mock__saying *out)
{
    static const char *const names[] = {"say", "count", NULL};
    int say = DEED_MOCK__SAY_TRUTH;
    uint64_t count = 2;
    if (json_is_string(node->value)) {
        deed_mock__read_word_here(node, say_words, &say);
    } else {
        deed_mock__only(node, names);
        deed_mock__read_word(node, "say", say_words, &say);
        deed_mock__read_count(node, "count", &count);
    }
    if ((say == DEED_MOCK__SAY_ABSENT || say == DEED_MOCK__SAY_PRESENT) && !rules->lying) {
        deed_mock__refuse(node, "only a lying provider says %s whatever happened", say_words[say]);
    }
    *out = (struct deed_mock__saying){(enum deed_mock__say)say, count};
}

void deed_mock__read_sayings(const struct deed_mock__node *node,
    const struct deed_mock__script_rules *rules, struct deed_mock__script *out)
{
    size_t count = list_size(node);
    out->sayings = calloc(count + 1, sizeof(*out->sayings));
    if (out->sayings == NULL) {
        deed_mock__refuse_memory(node);
        return;
    }
    out->sayings_count = count;
    if (node->value == NULL) {
        return; /* zero is the truth */
    }
    for (size_t i = 0; i < count; i++) {
        struct deed_mock__node item = json_is_array(node->value) ? deed_mock__item(node, i) : *node;
        read_saying(&item, rules, &out->sayings[i]);
    }
}

/* ---- by action key ----------------------------------------------------------------------- */

void deed_mock__read_scripts(const struct deed_mock__node *node,
    const struct deed_mock__script_rules *rules, deed_mock__read_list read_list,
    struct deed_mock__scripts *out)
{
    if (node->value == NULL) {
        return;
    }
    if (!json_is_object(node->value)) {
        deed_mock__refuse(node, "must be an object from action keys to lists");
        return;
    }
    out->items = calloc(json_object_size(node->value) + 1, sizeof(*out->items));
    if (out->items == NULL) {
        deed_mock__refuse_memory(node);
        return;
    }
    const char *pattern = NULL;
    json_t *value = NULL;
    json_object_foreach(node->value, pattern, value)
    {
        struct deed_mock__node member = deed_mock__member(node, pattern);
        struct deed_mock__script *script = &out->items[out->count++];
        size_t bytes = strlen(pattern);
        script->is_prefix = bytes > 0 && pattern[bytes - 1] == '*';
        script->pattern = strndup(pattern, script->is_prefix ? bytes - 1 : bytes);
        if (script->pattern == NULL) {
            deed_mock__refuse_memory(&member);
            return;
        }
        read_list(&member, rules, script);
    }
}

void deed_mock__script_finish(struct deed_mock__script *script)
{
    free(script->pattern);
    free(script->steps);
    free(script->sayings);
    *script = (struct deed_mock__script){.pattern = NULL};
}

void deed_mock__scripts_finish(struct deed_mock__scripts *scripts)
{
    for (size_t i = 0; i < scripts->count; i++) {
        deed_mock__script_finish(&scripts->items[i]);
    }
    free(scripts->items);
    *scripts = (struct deed_mock__scripts){NULL, 0};
}

/* How well it fits: 0 not at all; a whole key beats every start of one. */
static size_t fits(const struct deed_mock__script *script, const char *key)
{
    size_t bytes = strlen(script->pattern);
    if (!script->is_prefix) {
        return strcmp(script->pattern, key) == 0 ? SIZE_MAX : 0;
    }
    return strncmp(script->pattern, key, bytes) == 0 ? bytes + 1 : 0;
}

const struct deed_mock__script *deed_mock__script_for(const struct deed_mock__scripts *scripts,
    const struct deed_mock__script *fallback, const char *key)
{
    const struct deed_mock__script *best = fallback;
    size_t best_fit = 0;
    for (size_t i = 0; i < scripts->count; i++) {
        size_t fit = fits(&scripts->items[i], key);
        if (fit > best_fit) {
            best = &scripts->items[i];
            best_fit = fit;
        }
    }
    return best;
}

const struct deed_mock__step *deed_mock__step_for(
    const struct deed_mock__script *script, uint64_t attempt)
{
    size_t i = 0;
    uint64_t served = script->steps[0].serves;
    while (served < attempt && i + 1 < script->steps_count) {
        served += script->steps[++i].serves;
    }
    return &script->steps[i];
}

const struct deed_mock__saying *deed_mock__saying_for(
    const struct deed_mock__script *script, uint64_t look)
{
    size_t last = script->sayings_count - 1;
    return &script->sayings[look > last ? last : (size_t)(look > 0 ? look - 1 : 0)];
}

static bool script_uses(const struct deed_mock__script *script, enum deed_mock__step_kind kind)
{
    for (size_t i = 0; i < script->steps_count; i++) {
        if (script->steps[i].kind == kind) {
            return true;
        }
    }
    return false;
}

bool deed_mock__scripts_use(const struct deed_mock__scripts *scripts,
    const struct deed_mock__script *fallback, enum deed_mock__step_kind kind)
{
    bool found = script_uses(fallback, kind);
    for (size_t i = 0; i < scripts->count; i++) {
        found = found || script_uses(&scripts->items[i], kind);
    }
    return found;
}
