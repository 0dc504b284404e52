/* SPDX-License-Identifier: MIT
 *
 * kind_warning.c - a kind that the configuration does not know is most likely misspelt.
 */
#include "kind_warning.h"

#include "nearest.h"

#include <string.h>

static bool is_configured(const struct config *config, const char *kind)
{
    for (size_t i = 0; i < config->kind_count; i++) {
        const char *configured = config->kinds[i].kind;
        if (strcmp(configured, kind) == 0 || strcmp(configured, DEED_KIND_OTHERS) == 0) {
            return true;
        }
    }
    return false;
}

void kind_warning_tell(
    struct kind_warning *warning, struct cli *cli, const struct deed_result *result, size_t line)
{
    const struct config *config = &cli->config;
    /* Who records may know nothing of who runs: without any kind there is nothing to compare with. A
     * kind that was cut for showing cannot be compared either. */
    if (!result->created || config->kind_count == 0 || is_configured(config, result->kind) ||
        strlen(result->kind) >= DEED_KIND_SHOWN_BYTES) {
        return;
    }
    if (!warning->told) {
        warning->told = json_object();
    }
    if (json_object_get(warning->told, result->kind)) {
        return;
    }
    (void)json_object_set_new(warning->told, result->kind, json_true());
    struct nearest nearest;
    nearest_start(&nearest, result->kind);
    for (size_t i = 0; i < config->kind_count; i++) {
        nearest_offer(&nearest, config->kinds[i].kind);
    }
    output_warning(&cli->out, result->key, line,
        "the configuration has no kind \"%.80s\"%s%.80s%s; %s is bound to it for ever, and nothing "
        "is "
        "sent until it is configured",
        result->kind, nearest.name ? "; the nearest is \"" : "", nearest.name ? nearest.name : "",
        nearest.name ? "\"" : "", result->key);
}

void kind_warning_finish(struct kind_warning *warning)
{
    json_decref(warning->told);
    warning->told = NULL;
}
