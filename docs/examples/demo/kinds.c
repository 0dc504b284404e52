/* SPDX-License-Identifier: MIT
 *
 * kinds.c - the providers of the demonstration, made from the same configuration as the command's.
 */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/mock/executor.h>

static const struct duration {
    const char *name;
    size_t offset;
} durations[] = {
    {"send_ms", offsetof(struct deed_profile, send_ms)},
    {"answer_ms", offsetof(struct deed_profile, answer_ms)},
    {"landing_ms", offsetof(struct deed_profile, landing_ms)},
    {"window_ms", offsetof(struct deed_profile, window_ms)},
    {"lag_ms", offsetof(struct deed_profile, lag_ms)},
    {"reach_ms", offsetof(struct deed_profile, reach_ms)},
    {"backoff_base_ms", offsetof(struct deed_profile, backoff_base_ms)},
    {"backoff_cap_ms", offsetof(struct deed_profile, backoff_cap_ms)},
};

static bool is_word(const json_t *value, const char *word)
{
    return json_is_string(value) && strcmp(json_string_value(value), word) == 0;
}

static bool read_duration(const char *name, const json_t *value, struct deed_profile *profile)
{
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        if (strcmp(durations[i].name, name) == 0) {
            int64_t number = json_integer_value(value);
            number = is_word(value, "forever") ? DEED_FOREVER : number;
            memcpy((char *)profile + durations[i].offset, &number, sizeof number);
            return json_is_integer(value) || number == DEED_FOREVER;
        }
    }
    return false;
}

static bool read_member(const char *name, const json_t *value, struct deed_profile *profile)
{
    if (strcmp(name, "consistency") == 0) {
        profile->consistency =
            is_word(value, "strong") ? DEED_CONSISTENCY_STRONG : DEED_CONSISTENCY_EVENTUAL;
        return is_word(value, "strong") || is_word(value, "eventual");
    }
    if (strcmp(name, "stored_errors") == 0) {
        profile->stored_errors = json_is_true(value);
        return json_is_boolean(value);
    }
    if (strcmp(name, "executor") == 0) {
        return is_word(value, "mock");
    }
    return strcmp(name, "options") == 0 || read_duration(name, value, profile);
}

static bool make_executor(const json_t *options, struct kind *kind)
{
    struct deed_error err = {0};
    char *text = json_dumps(options, JSON_COMPACT);
    deed_rc rc = text ? deed_mock_executor_new(text, NULL, &kind->executor, &err) : DEED_E_NOMEM;
    if (rc != DEED_OK) {
        (void)fprintf(stderr, "kinds.%s: %s\n", kind->name, err.text);
    }
    free(text);
    return rc == DEED_OK;
}

static bool read_kind(const char *name, json_t *object, struct kind *kind)
{
    *kind = (struct kind){.name = name, .profile = {.size = sizeof kind->profile}};
    const char *member = NULL;
    json_t *value = NULL;
    json_object_foreach(object, member, value)
    {
        if (!read_member(member, value, &kind->profile)) {
            (void)fprintf(stderr, "kinds.%s.%s: the demonstration cannot read it\n", name, member);
            return false;
        }
    }
    return make_executor(json_object_get(object, "options"), kind);
}

bool kinds_read(const char *path, struct kinds *out)
{
    json_error_t where;
    *out = (struct kinds){.root = json_load_file(path, JSON_REJECT_DUPLICATES, &where)};
    if (!out->root) {
        (void)fprintf(stderr, "%s:%d: %s\n", path, where.line, where.text);
        return false;
    }
    json_t *kinds = json_object_get(out->root, "kinds");
    out->items = calloc(json_object_size(kinds) + 1, sizeof *out->items);
    const char *name = NULL;
    json_t *object = NULL;
    json_object_foreach(kinds, name, object)
    {
        if (!out->items || !read_kind(name, object, &out->items[out->count])) {
            return false;
        }
        out->count++;
    }
    return out->count > 0;
}

void kinds_finish(struct kinds *kinds)
{
    for (size_t i = 0; i < kinds->count; i++) {
        deed_mock_executor_free(kinds->items[i].executor);
    }
    free(kinds->items);
    json_decref(kinds->root);
    *kinds = (struct kinds){0};
}
