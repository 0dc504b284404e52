/* SPDX-License-Identifier: MIT
 *
 * Faults of network and provider, as scripts of the mock: one of them for a run. Each stays within
 * what its class may do, and lands what is late within the landing allowance of the profile: what
 * goes beyond is no fault but a broken declaration. A network that delivers twice is left to
 * providers with keys; at others no ledger can help.
 */
#include "simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "simulate/classes.h"

#define ASKED (LOOKUP | KEYED_LOOKUP)
#define KEYS  (KEYED | KEYED_LOOKUP)

#define SCRIPT(steps)  "{\"script\":[" steps "]}"
#define DO(what)       "{\"do\":\"" what "\"}"
#define ANSWER         DO("answer")
#define LATE(land)     "{\"do\":\"late\",\"land\":{" land "}}"
#define LOOKS(sayings) "{\"script\":[{\"do\":\"lose\"}," ANSWER "],\"lookup_script\":[" sayings "]}"

static const struct deed_crash__fault faults[] = {
    {"unreachable", "B1", ALL, SCRIPT(DO("unreachable") "," ANSWER), 0, 0, false},
    {"refuse", "B1", ALL, SCRIPT(DO("refuse") "," ANSWER), 0, 0, false},
    {"lose", "B2", ALL, SCRIPT(DO("lose") "," ANSWER), 0, 0, false},
    {"lose-twice", "B2", ALL, SCRIPT(DO("lose") "," DO("lose") "," ANSWER), 0, 0, false},
    {"late-at-once", "B3", ALL, SCRIPT(LATE("\"after_ms\":1") "," ANSWER), 0, 0, false},
    {"late-in-lease", "B3", ALL, SCRIPT(LATE("\"after_ms\":500") "," ANSWER), 0, 0, false},
    {"late-after-lease", "B3", ALL, SCRIPT(LATE("\"after_ms\":3500") "," ANSWER), 0, 0, false},
    {"late-at-the-horizon", "B3", ALL, SCRIPT(LATE("\"after_ms\":4990") "," ANSWER), 0, 0, false},
    {"late-after-a-look", "B3", ASKED,
        SCRIPT(LATE("\"after_looks\":1,\"after_ms\":4990") "," ANSWER), 0, 0, false},
    {"late-after-two-looks", "B3", ASKED,
        SCRIPT(LATE("\"after_looks\":2,\"after_ms\":4990") "," ANSWER), 0, 0, false},
    {"twice", "B4", KEYS, SCRIPT("{\"do\":\"answer\",\"duplicates\":1}"), 0, 0, false},
    {"twice-and-late", "B4", KEYS,
        SCRIPT("{\"do\":\"answer\",\"duplicates\":1,\"duplicates_land\":{\"after_ms\":3500}}"), 0,
        0, false},
    {"lost-and-twice", "B4", KEYS,
        SCRIPT(
            "{\"do\":\"lose\",\"duplicates\":2,\"duplicates_land\":{\"after_ms\":4000}}," ANSWER),
        0, 0, false},
    {"reordered", "B5", KEYS,
        SCRIPT(LATE("\"after_ms\":4990") "," LATE("\"after_ms\":200") "," ANSWER), 0, 0, false},
    {"look-fails", "B6", ASKED, LOOKS("\"error\",\"truth\""), 0, 0, false},
    {"look-incomplete", "B6", ASKED, LOOKS("\"incomplete\",\"truth\""), 0, 0, false},
    {"look-stale", "B6", ASKED,
        "{\"script\":[{\"do\":\"lose\"},{\"do\":\"answer\"}],\"lookup\":{\"lag_ms\":500,"
        "\"consistency\":\"eventual\",\"stale_looks\":1}}",
        0, 0, true},
    {"look-forgets", "B6", ASKED,
        "{\"script\":[{\"do\":\"lose\"},{\"do\":\"answer\"}],\"lookup\":{\"lag_ms\":500,"
        "\"reach_ms\":6000}}",
        0, 5500, false},
    {"look-sees-several", "B6", ASKED,
        "{\"script\":{\"do\":\"lose\"},\"lookup_script\":{\"say\":\"several\",\"count\":2}}", 0, 0,
        false},
    {"look-sees-another", "B9", ASKED, LOOKS("\"wrong_marker\",\"truth\""), 0, 0, false},
    {"look-sees-other-bytes", "B9", ASKED, LOOKS("\"wrong_digest\",\"truth\""), 0, 0, false},
    {"cancel-fails", "B6", CLOSABLE,
        "{\"script\":[{\"do\":\"lose\"},{\"do\":\"answer\"}],\"cancel_script\":[\"error\","
        "\"truth\"]}",
        0, 0, false},
    {"cancel-lost", "B6", CLOSABLE,
        "{\"script\":[{\"do\":\"error\"},{\"do\":\"answer\"}],\"cancel_script\":[\"lose\","
        "\"truth\"]}",
        0, 0, false},
    {"window-over", "B7", KEYS,
        "{\"script\":[{\"do\":\"lose\"},{\"do\":\"answer\"}],\"window_ms\":4000}", 4000, 0, false},
    {"in-progress", "B7", KEYS, SCRIPT(DO("lose") "," DO("in_progress") "," ANSWER), 0, 0, false},
    {"mismatch", "B7", KEYS, SCRIPT(DO("lose") "," DO("mismatch") "," ANSWER), 0, 0, false},
    {"error-stored", "B7", KEYS,
        "{\"script\":[{\"do\":\"error_stored\"},{\"do\":\"answer\"}],\"stored_errors\":true}", 0, 0,
        false},
    {"pending", "B8", ALL, SCRIPT("{\"do\":\"pending\",\"land\":{\"after_ms\":4000}}," ANSWER), 0,
        0, false},
    {"pending-then-rejected", "B8", ALL,
        SCRIPT(
            "{\"do\":\"pending\",\"outcome\":\"rejected\",\"land\":{\"after_ms\":4000}}," ANSWER),
        0, 0, false},
    {"rejected", "B8", ALL, SCRIPT(DO("reject")), 0, 0, false},
    {"rejected-and-lost", "B8", ALL, SCRIPT("{\"do\":\"reject\",\"lost\":true}," ANSWER), 0, 0,
        false},
    {"garbage", "B11", ALL, SCRIPT("{\"do\":\"garbage\",\"verdict\":99}," ANSWER), 0, 0, false},
    {"hang", "B11", ALL, SCRIPT(DO("hang") "," ANSWER), 0, 0, false},
    {"error", "B11", ALL, SCRIPT(DO("error") "," ANSWER), 0, 0, false},
};
#define FAULTS (sizeof(faults) / sizeof(faults[0]))

