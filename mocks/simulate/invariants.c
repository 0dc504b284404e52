/* SPDX-License-Identifier: MIT
 *
 * Method: all that the ledger says about one intent and all that the world counts for its key is
 * read into plain arrays (facts.c); then each rule looks at them alone.
 */
#include "simulate/facts.h"

#include <stdlib.h>
#include <string.h>

/* ---- all ------------------------------------------------------------------------------------- */

static bool check_facts(struct deed_crash__across *across)
{
    static const deed_crash__rule rules[] = {deed_crash__ir2, deed_crash__ir1, deed_crash__is1,
        deed_crash__is2, deed_crash__is3, deed_crash__ie1, deed_crash__ie2, deed_crash__ib1,
        deed_crash__ib2, deed_crash__ib4, deed_crash__history, deed_crash__im3, deed_crash__il1};
    const struct deed_crash__facts *facts = &across->facts;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (!rules[i](across->in, facts)) {
            return false;
        }
    }
    return deed_crash__ie3(across, facts) && deed_crash__if1(across, facts);
}

static bool check_intent(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct deed_crash__across *across = context;
    (void)rc;
    (void)err;
    struct deed_crash__facts *facts = &across->facts;
    facts->result = *result;
    across->in->checked++;
    if (!deed_crash__read_facts(across)) {
        return false;
    }
    across->in->history += (int64_t)facts->events_count;
    deed_crash__mark_facts(across->in, facts);
    return check_facts(across);
}

static void tell_broken(void *context, const char *key, const char *text)
{
    (void)deed_crash__broken(context, "IM1: %s: %s", key, text);
}

/* IR1 for what is not there at all. */
static bool check_missing(struct deed_crash__promises *in)
{
    for (size_t i = 0; i < in->told_count; i++) {
        struct deed_result result = {.size = sizeof(result)};
        struct deed_error err;
        deed_rc rc = deed_get(in->ledger, in->told[i].key, &result, &err);
        if (rc != DEED_OK) {
            return deed_crash__broken(in, "IR1: %s was acknowledged and is not there: %s (%s)",
                in->told[i].key, deed_rc_name(rc), err.text);
        }
    }
    return true;
}

struct strays {
    struct deed_crash__promises *in;
    char key[DEED_KEY_BYTES_MAX + 1]; /* the last one that was found */
};

static bool check_stray(void *context, const struct deed_world_request *request)
{
    struct strays *strays = context;
    struct deed_result result = {.size = sizeof(result)};
    if (strcmp(strays->key, request->key) == 0) {
        return true;
    }
    if (deed_get(strays->in->ledger, request->key, &result, NULL) != DEED_OK) {
        return deed_crash__broken(
            strays->in, "IS1: the world received %s, and the ledger has no intent", request->key);
    }
    deed_crash__copy_text(strays->key, sizeof(strays->key), request->key);
    return true;
}

/* IS1 for what is not in the ledger at all. */
static bool check_strays(struct deed_crash__promises *in)
{
    struct strays strays = {.in = in, .key = ""};
    struct deed_error err = {.text = ""};
    if (in->world != NULL &&
        deed_world_requests_visit(in->world, NULL, check_stray, &strays, &err) != DEED_OK) {
        return deed_crash__broken(in, "the world cannot be read: %s", err.text);
    }
    return in->broken[0] == '\0';
}

static bool check_all(struct deed_crash__across *across)
{
    struct deed_crash__promises *in = across->in;
    struct deed_check check = {.size = sizeof(check)};
    struct deed_list list = {.size = sizeof(list), .flags = DEED_LIST_ALL};
    struct deed_error err = {.text = ""};
    across->taken_count = 0;
    across->tokens_count = 0;
    if (in->whole && deed_ledger_check(in->ledger, tell_broken, in, &check, &err) != DEED_OK) {
        return deed_crash__broken(in, "IM1: %s", err.text);
    }
    if (deed_ledger_list(in->ledger, &list, check_intent, across, &err) != DEED_OK) {
        return deed_crash__broken(in, "IM1: the ledger cannot be listed: %s", err.text);
    }
    return in->broken[0] == '\0' && check_missing(in) && check_strays(in);
}

bool deed_crash__hold(struct deed_crash__promises *in)
{
    in->broken[0] = '\0';
    in->history = 0;
    struct deed_crash__across *across = malloc(sizeof(*across)); /* too large for a stack */
    if (across == NULL) {
        return deed_crash__broken(in, "there is no memory to look at the ledger");
    }
    across->in = in;
    bool holds = check_all(across);
    free(across);
    return holds;
}

/* ---- telling --------------------------------------------------------------------------------- */

static deed_rc note_row(void *context, const struct deed_intent_row *row)
{
    struct deed_crash__word *told = context;
    memcpy(told->digest, row->digest, sizeof(told->digest));
    told->events = row->chain_length;
    memcpy(told->head, row->chain_head, sizeof(told->head));
    return DEED_OK;
}

bool deed_crash__tell(deed_ledger *ledger, const char *key, struct deed_crash__word *told_out)
{
    struct deed_error err;
    deed_crash__copy_text(told_out->key, sizeof(told_out->key), key);
    return deed_intent_payload(ledger, key, note_row, told_out, &err) == DEED_OK;
}
