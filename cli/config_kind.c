/* SPDX-License-Identifier: MIT
 *
 * config_kind.c - one member of "kinds" in the configuration.
 */
#include "config_kind.h"

#include "error.h"
#include "nearest.h"
#include "times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS_MAX 1000000

/* Members that are one duration. A zero is allowed where it says something: "none". Where the
 * library would take it for "not given", it is refused. */
static const struct duration {
    const char *name;
    size_t offset;
    int64_t least;
    const char *endless; /* the word for DEED_FOREVER, or NULL */
} durations[] = {
    {"send_ms", offsetof(struct deed_profile, send_ms), 1, NULL},
    {"answer_ms", offsetof(struct deed_profile, answer_ms), 1, NULL},
    {"landing_ms", offsetof(struct deed_profile, landing_ms), 1, "unbounded"},
    {"window_ms", offsetof(struct deed_profile, window_ms), 0, "forever"},
    {"lag_ms", offsetof(struct deed_profile, lag_ms), 0, NULL},
    {"reach_ms", offsetof(struct deed_profile, reach_ms), 0, "forever"},
    {"backoff_base_ms", offsetof(struct deed_profile, backoff_base_ms), 1, NULL},
    {"backoff_cap_ms", offsetof(struct deed_profile, backoff_cap_ms), 1, NULL},
};

/* Members with a form of their own. */
static const char *const others[] = {"executor", "options", "consistency", "stored_errors",
    "prefers_wait", "second_look_ms", "attempts_max"};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* "kinds.payment.landing_ms" */
struct place {
    const char *kind;
    const char *member;
};

static deed_rc wrong(struct place place, const char *what, struct deed_error *err)
{
    return cli_error(
        err, DEED_E_INVALID, NULL, "kinds.%.60s.%.40s: %s", place.kind, place.member, what);
}

static deed_rc read_number(struct place place, json_t *value, int64_t least, int64_t most,
    int64_t *number_out, struct deed_error *err)
{
    const int64_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < least || number > most) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "kinds.%.60s.%.40s: must be a whole number from %" PRId64 " to %" PRId64, place.kind,
            place.member, least, most);
    }
    *number_out = number;
    return DEED_OK;
}

/* A duration that is written as people say it: what is to be written instead. */
static deed_rc spoken_duration(
    struct place place, const char *text, const char *endless, struct deed_error *err)
{
    int64_t duration_ms = 0;
    char instead[60] = "";
    char word[60] = "";
    if (age_read(text, &duration_ms)) {
        (void)snprintf(instead, sizeof instead, "; %s is %" PRId64, text, duration_ms);
    }
    if (endless) {
        (void)snprintf(word, sizeof word, "; the only word for it is \"%s\"", endless);
    }
    return cli_error(err, DEED_E_INVALID, NULL,
        "kinds.%.60s.%.40s: must be a whole number of milliseconds, without quotes%s%s", place.kind,
        place.member, instead, word);
}

static deed_rc read_duration(struct place place, json_t *value, const struct duration *duration,
    struct deed_profile *profile, struct deed_error *err)
{
    int64_t *field = (int64_t *)(void *)((char *)profile + duration->offset);
    if (!json_is_string(value)) {
        return read_number(place, value, duration->least, DEED_DURATION_MS_MAX, field, err);
    }
    if (!duration->endless || strcmp(json_string_value(value), duration->endless) != 0) {
        return spoken_duration(place, json_string_value(value), duration->endless, err);
    }
    *field = DEED_FOREVER;
    return DEED_OK;
}

static deed_rc read_bool(struct place place, json_t *value, bool *flag_out, struct deed_error *err)
{
    if (!json_is_boolean(value)) {
        return wrong(place, "must be true or false", err);
    }
    *flag_out = json_is_true(value);
    return DEED_OK;
}

static deed_rc read_consistency(
    struct place place, json_t *value, deed_consistency *consistency_out, struct deed_error *err)
{
    const char *word = json_is_string(value) ? json_string_value(value) : "";
    if (strcmp(word, "strong") == 0) {
        *consistency_out = DEED_CONSISTENCY_STRONG;
    } else if (strcmp(word, "eventual") == 0) {
        *consistency_out = DEED_CONSISTENCY_EVENTUAL;
    } else {
        return wrong(
            place, "must be \"strong\" or \"eventual\"; where it is not known, leave it out", err);
    }
    return DEED_OK;
}

