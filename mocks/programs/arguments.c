/* SPDX-License-Identifier: MIT
 *
 * The options of a program, read by its table.
 */
#include "programs/arguments.h"

#include <string.h>

#include <deed/ext/error.h>

/* "--name" or "--name=value"; `count`: there is none. */
static size_t find(const struct deed__arguments *arguments, const char *word)
{
    size_t bytes = strcspn(word, "=");
    size_t i = 0;
    if (strcmp(word, "-h") == 0) {
        word = "--help";
        bytes = strlen(word);
    }
    while (i < arguments->count &&
        (strncmp(word, "--", 2) != 0 || strlen(arguments->table[i].name) + 2 != bytes ||
            memcmp(arguments->table[i].name, word + 2, bytes - 2) != 0)) {
        i++;
    }
    return i;
}

static deed_rc read_one(
    const struct deed__arguments *arguments, int argc, char **argv, int *at, struct deed_error *err)
{
    const char *word = argv[(*at)++];
    const char *inside = strchr(word, '=');
    size_t id = find(arguments, word);
    if (id == arguments->count) {
        return deed_error_set(err, DEED_E_INVALID, arguments->program,
            "%s does not take `%.60s`; `deed %s --help` lists what it takes", arguments->program,
            word, arguments->program);
    }
    const struct deed__argument *argument = &arguments->table[id];
    if (arguments->values[id] != NULL) {
        return deed_error_set(err, DEED_E_INVALID, arguments->program,
            "--%s is given twice; which one is meant?", argument->name);
    }
    if (argument->value == NULL && inside != NULL) {
        return deed_error_set(err, DEED_E_INVALID, arguments->program,
            "--%s takes no value; leave out `=`", argument->name);
    }
    if (argument->value != NULL && inside == NULL && *at >= argc) {
        return deed_error_set(err, DEED_E_INVALID, arguments->program,
            "--%s needs a value: --%s %s", argument->name, argument->name, argument->value);
    }
    arguments->values[id] = inside != NULL ? inside + 1 : "";
    if (argument->value != NULL && inside == NULL) {
        arguments->values[id] = argv[(*at)++];
    }
    return DEED_OK;
}

deed_rc deed__arguments_read(
    const struct deed__arguments *arguments, int argc, char **argv, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    for (int at = 1; at < argc && rc == DEED_OK;) {
        rc = read_one(arguments, argc, argv, &at, err);
    }
    return rc;
}

void deed__arguments_print(const struct deed__arguments *arguments, FILE *out)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const struct deed__argument *argument = &arguments->table[i];
        char usage[60];
        (void)snprintf(usage, sizeof(usage), "--%s%s%s", argument->name,
            argument->value != NULL ? " " : "", argument->value != NULL ? argument->value : "");
        (void)fprintf(out, "  %-22s %s\n", usage, argument->help);
    }
}
