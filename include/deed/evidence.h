/* SPDX-License-Identifier: MIT
 *
 * deed/evidence.h - the door for outside proof: a webhook, a bank statement, a word from elsewhere.
 *
 * Such a word may prove that an effect happened; it never proves that one did not. A word that a
 * registered verifier has found genuine counts as the provider's; any other is a person's.
 */
#ifndef DEED_EVIDENCE_H
#define DEED_EVIDENCE_H

#include <deed/base.h>
#include <deed/payload.h>

DEED_BEGIN_DECLS

struct deed_ledger;
struct deed_result;

#define DEED_SOURCE_BYTES_MAX   60
#define DEED_EVENT_ID_BYTES_MAX 255
#define DEED_MESSAGE_BYTES_MAX  1048576

/* A word about one intent. Everything is borrowed for the call. */
struct deed_evidence {
    size_t size; /* sizeof(struct deed_evidence) */
    const char *key;
    const char *source; /* who says so: [a-z0-9][a-z0-9._:-]{0,59}, e.g. "stripe"; required; not
                           attempt, lookup, poll, cancel, person: those are the ledger's own */
    const char
        *event_id; /* the source's own name of this event, so that a second delivery is known;
                             NULL: told apart by what it says */
    deed_outcome outcome;     /* DEED_APPLIED; NONE: as the verifier reads it in the message */
    const char *reference;    /* the provider's name of the effect; NULL: none */
    const uint8_t *token;     /* DEED_TOKEN_BYTES, of the attempt it speaks of; NULL: not known */
    struct deed_text message; /* as it came; a verifier reads it whole, its beginning is kept */
    const char *signature;    /* as it came with the message, for a verifier; NULL: none */
    const char *by;           /* who brings it; NULL: the actor of the options; one is required */
    const char *statement;    /* in words; NULL: none */
};

/* Keeps the word, durably: it settles as applied what is uncertain, or only recorded if a verified
 * message carries a provider key of it that this ledger never sent under; it disputes a settled one where
 * the rules of late words say so, or is kept beside what is known. Of an event that is stored
 * already nothing is written, and `result` tells what is known (`replayed`). Refused, with nothing
 * written: an outcome other than applied (DEED_E_INVALID), an event id that said something else
 * before (DEED_E_CONFLICT), a message its verifier does not find genuine or that carries
 * the provider key of another intent (DEED_E_INVALID), an intent
 * that is not in the ledger (DEED_E_NOT_FOUND). */
DEED_API DEED_MUST_CHECK deed_rc deed_evidence_add(struct deed_ledger *ledger,
    const struct deed_evidence *evidence, struct deed_result *result, struct deed_error *err);

/* ---- verifiers ----------------------------------------------------------------------------- */

/* What a verifier read in a message it found genuine. Zeroed by the caller. */
struct deed_verified {
    size_t size;          /* sizeof(struct deed_verified) */
    deed_outcome outcome; /* APPLIED; NONE: genuine, and says nothing of an effect */
    char provider_key[DEED_PROVIDER_KEY_BYTES];   /* the marker it carries; "": none */
    char digest[DEED_DIGEST_TEXT_BYTES];          /* the payload digest it carries; "": none */
    char reference[DEED_REFERENCE_BYTES_MAX + 1]; /* "": none */
    char event_id[DEED_EVENT_ID_BYTES_MAX + 1];   /* "": none */
};

/* Finds out whether a message is what its source sent. Any thread may call. */
struct deed_verifier {
    size_t size; /* sizeof(struct deed_verifier) */
    void *self;
    /* DEED_OK: genuine, and `verified_out` holds what it says. DEED_E_INVALID: it is not; the text
     * says why and quotes neither message nor secret. */
    deed_rc (*verify)(void *self, const struct deed_evidence *evidence, int64_t now_ms,
        struct deed_verified *verified_out, struct deed_error *err);
    void (*destroy)(void *self); /* may be NULL */
};

/* Every word of `source` has to pass `verifier` from now on. Takes the verifier, on failure too; it
 * is destroyed once, when the ledger is closed. Before the ledger is shared by threads. */
DEED_API DEED_MUST_CHECK deed_rc deed_ledger_register_verifier(struct deed_ledger *ledger,
    const char *source, struct deed_verifier *verifier, struct deed_error *err);

/* A message signed with HMAC-SHA-256, as most providers sign their webhooks. Pointers are JSON
 * pointers (RFC 6901) into the message; NULL: it does not carry that. */
struct deed_webhook {
    size_t size;        /* sizeof(struct deed_webhook) */
    const char *secret; /* as the provider gave it; copied */
    /* "hex": the signature is the hex of HMAC(message). "timestamped": it is "t=SECONDS,v1=HEX" and
     * the HMAC is of "SECONDS.message". */
    const char *scheme;
    int64_t tolerance_ms; /* of "timestamped": how old it may be; 0: 5 minutes */
    const char *provider_key;
    const char *digest;
    const char *reference;
    const char *event_id;
    const char *outcome;       /* pointer to the member that tells the outcome */
    const char *outcome_value; /* the text there that means applied */
};

DEED_API DEED_MUST_CHECK deed_rc deed_webhook_verifier_create(const struct deed_webhook *webhook,
    struct deed_verifier **verifier_out, struct deed_error *err);

DEED_END_DECLS
#endif /* DEED_EVIDENCE_H */
