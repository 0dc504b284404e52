/* SPDX-License-Identifier: MIT
 *
 * The words in docs/reference/output.schema.json are those of the library, all of them and no others.
 *
 * Method: for each list of words in the schema, ask the library for the name of 0, 1, 2, ... and compare.
 */
#include <deed/ledger.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char *code(int i)
{
    return deed_rc_name((deed_rc)i);
}

static const char *state(int i)
{
    return deed_state_name((deed_state)i);
}

static const char *outcome(int i)
{
    return deed_outcome_name((deed_outcome)i);
}

static const char *verdict(int i)
{
    return deed_verdict_name((deed_verdict)i);
}

static const char *grade(int i)
{
    return deed_grade_name((deed_grade)i);
}

static const char *cause(int i)
{
    return deed_cause_name((deed_cause)i);
}

static const char *event(int i)
{
    return deed_event_name((deed_event)i);
}

static const char *provider_class(int i)
{
    return deed_provider_class_name((deed_provider_class)i);
}

static const char *reason(int i)
{
    return deed_reason_name((deed_reason)i);
}

static const struct {
    const char *list;
    int first;
    const char *(*name)(int i);
} lists[] = {
    {"code", 0, code},
    {"state", 1, state}, /* before the record there is nothing to show */
    {"outcome", 0, outcome},
    {"verdict", 0, verdict},
    {"grade", 0, grade},
    {"cause", 1, cause},
    {"event_name", 1, event},
    {"provider_class", 0, provider_class},
    {"reason", 1, reason},
};

int main(void)
{
    json_error_t error;
    json_t *root = json_load_file(DEED_SOURCE_DIR "/docs/reference/output.schema.json", 0, &error);
    int faults = root ? 0 : 1;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const json_t *list =
            json_object_get(json_object_get(json_object_get(root, "$defs"), lists[i].list), "enum");
        size_t count = 0;
        for (; lists[i].name(lists[i].first + (int)count); count++) {
            const char *want = lists[i].name(lists[i].first + (int)count);
            const char *got = json_string_value(json_array_get(list, count));
            if (!got || strcmp(want, got) != 0) {
                (void)fprintf(stderr, "%s: word %zu is %s in the library, %s in the schema\n",
                    lists[i].list, count, want, got ? got : "missing");
                faults++;
            }
        }
        if (json_array_size(list) != count) {
            (void)fprintf(stderr, "%s: the schema has words the library has not\n", lists[i].list);
            faults++;
        }
    }
    json_decref(root);
    return faults == 0 ? 0 : 1;
}
