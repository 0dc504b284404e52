/* SPDX-License-Identifier: MIT
 *
 * schema_check SCHEMA         each line of standard input is JSON and meets the schema
 * schema_check --whole SCHEMA all of standard input is one JSON value that does
 * schema_check --field NAME   prints that member of each line: a string as it is, else as JSON
 *
 * What the scripts beside it read JSON with.
 */
#include "schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_value(const json_t *root, json_t *value, size_t line)
{
    char why[5000] = "";
    const bool ok = schema_meets(root, root, value, why, sizeof why);
    if (!ok) {
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        (void)fprintf(stderr, "line %zu %s\n  in %s\n", line, why, text ? text : "");
        free(text);
    }
    json_decref(value);
    return ok ? 0 : 1;
}

static int print_field(json_t *value, const char *name)
{
    json_t *field = json_object_get(value, name);
    if (json_is_string(field)) {
        (void)printf("%s\n", json_string_value(field));
    } else {
        char *text = field ? json_dumps(field, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
        (void)printf("%s\n", text ? text : "missing");
        free(text);
    }
    json_decref(value);
    return 0;
}

static int each_line(const json_t *root, const char *field)
{
    char *text = NULL;
    size_t capacity = 0;
    int faults = 0;
    json_error_t error;
    for (size_t line = 1; getline(&text, &capacity, stdin) >= 0; line++) {
        json_t *value =
            json_loads(text, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
        if (!value) {
            (void)fprintf(stderr, "line %zu is no JSON: %s\n  in %s", line, error.text, text);
            faults++;
        } else {
            faults += field ? print_field(value, field) : check_value(root, value, line);
        }
    }
    free(text);
    return faults;
}

int main(int argc, char **argv)
{
    json_error_t error;
    const bool whole = argc == 3 && strcmp(argv[1], "--whole") == 0;
    const bool field = argc == 3 && strcmp(argv[1], "--field") == 0;
    if (argc != 2 && !whole && !field) {
        return 2;
    }
    if (field) {
        return each_line(NULL, argv[2]) == 0 ? 0 : 1;
    }
    json_t *root = json_load_file(argv[argc - 1], JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        (void)fprintf(stderr, "%s: %s at line %d\n", argv[argc - 1], error.text, error.line);
        return 2;
    }
    int faults = 0;
    if (whole) {
        json_t *value = json_loadf(stdin, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
        faults = value ? check_value(root, value, 1) : 1;
    } else {
        faults = each_line(root, NULL);
    }
    json_decref(root);
    return faults == 0 ? 0 : 1;
}
