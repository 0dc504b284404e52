/* SPDX-License-Identifier: MIT
 *
 * Reading a provider from its options. What its class rules out is refused with its place, unless
 * the options say that it lies.
 */
#include "provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#define ORIGIN "mock.options"

static const char *const member_names[] = {"world", "class", "account", "endpoint", "name",
    "version", "script", "scripts", "lookup", "lookup_script", "lookup_scripts", "poll_script",
    "cancel_script", "window_ms", "stored_errors", "replay_marker", "lying", NULL};

const char *const deed_mock__class_words[] = {
    "blind", "lookup", "keyed", "keyed+lookup", "closable", NULL};

/* A closable provider may also be keyed or asked, if its options say so. */
static void read_class(const struct deed_mock__node *root, struct deed_mock__provider *out)
{
    int word = -1;
    struct deed_mock__node node = deed_mock__member(root, "class");
    deed_mock__read_word_here(&node, deed_mock__class_words, &word);
    if (node.value == NULL) {
        deed_mock__refuse(&node, "is missing: blind, lookup, keyed, keyed+lookup or closable");
    }
    bool closable = word == DEED_CLASS_CLOSABLE;
    out->closable = closable;
    out->keyed = word == DEED_CLASS_KEYED || word == DEED_CLASS_KEYED_LOOKUP ||
        (closable && json_object_get(root->value, "window_ms") != NULL);
    out->looks = word == DEED_CLASS_LOOKUP || word == DEED_CLASS_KEYED_LOOKUP ||
        (closable && json_object_get(root->value, "lookup") != NULL);
}

static void refuse_without(
    const struct deed_mock__node *root, const char *name, bool allowed, const char *reason)
{
    struct deed_mock__node node = deed_mock__member(root, name);
    if (node.value != NULL && !allowed) {
        deed_mock__refuse(&node, "%s", reason);
    }
}

static void read_lookup(const struct deed_mock__node *root, struct deed_mock__provider *out)
{
    static const char *const names[] = {"lag_ms", "reach_ms", "consistency", "stale_looks",
        "shows_pending", "shows_rejected", NULL};
    static const char *const words[] = {"unknown", "strong", "eventual", NULL};
    struct deed_mock__node node = deed_mock__member(root, "lookup");
    if (node.value == NULL) {
        return;
    }
    int consistency = DEED_CONSISTENCY_STRONG;
    deed_mock__only(&node, names);
    deed_mock__read_duration(&node, "lag_ms", &out->lag_ms);
    deed_mock__read_duration(&node, "reach_ms", &out->reach_ms);
    deed_mock__read_word(&node, "consistency", words, &consistency); /* as deed_consistency */
    deed_mock__read_count(&node, "stale_looks", &out->stale_looks);
    deed_mock__read_flag(&node, "shows_pending", &out->shows_pending);
    deed_mock__read_flag(&node, "shows_rejected", &out->shows_rejected);
    out->consistency = (deed_consistency)consistency;
    struct deed_mock__node stale = deed_mock__member(&node, "stale_looks");
    uint64_t allowed = out->consistency == DEED_CONSISTENCY_STRONG ? 0 : 1;
    if (out->stale_looks > allowed && !out->lying) {
        deed_mock__refuse(&stale, "only a lying provider hides it from so many looks");
    }
}

static void read_who(
    const struct deed_mock__node *root, bool world_given, struct deed_mock__provider *out)
{
    deed_mock__read_text(root, "world", &out->world_path);
    deed_mock__read_text(root, "name", &out->name);
    deed_mock__read_text(root, "version", &out->version);
    deed_mock__read_text(root, "account", &out->account);
    deed_mock__read_text(root, "endpoint", &out->endpoint);
    struct deed_mock__node world = deed_mock__member(root, "world");
    if (world_given && world.value != NULL) {
        deed_mock__refuse(&world, "the world was given already");
    }
    if (!world_given && world.value == NULL) {
        deed_mock__refuse(&world, "is missing: the file in which what happens is counted");
    }
}

static void read_behaviour(const struct deed_mock__node *root, struct deed_mock__provider *out)
{
    deed_mock__read_flag(root, "lying", &out->lying);
    read_class(root, out);
    const char *no_keys = "a provider of this class knows no keys";
    refuse_without(root, "window_ms", out->keyed, no_keys);
    refuse_without(root, "stored_errors", out->keyed, no_keys);
    refuse_without(root, "replay_marker", out->keyed, no_keys);
    refuse_without(root, "lookup", out->looks, "a provider of this class cannot be asked");
    refuse_without(root, "lookup_script", out->looks, "this provider cannot be asked");
    refuse_without(root, "lookup_scripts", out->looks, "this provider cannot be asked");
    refuse_without(root, "cancel_script", out->closable, "this provider closes no keys");
    deed_mock__read_duration(root, "window_ms", &out->window_ms);
    deed_mock__read_flag(root, "stored_errors", &out->stores_errors);
    deed_mock__read_flag(root, "replay_marker", &out->marks_replays);
    read_lookup(root, out);
}