static bool is_of(const struct deed_crash_setup *setup, const struct deed_crash__fault *fault)
{
    bool wanted = setup->fault == NULL || strcmp(setup->fault, fault->name) == 0;
    return wanted && !setup->no_faults && (fault->classes & (1U << setup->provider)) != 0;
}

uint32_t deed_crash__fault_count(const struct deed_crash_setup *setup)
{
    uint32_t count = 1;
    for (size_t i = 0; i < FAULTS; i++) {
        count += is_of(setup, &faults[i]) ? 1 : 0;
    }
    return count;
}

const struct deed_crash__fault *deed_crash__fault_at(
    const struct deed_crash_setup *setup, uint32_t number)
{
    static const struct deed_crash__fault none = {"none", "-", ALL, NULL, 0, 0, false};
    for (size_t i = 0; i < FAULTS && number > 0; i++) {
        if (is_of(setup, &faults[i]) && --number == 0) {
            return &faults[i];
        }
    }
    return &none;
}

const char *deed_crash_fault_name(deed_provider_class provider, uint32_t number)
{
    for (size_t i = 0; i < FAULTS; i++) {
        if ((faults[i].classes & (1U << provider)) != 0 && number-- == 0) {
            return faults[i].name;
        }
    }
    return NULL;
}

/* ---- options ----------------------------------------------------------------------------- */

static const char *class_options(deed_provider_class provider_class)
{
    static const char *const options[] = {
        [DEED_CLASS_BLIND] = "{}",
        [DEED_CLASS_LOOKUP] = "{\"lookup\":{\"lag_ms\":500}}",
        [DEED_CLASS_KEYED] = "{\"window_ms\":600000}",
        [DEED_CLASS_KEYED_LOOKUP] = "{\"window_ms\":600000,\"lookup\":{\"lag_ms\":500}}",
        [DEED_CLASS_CLOSABLE] = "{}",
    };
    return options[provider_class];
}

static deed_rc add_members(json_t *options, const char *text, struct deed_error *err)
{
    json_error_t why;
    json_t *more = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    bool added = json_is_object(more) && json_object_update(options, more) == 0;
    json_decref(more);
    return added ? DEED_OK
                 : deed_error_set(err, DEED_E_INVALID, DEED_CRASH__ORIGIN,
                       "provider_options must be one JSON object: %s",
                       why.text[0] == '\0' ? "it is something else" : why.text);
}

