/* SPDX-License-Identifier: MIT
 *
 * The ways of programs without a ledger. All note what they did in a file that is flushed; they
 * differ in when they note it and in the key they send. A provider that knows no keys looks at none.
 *
 *   note first    writes "done", then sends: at most once
 *   naive retry   sends, then writes "done"; without an answer it sends again, as a new request
 *   key from content   the same, with a hash of what is sent as its key
 *   stable key    the same, with a name of the action as its key
 */
#include "matrix.h"

#include <stdio.h>
#include <string.h>

#include "note.h"

static bool always(void *gate)
{
    (void)gate;
    return true;
}

static void send(struct trial *trial, const char *provider_key, const struct deed_payload *payload,
    struct deed_answer *answer)
{
    static const uint8_t nothing[DEED_DIGEST_BYTES];
    const struct deed_call call = {.size = sizeof(call),
        .key = trial_key(
            0), /* for the mock: to a provider two requests are one action or not by their key */
        .attempt = trial->sent_count + 1,
        .token = nothing,
        .digest = nothing,
        .provider_key = provider_key,
        .endpoint = "mock://provider",
        .account_scope = "acct-1",
        .bytes = (const uint8_t *)payload->body.data,
        .bytes_count = payload->body.bytes,
        .bytes_digest = nothing,
        .answer_ms = MATRIX_ANSWER_MS,
        .may_send = always};
    trial->executor.attempt(trial->executor.self, &call, answer);
}

static void new_key(const struct trial *trial, const struct deed_payload *payload, char *key_out)
{
    (void)payload;
    (void)snprintf(key_out, DEED_DIGEST_TEXT_BYTES, "request-%u", trial->sent_count + 1);
}

static void content_key(
    const struct trial *trial, const struct deed_payload *payload, char *key_out)
{
    uint8_t digest[DEED_DIGEST_BYTES] = {0};
    (void)trial;
    if (deed_payload_digest(payload, digest, NULL) == DEED_OK) {
        deed_digest_text(digest, key_out);
    }
}

static void stable_key(const struct trial *trial, const struct deed_payload *payload, char *key_out)
{
    (void)payload;
    (void)snprintf(key_out, DEED_DIGEST_TEXT_BYTES, "%s", trial_key(trial->call->intention));
}

static void act(struct trial *trial, bool note_first,
    void (*key_for)(const struct trial *, const struct deed_payload *, char *))
{
    const unsigned intention = trial->call->intention;
    char key[DEED_DIGEST_TEXT_BYTES] = "";
    char text[128];
    const struct deed_payload payload =
        trial_payload(trial, trial->call->draft, text, sizeof(text));
    struct deed_answer answer = {.size = sizeof(answer)};
    if (!trial->call->forgets && note_read(trial->disk, intention)) {
        trial_claim(trial, intention, SAID_DONE, !note_first);
        return;
    }
    if (note_first && !note_write(trial->disk, intention)) {
        return; /* dead */
    }
    key_for(trial, &payload, key);
    send(trial, key, &payload, &answer);
    const bool answered = answer.verdict == DEED_VERDICT_APPLIED;
    if (answered && !note_first && note_write(trial->disk, intention)) {
        trial_recorded(trial);
    }
    if (answered || note_first) {
        trial_claim(trial, intention, SAID_DONE, answered);
    }
}

static void live_note_first(struct trial *trial)
{
    act(trial, true, new_key);
}

static void live_naive(struct trial *trial)
{
    act(trial, false, new_key);
}

static void live_content_key(struct trial *trial)
{
    act(trial, false, content_key);
}

static void live_stable_key(struct trial *trial)
{
    act(trial, false, stable_key);
}

const struct way way_note_first = {"note first", NULL, live_note_first, NULL};
const struct way way_naive = {"naive retry", NULL, live_naive, NULL};
const struct way way_content_key = {"key from content", NULL, live_content_key, NULL};
const struct way way_stable_key = {"stable key", NULL, live_stable_key, NULL};