/* Sayings that mean nothing for the kind of question. */
static void check_sayings(
    const struct deed_mock__node *node, const struct deed_mock__script *script, bool is_cancel)
{
    for (size_t i = 0; i < script->sayings_count; i++) {
        enum deed_mock__say say = script->sayings[i].say;
        bool fits_cancel = say == DEED_MOCK__SAY_TRUTH || say == DEED_MOCK__SAY_ERROR ||
            say == DEED_MOCK__SAY_LOSE;
        if (is_cancel && !fits_cancel) {
            deed_mock__refuse(node, "a cancel says truth, error or lose");
        } else if (!is_cancel && say == DEED_MOCK__SAY_LOSE) {
            deed_mock__refuse(node, "only a cancel is lost; a look that is lost is an error");
        }
    }
}

static void read_scripts(
    const struct deed_mock__node *root, bool http, struct deed_mock__provider *out)
{
    const struct deed_mock__script_rules rules = {.keyed = out->keyed,
        .http = http,
        .lying = out->lying,
        .no_stored_errors =
            json_object_get(root->value, "stored_errors") != NULL && !out->stores_errors};
    struct deed_mock__node script = deed_mock__member(root, "script");
    struct deed_mock__node scripts = deed_mock__member(root, "scripts");
    struct deed_mock__node lookups = deed_mock__member(root, "lookup_script");
    struct deed_mock__node lookups_by_key = deed_mock__member(root, "lookup_scripts");
    struct deed_mock__node polls = deed_mock__member(root, "poll_script");
    struct deed_mock__node cancels = deed_mock__member(root, "cancel_script");
    deed_mock__read_steps(&script, &rules, &out->steps);
    deed_mock__read_scripts(&scripts, &rules, deed_mock__read_steps, &out->steps_by_key);
    deed_mock__read_sayings(&lookups, &rules, &out->lookups);
    deed_mock__read_scripts(&lookups_by_key, &rules, deed_mock__read_sayings, &out->lookups_by_key);
    deed_mock__read_sayings(&polls, &rules, &out->polls_script);
    deed_mock__read_sayings(&cancels, &rules, &out->cancels);
    check_sayings(&lookups, &out->lookups, false);
    for (size_t i = 0; i < out->lookups_by_key.count; i++) {
        check_sayings(&lookups_by_key, &out->lookups_by_key.items[i], false);
    }
    check_sayings(&polls, &out->polls_script, false);
    check_sayings(&cancels, &out->cancels, true);
    out->polls =
        http || deed_mock__scripts_use(&out->steps_by_key, &out->steps, DEED_MOCK__STEP_PENDING);
    refuse_without(root, "poll_script", out->polls, "no step is \"pending\", so nothing is polled");
}

deed_rc deed_mock__provider_read(const char *options_json, struct deed_mock__road road,
    struct deed_mock__provider *out, struct deed_error *err)
{
    *out = (struct deed_mock__provider){.window_ms = DEED_FOREVER,
        .reach_ms = DEED_FOREVER,
        .consistency = DEED_CONSISTENCY_STRONG,
        .marks_replays = true,
        .shows_pending = true,
        .shows_rejected = true};
    json_error_t where;
    json_t *options = json_loads(options_json, JSON_REJECT_DUPLICATES, &where);
    if (options == NULL) {
        return deed_error_set(err, DEED_E_INVALID, ORIGIN, "no JSON: line %d, column %d: %s",
            where.line, where.column, where.text);
    }
    struct deed_mock__reader reader = {.rc = DEED_OK, .err = err, .origin = ORIGIN};
    const struct deed_mock__node root = {.reader = &reader, .value = options};
    deed_mock__only(&root, member_names);
    read_who(&root, road.world_given, out);
    read_behaviour(&root, out);
    read_scripts(&root, road.http, out);
    if (!deed_mock__default_text(&out->name, "mock") ||
        !deed_mock__default_text(&out->version, DEED_VERSION) ||
        !deed_mock__default_text(&out->account, "acct-1") ||
        !deed_mock__default_text(&out->endpoint, "mock://provider")) {
        deed_mock__refuse_memory(&root);
    }
    json_decref(options);
    return reader.rc;
}

void deed_mock__provider_finish(struct deed_mock__provider *provider)
{
    free(provider->world_path);
    free(provider->name);
    free(provider->version);
    free(provider->account);
    free(provider->endpoint);
    deed_mock__script_finish(&provider->steps);
    deed_mock__scripts_finish(&provider->steps_by_key);
    deed_mock__script_finish(&provider->lookups);
    deed_mock__scripts_finish(&provider->lookups_by_key);
    deed_mock__script_finish(&provider->polls_script);
    deed_mock__script_finish(&provider->cancels);
    *provider = (struct deed_mock__provider){.name = NULL};
}
