/* SPDX-License-Identifier: MIT
 *
 * naive.c - what most programs do: send, and on no answer send again. No ledger, no key.
 *
 *   demo-naive ACTIONS CONFIG NOTES [KEY:WINDOW...]
 *
 * It is as careful as such a loop can be: each action is taken once, whatever the file repeats, and
 * once an answer is seen, that is noted in a file, so that a restart goes on behind it. It sends to
 * the same providers, with the same scripts, and is killed at the same places.
 */
#include "actions.h"
#include "kinds.h"
#include "stops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <deed/seam.h>
#include <deed/system.h>

#define TRIES_MAX 20
#define PAUSE_MS  20

/* ---- notes --------------------------------------------------------------------------------- */

static bool is_noted(const char *path, const char *key)
{
    FILE *file = fopen(path, "re");
    char line[DEED_KEY_BYTES_MAX + 2];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        found = strcmp(line, key) == 0;
    }
    if (file) {
        (void)fclose(file);
    }
    return found;
}

static bool note(const char *path, const char *key)
{
    FILE *file = fopen(path, "ae");
    bool ok =
        file && fprintf(file, "%s\n", key) > 0 && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (file) {
        ok = fclose(file) == 0 && ok;
    }
    return ok;
}

/* ---- one request ----------------------------------------------------------------------------- */

struct bytes {
    uint8_t *data;
    size_t count;
};

static bool append(void *sink, const void *bytes, size_t count)
{
    struct bytes *out = sink;
    uint8_t *data = realloc(out->data, out->count + count);
    if (!data) {
        return false;
    }
    memcpy(data + out->count, bytes, count);
    *out = (struct bytes){data, out->count + count};
    return true;
}

static bool always(void *gate)
{
    (void)gate;
    return true;
}

/* A request without a key of ours: the provider sees each one as new. */
static bool new_request_id(char id_out[DEED_PROVIDER_KEY_BYTES])
{
    const struct deed_random *random = deed_system_random();
    uint8_t raw[16];
    if (!random->fill(random->self, raw, sizeof raw)) {
        return false;
    }
    for (size_t i = 0; i < sizeof raw; i++) {
        (void)snprintf(id_out + 2 * i, 3, "%02x", raw[i]);
    }
    return true;
}

static bool send_once(const struct kind *kind, const struct action *action, uint32_t number,
    struct deed_answer *answer_out)
{
    char id[DEED_PROVIDER_KEY_BYTES];
    uint8_t digest[DEED_DIGEST_BYTES];
    uint8_t nothing[DEED_DIGEST_BYTES] = {0};
    struct bytes bytes = {0};
    struct deed_preparation to = {.size = sizeof to, .sink = &bytes, .write = append};
    struct deed_request request = {.size = sizeof request,
        .key = action->key,
        .payload = &action->payload,
        .digest = digest,
        .provider_key = id};
    bool ok = new_request_id(id) &&
        deed_payload_digest(&action->payload, digest, NULL) == DEED_OK &&
        kind->executor->prepare(kind->executor->self, &request, &to, NULL) == DEED_OK;
    if (ok) {
        struct deed_call call = {.size = sizeof call,
            .key = action->key,
            .attempt = number,
            .token = nothing,
            .digest = digest,
            .provider_key = id,
            .endpoint = to.endpoint,
            .account_scope = to.account_scope,
            .bytes = bytes.data,
            .bytes_count = bytes.count,
            .bytes_digest = nothing,
            .answer_ms = kind->profile.answer_ms,
            .may_send = always};
        *answer_out = (struct deed_answer){.size = sizeof *answer_out};
        stops_attempt(action->key);
        kind->executor->attempt(kind->executor->self, &call, answer_out);
        deed_seam_cross(DEED_SEAM_REPLY_READ);
    }
    free(bytes.data);
    return ok;
}

/* ---- the loop ---------------------------------------------------------------------------------- */

static const struct kind *kind_of(const struct kinds *kinds, const struct action *action)
{
    for (size_t i = 0; i < kinds->count; i++) {
        if (strcmp(kinds->items[i].name, action->payload.kind.data) == 0) {
            return &kinds->items[i];
        }
    }
    return NULL;
}

/* "Accepted" is an answer to it, and so is a refusal for good. */
static bool is_answered(const struct deed_answer *answer)
{
    return answer->pending || answer->verdict == DEED_VERDICT_APPLIED ||
        answer->verdict == DEED_VERDICT_REJECTED;
}

static bool do_action(const struct kind *kind, const struct action *action)
{
    for (uint32_t number = 1; kind && number <= TRIES_MAX; number++) {
        struct deed_answer answer;
        if (!send_once(kind, action, number, &answer)) {
            return false;
        }
        if (is_answered(&answer)) {
            return true;
        }
        struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        (void)fprintf(stderr, "usage: demo-naive ACTIONS CONFIG NOTES [KEY:WINDOW...]\n");
        return 2;
    }
    struct actions actions = {0};
    struct kinds kinds = {0};
    stops_set(argv + 4, argc - 4);
    bool ok = actions_read(argv[1], &actions) && kinds_read(argv[2], &kinds);
    for (size_t i = 0; ok && i < actions.count; i++) {
        const struct action *action = &actions.items[i];
        if (!is_noted(argv[3], action->key)) {
            ok = do_action(kind_of(&kinds, action), action) && note(argv[3], action->key);
        }
    }
    kinds_finish(&kinds);
    actions_finish(&actions);
    if (!ok) {
        (void)fprintf(stderr, "demo-naive: gave up\n");
    }
    return ok ? 0 : 1;
}