deed_rc deed_crash__provider_options(const struct deed_crash_setup *setup,
    const struct deed_crash__fault *fault, deed_provider_class provider_class, const char *name,
    char **text_out, struct deed_error *err)
{
    bool is_own = provider_class == setup->provider; /* the others are there, and behave */
    char *text = NULL;
    json_t *options = json_pack("{s:s, s:o}", "class", deed_provider_class_name(provider_class),
        "name", json_sprintf("mock-%s", name));
    deed_rc rc = options == NULL
        ? deed_error_set(err, DEED_E_NOMEM, DEED_CRASH__ORIGIN, "no memory for options")
        : add_members(options, class_options(provider_class), err);
    if (rc == DEED_OK && is_own && setup->provider_options != NULL) {
        rc = add_members(options, setup->provider_options, err);
    }
    if (rc == DEED_OK && is_own && fault != NULL && fault->options != NULL) {
        rc = add_members(options, fault->options, err);
    }
    if (rc == DEED_OK) {
        text = json_dumps(options, JSON_COMPACT);
        rc = text != NULL
            ? DEED_OK
            : deed_error_set(err, DEED_E_NOMEM, DEED_CRASH__ORIGIN, "no memory for options");
    }
    json_decref(options);
    *text_out = text;
    return rc;
}

struct deed_profile deed_crash__profile(
    const struct deed_crash__fault *fault, deed_provider_class provider_class)
{
    bool keyed = provider_class == DEED_CLASS_KEYED || provider_class == DEED_CLASS_KEYED_LOOKUP;
    bool asked = provider_class == DEED_CLASS_LOOKUP || provider_class == DEED_CLASS_KEYED_LOOKUP;
    int64_t window_ms = fault->window_ms != 0 ? fault->window_ms : DEED_CRASH__WINDOW_MS;
    int64_t reach_ms = fault->reach_ms != 0 ? fault->reach_ms : DEED_CRASH__REACH_MS;
    deed_consistency consistency =
        fault->eventual ? DEED_CONSISTENCY_EVENTUAL : DEED_CONSISTENCY_STRONG;
    return (struct deed_profile){
        .size = sizeof(struct deed_profile),
        .send_ms = DEED_CRASH__SEND_MS,
        .answer_ms = DEED_CRASH__ANSWER_MS,
        .landing_ms = DEED_CRASH__LANDING_MS,
        .window_ms = keyed ? window_ms : 0,
        .lag_ms = asked ? DEED_CRASH__LAG_MS : 0,
        .reach_ms = asked ? reach_ms : 0,
        .consistency = asked ? consistency : DEED_CONSISTENCY_UNKNOWN,
        .attempts_max = 6,
        .backoff_base_ms = 100,
        .backoff_cap_ms = 1000,
    };
}

deed_provider_class deed_crash__class_of(const struct deed_crash_setup *setup, const char *kind)
{
    for (int i = DEED_CLASS_BLIND; setup->kinds == NULL && i <= DEED_CLASS_CLOSABLE; i++) {
        if (strcmp(kind, deed_provider_class_name((deed_provider_class)i)) == 0) {
            return (deed_provider_class)i;
        }
    }
    return setup->provider;
}

uint32_t deed_crash__abilities(const struct deed_crash_setup *setup, const char *kind)
{
    deed_provider_class provider_class = deed_crash__class_of(setup, kind);
    const char *options = setup->provider_options;
    bool is_own = provider_class == setup->provider && options != NULL;
    uint32_t abilities = 0;
    if (provider_class == DEED_CLASS_KEYED || provider_class == DEED_CLASS_KEYED_LOOKUP ||
        (is_own && strstr(options, "\"window_ms\"") != NULL)) {
        abilities |= DEED_CRASH__CAN_KEY;
    }
    if (provider_class == DEED_CLASS_LOOKUP || provider_class == DEED_CLASS_KEYED_LOOKUP ||
        (is_own && strstr(options, "\"lookup\"") != NULL)) {
        abilities |= DEED_CRASH__CAN_LOOKUP;
    }
    abilities |= provider_class == DEED_CLASS_CLOSABLE ? DEED_CRASH__CAN_CLOSE : 0;
    abilities |= is_own && strstr(options, "\"lying\"") != NULL ? DEED_CRASH__CAN_LIE : 0;
    return abilities;
}
