/* SPDX-License-Identifier: MIT
 *
 * executors.c - the executors this build has, by name.
 */
#include "executors.h"

#include "error.h"

#include <deed/ext/error.h>
#include <deed/mock/executor.h>

#include <stdio.h>
#include <string.h>

static const struct factory {
    const char *name;
    deed_rc (*create)(const char *options_json, const struct deed_clock *clock,
        deed_executor **executor_out, struct deed_error *err);
} factories[] = {
    {"mock", deed_mock_executor_new},
};

#define FACTORY_COUNT (sizeof factories / sizeof factories[0])

static deed_rc no_such_executor(const struct config_kind *kind, struct deed_error *err)
{
    char names[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < FACTORY_COUNT && used < sizeof names; i++) {
        used += (size_t)snprintf(
            names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", factories[i].name);
    }
    return cli_error(err, DEED_E_INVALID, NULL,
        "kinds.%.60s.executor: this build has no executor \"%.40s\"; it has: %s", kind->kind,
        kind->executor, names);
}

static deed_rc register_one(
    deed_ledger *ledger, const struct config_kind *kind, struct deed_error *err)
{
    size_t i = 0;
    while (i < FACTORY_COUNT && strcmp(factories[i].name, kind->executor) != 0) {
        i++;
    }
    if (i == FACTORY_COUNT) {
        return no_such_executor(kind, err);
    }
    deed_executor *executor = NULL;
    deed_rc rc = factories[i].create(kind->options, NULL, &executor, err);
    if (rc == DEED_OK) {
        rc = deed_ledger_register(ledger, kind->kind, executor, &kind->profile, err);
    }
    if (rc != DEED_OK) {
        char place[80];
        (void)snprintf(place, sizeof place, "kinds.%.60s", kind->kind);
        deed_error_context(err, place);
    }
    return rc;
}

deed_rc executors_register(deed_ledger *ledger, const struct config *config, struct deed_error *err)
{
    for (size_t i = 0; i < config->kind_count; i++) {
        deed_rc rc = register_one(ledger, &config->kinds[i], err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return DEED_OK;
}
