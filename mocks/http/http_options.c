/* SPDX-License-Identifier: MIT
 *
 * The options of the executor mock-http, read strictly.
 */
#include "http/http_options.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "provider.h"

#define ORIGIN         "executor.mock-http"
#define ASK_MS_DEFAULT 10000

static const char *const member_names[] = {
    "url", "class", "lookup", "account", "name", "version", "ask_ms", NULL};

static void read_class(const struct deed_mock__node *root, struct deed__http_executor_options *out)
{
    int word = -1;
    struct deed_mock__node node = deed_mock__member(root, "class");
    struct deed_mock__node lookup = deed_mock__member(root, "lookup");
    deed_mock__read_word_here(&node, deed_mock__class_words, &word);
    if (node.value == NULL) {
        deed_mock__refuse(&node, "is missing: blind, lookup, keyed, keyed+lookup or closable");
    }
    out->closes = word == DEED_CLASS_CLOSABLE;
    out->looks = word == DEED_CLASS_LOOKUP || word == DEED_CLASS_KEYED_LOOKUP;
    if (lookup.value != NULL && !out->closes) {
        deed_mock__refuse(
            &lookup, "the class says whether it can be asked; only closable leaves it open");
    }
    deed_mock__read_flag(root, "lookup", &out->looks);
}

static void read_url(const struct deed_mock__node *root, struct deed__http_executor_options *out)
{
    struct deed_mock__node node = deed_mock__member(root, "url");
    deed_mock__read_text(root, "url", &out->url);
    if (node.value == NULL) {
        deed_mock__refuse(
            &node, "is missing: http://127.0.0.1:PORT, as deed mock-provider prints it");
    }
    const char *wrong = out->url != NULL ? deed__http_peer_read(out->url, &out->peer) : NULL;
    if (wrong != NULL) {
        deed_mock__refuse(&node, "%s", wrong);
    }
}

deed_rc deed__http_executor_options_read(const char *options_json,
    struct deed__http_executor_options *options_out, struct deed_error *err)
{
    json_error_t where;
    *options_out = (struct deed__http_executor_options){.ask_ms = ASK_MS_DEFAULT};
    json_t *options = json_loads(options_json, JSON_REJECT_DUPLICATES, &where);
    if (options == NULL) {
        return deed_error_set(err, DEED_E_INVALID, ORIGIN, "no JSON: line %d, column %d: %s",
            where.line, where.column, where.text);
    }
    struct deed_mock__reader reader = {.rc = DEED_OK, .err = err, .origin = ORIGIN};
    const struct deed_mock__node root = {.reader = &reader, .value = options};
    deed_mock__only(&root, member_names);
    read_url(&root, options_out);
    read_class(&root, options_out);
    deed_mock__read_text(&root, "account", &options_out->account);
    deed_mock__read_text(&root, "name", &options_out->name);
    deed_mock__read_text(&root, "version", &options_out->version);
    deed_mock__read_duration(&root, "ask_ms", &options_out->ask_ms);
    struct deed_mock__node ask = deed_mock__member(&root, "ask_ms");
    if (options_out->ask_ms == 0 || options_out->ask_ms == DEED_FOREVER) {
        deed_mock__refuse(&ask, "must have an end, and not be zero");
    }
    if (!deed_mock__default_text(&options_out->account, "acct-1") ||
        !deed_mock__default_text(&options_out->name, "mock-http") ||
        !deed_mock__default_text(&options_out->version, DEED_VERSION)) {
        deed_mock__refuse_memory(&root);
    }
    json_decref(options);
    return reader.rc;
}

void deed__http_executor_options_finish(struct deed__http_executor_options *options)
{
    free(options->url);
    free(options->account);
    free(options->name);
    free(options->version);
    *options = (struct deed__http_executor_options){.url = NULL};
}
