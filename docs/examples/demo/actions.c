/* SPDX-License-Identifier: MIT
 *
 * actions.c - the file of actions: one JSON object a line, as `deed record --from` takes it.
 */
#include "actions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct deed_text text_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return (struct deed_text){json_string_value(value), json_string_length(value)};
}

static bool is_known(const struct actions *actions, const char *key)
{
    for (size_t i = 0; i < actions->count; i++) {
        if (strcmp(actions->items[i].key, key) == 0) {
            return true;
        }
    }
    return false;
}

static bool add(struct actions *actions, json_t *line)
{
    struct action action = {
        .line = line,
        .key = json_string_value(json_object_get(line, "action_key")),
        .payload = {text_of(line, "kind"), text_of(line, "target"), text_of(line, "body")},
    };
    if (!action.key || deed_key_check(action.key, NULL) != DEED_OK ||
        deed_payload_check(&action.payload, NULL) != DEED_OK) {
        json_decref(line);
        return false;
    }
    if (is_known(actions, action.key)) {
        json_decref(line);
        return true;
    }
    struct action *items =
        realloc(actions->items, (actions->count + 1) * sizeof *items); /* a few dozen lines */
    if (!items) {
        json_decref(line);
        return false;
    }
    actions->items = items;
    actions->items[actions->count++] = action;
    return true;
}

bool actions_read(const char *path, struct actions *out)
{
    *out = (struct actions){0};
    FILE *file = fopen(path, "re");
    if (!file) {
        perror(path);
        return false;
    }
    char *text = NULL;
    size_t capacity = 0;
    bool ok = true;
    for (int number = 1; ok && getline(&text, &capacity, file) >= 0; number++) {
        json_t *line = json_loads(text, 0, NULL);
        ok = line && add(out, line);
        if (!ok) {
            (void)fprintf(stderr, "%s:%d: this line is no action\n", path, number);
        }
    }
    free(text);
    (void)fclose(file);
    return ok;
}

void actions_finish(struct actions *actions)
{
    for (size_t i = 0; i < actions->count; i++) {
        json_decref(actions->items[i].line);
    }
    free(actions->items);
    *actions = (struct actions){0};
}