static deed_rc read_second_look(
    struct place place, json_t *value, int64_t look_ms_out[2], struct deed_error *err)
{
    if (!json_is_array(value) || json_array_size(value) != 2) {
        return wrong(place, "must be two numbers: [first, second]", err);
    }
    for (size_t i = 0; i < 2; i++) {
        deed_rc rc = read_number(
            place, json_array_get(value, i), 1, DEED_DURATION_MS_MAX, &look_ms_out[i], err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return DEED_OK;
}

static deed_rc read_options(
    struct place place, json_t *value, char **options_out, struct deed_error *err)
{
    if (!json_is_object(value)) {
        return wrong(place, "must be an object; the executor says what may be in it", err);
    }
    *options_out = json_dumps(value, JSON_COMPACT);
    return *options_out ? DEED_OK : cli_no_memory(err);
}

static deed_rc unknown_member(struct place place, struct deed_error *err)
{
    struct nearest nearest;
    nearest_start(&nearest, place.member);
    for (size_t i = 0; i < COUNT_OF(durations); i++) {
        const size_t stem = strlen(place.member);
        /* "landing" is most likely "landing_ms", whatever the count of letters says. */
        if (strncmp(durations[i].name, place.member, stem) == 0 &&
            strcmp(durations[i].name + stem, "_ms") == 0) {
            nearest.name = durations[i].name;
            nearest.distance = 0;
        }
        nearest_offer(&nearest, durations[i].name);
    }
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        nearest_offer(&nearest, others[i]);
    }
    return cli_error(err, DEED_E_INVALID, NULL, "kinds.%.60s.%.40s: a kind has no such member%s%s",
        place.kind, place.member, nearest.name ? "; the nearest is " : "",
        nearest.name ? nearest.name : "");
}

/* Members that are no duration. */
static deed_rc read_other(
    struct place place, json_t *value, struct config_kind *kind, struct deed_error *err)
{
    struct deed_profile *profile = &kind->profile;
    const char *member = place.member;
    if (strcmp(member, "executor") == 0) {
        kind->executor = json_string_value(value);
        return kind->executor ? DEED_OK : wrong(place, "must be the name of an executor", err);
    }
    if (strcmp(member, "options") == 0) {
        return read_options(place, value, &kind->options, err);
    }
    if (strcmp(member, "consistency") == 0) {
        return read_consistency(place, value, &profile->consistency, err);
    }
    if (strcmp(member, "stored_errors") == 0) {
        return read_bool(place, value, &profile->stored_errors, err);
    }
    if (strcmp(member, "prefers_wait") == 0) {
        return read_bool(place, value, &profile->prefers_wait, err);
    }
    if (strcmp(member, "second_look_ms") == 0) {
        return read_second_look(place, value, profile->second_look_ms, err);
    }
    if (strcmp(member, "attempts_max") == 0) {
        int64_t attempts = 0;
        deed_rc rc = read_number(place, value, 1, ATTEMPTS_MAX, &attempts, err);
        profile->attempts_max = (uint32_t)attempts;
        return rc;
    }
    return unknown_member(place, err);
}

static deed_rc read_member(
    struct place place, json_t *value, struct config_kind *kind, struct deed_error *err)
{
    for (size_t i = 0; i < COUNT_OF(durations); i++) {
        if (strcmp(durations[i].name, place.member) == 0) {
            return read_duration(place, value, &durations[i], &kind->profile, err);
        }
    }
    return read_other(place, value, kind, err);
}

deed_rc config_kind_read(
    const char *kind, json_t *value, struct config_kind *kind_out, struct deed_error *err)
{
    *kind_out = (struct config_kind){.kind = kind};
    kind_out->profile.size = sizeof kind_out->profile;
    if (!json_is_object(value)) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "kinds.%.60s: must be an object with at least `executor`", kind);
    }
    const char *member = NULL;
    json_t *item = NULL;
    json_object_foreach(value, member, item)
    {
        deed_rc rc = read_member((struct place){kind, member}, item, kind_out, err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    if (!kind_out->executor) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "kinds.%.60s: needs `executor`: who is to act for this kind", kind);
    }
    if (!kind_out->options) {
        kind_out->options = strdup("{}");
    }
    return kind_out->options ? DEED_OK : cli_no_memory(err);
}
