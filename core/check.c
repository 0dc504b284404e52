/* SPDX-License-Identifier: MIT
 *
 * Checking a ledger: every chain link hashes to what is stored, every event is one the machine has,
 * the events of an intent add up to its state, and what must hold in each state holds.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

#include "apply.h"
#include "attempt.h"
#include "boundary.h"
#include "detail.h"
#include "digest.h"
#include "door.h"
#include "instant.h"
#include "state.h"

struct fold {
    const struct deed__case *c;
    deed_state state;
    deed_outcome outcome;
    deed_grade grade;
    int64_t number;
    uint32_t attempts;
    uint32_t settled_attempts;
    int64_t newest_ms;
    uint8_t head[DEED_DIGEST_BYTES];
    bool held;
    bool disputed;
    char broken[256];       /* "": nothing is */
    deed_rc rc;             /* DEED_OK, or why it could not be looked at */
    struct deed_error *err; /* of the same */
};

static void broken(struct fold *fold, const char *format, ...) DEED_PRINTF(2, 3);

/* Only the first finding is kept: the rest follows from it. */
static void broken(struct fold *fold, const char *format, ...)
{
    if (fold->broken[0] != '\0') {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(fold->broken, sizeof(fold->broken), format, arguments);
    va_end(arguments);
}

/* A digest that could not be computed says nothing about what it would have been compared with. */
static bool was_hashed(struct fold *fold, deed_rc rc)
{
    if (rc == DEED_E_NOMEM || rc == DEED_E_SYSTEM) {
        fold->rc = rc;
    }
    return rc == DEED_OK;
}

/* An attempt is bound to what its event says: nothing of that is ever rewritten. */
static void fold_attempt(struct fold *fold, const struct deed_event_row *row)
{
    fold->attempts++;
    if (row->attempt != fold->attempts) {
        broken(fold, "event %" PRId64 " begins attempt %u where %u is next", row->number,
            (unsigned)row->attempt, (unsigned)fold->attempts);
    } else if (row->attempt <= fold->c->count) {
        struct deed__detail detail;
        const char *wanted = deed__attempt_describe(&detail, &fold->c->attempts[row->attempt - 1]);
        if (strcmp(wanted, row->detail) != 0) {
            broken(fold, "attempt %u is not what event %" PRId64 " says it was",
                (unsigned)row->attempt, row->number);
        }
    }
    if (row->event == DEED_EVENT_ATTEMPT) {
        fold->grade = DEED_GRADE_NONE;
    }
}

static void fold_digest(struct fold *fold, const struct deed_event_row *row)
{
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_digest(&detail, "digest", fold->c->intent.digest);
    if (strncmp(detail.text, row->detail, detail.bytes) != 0) {
        broken(fold, "it is bound to another payload than event %" PRId64 " says", row->number);
    }
}

static void fold_settlement(struct fold *fold, const struct deed_event_row *row)
{
    if (deed__event_kind_of(row->event) != DEED__EVENT_MOVES) {
        return;
    }
    if (row->to == DEED_CONFIRMED || row->to == DEED_RECONCILED) {
        fold->settled_attempts = fold->attempts;
        fold->grade = row->event == DEED_EVENT_RETRACT ? fold->grade : row->grade;
    }
    if (deed__is_end(row->outcome)) {
        fold->held = false;
    }
}

static void fold_flags(struct fold *fold, const struct deed_event_row *row)
{
    fold_settlement(fold, row);
    switch (row->event) {
    case DEED_EVENT_ATTEMPT:
    case DEED_EVENT_REPLAY:
        fold_attempt(fold, row);
        break;
    case DEED_EVENT_RECORD:
    case DEED_EVENT_PAYLOAD:
        fold_digest(fold, row);
        break;
    case DEED_EVENT_HOLD:
        fold->held = true;
        break;
    case DEED_EVENT_RELEASE:
        fold->held = false;
        break;
    case DEED_EVENT_DISPUTE:
        fold->disputed = true;
        break;
    case DEED_EVENT_RECONCILE:
        if (row->grade == DEED_GRADE_OPERATOR) {
            fold->disputed = false;
        }
        break;
    case DEED_EVENT_NONE:
    case DEED_EVENT_CONFIRM:
    case DEED_EVENT_RETRACT:
    case DEED_EVENT_ANSWER:
    case DEED_EVENT_NOTE:
    case DEED_EVENT_LOOK:
    case DEED_EVENT_PRUNE:
    case DEED_EVENT_FENCE:
    case DEED_EVENT_LIFT:
        break;
    }
}

static deed_rc fold_event(void *context, const struct deed_event_row *row)
{
    struct fold *fold = context;
    uint8_t hash[DEED_DIGEST_BYTES];
    deed_rc rc = deed__event_hash(fold->c->intent.key, fold->head, row, hash, fold->err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (row->number != fold->number + 1) {
        broken(fold, "event %" PRId64 " is missing from its chain", fold->number + 1);
    }
    if (memcmp(hash, row->hash, sizeof(hash)) != 0) {
        broken(fold, "event %" PRId64 " does not hash to what is stored", row->number);
    }
    if (row->from != fold->state ||
        !deed__event_legal(row->from, fold->outcome, row->event, row->to, row->outcome)) {
        broken(fold, "event %" PRId64 ", %s, is no step from %s, %s", row->number,
            deed_event_name(row->event), deed_state_name(fold->state),
            deed_outcome_name(fold->outcome));
    }
    if (row->newest_ms < row->at_ms) {
        broken(fold, "event %" PRId64 " is newer than the newest time it states", row->number);
    }
    fold->number = row->number;
    fold->state = row->to;
    fold->outcome = row->outcome;
    memcpy(fold->head, row->hash, sizeof(fold->head));
    fold_flags(fold, row);
    return DEED_OK;
}

static void compare_fold(struct fold *fold, const struct deed_intent_row *intent)
{
    if (fold->number != intent->chain_length) {
        broken(fold, "its chain has %" PRId64 " events, and %" PRId64 " are stored",
            intent->chain_length, fold->number);
    }
    if (memcmp(fold->head, intent->chain_head, sizeof(fold->head)) != 0) {
        broken(fold, "its chain does not end where the intent says");
    }
    if (fold->state != intent->state || fold->outcome != intent->outcome) {
        broken(fold, "its events add up to %s, %s, and it stands at %s, %s",
            deed_state_name(fold->state), deed_outcome_name(fold->outcome),
            deed_state_name(intent->state), deed_outcome_name(intent->outcome));
    }
    if (fold->attempts != intent->attempts) {
        broken(fold, "its events begin %u attempts, and it counts %u", (unsigned)fold->attempts,
            (unsigned)intent->attempts);
    }
    if (fold->settled_attempts != intent->settled_attempts || fold->grade != intent->grade) {
        broken(fold, "its events settled it at attempt %u as %s, and it says attempt %u, %s",
            (unsigned)fold->settled_attempts, deed_grade_name(fold->grade),
            (unsigned)intent->settled_attempts, deed_grade_name(intent->grade));
    }
    if (fold->held != intent->held || fold->disputed != intent->disputed) {
        broken(fold, "its events and its marks (held, disputed) do not agree");
    }
}

/* The facts that hold in each state (docs/reference/state-machine.md). */
static void check_facts(struct fold *fold, const struct deed__case *c)
{
    const struct deed_intent_row *intent = &c->intent;
    bool settled = intent->state == DEED_CONFIRMED || intent->state == DEED_RECONCILED;
    if (intent->settled_attempts > intent->attempts) {
        broken(fold, "it was settled after more attempts than were made");
    }
    if (intent->state == DEED_RECORDED && intent->attempts != 0) {
        broken(fold, "it is recorded and has an attempt");
    }
    if (intent->state == DEED_ATTEMPTED && intent->attempts == intent->settled_attempts) {
        broken(fold, "it is attempted, and no attempt was made since it was settled");
    }
    if (intent->state == DEED_ATTEMPTED && deed__doubts(c) == 0) {
        broken(fold, "it is attempted, and every attempt says how it ended");
    }
    if (settled && intent->outcome != DEED_RETRACTED && intent->grade == DEED_GRADE_NONE) {
        broken(fold, "it is settled without a grade of evidence");
    }
    if (intent->state == DEED_CONFIRMED && intent->outcome != DEED_RETRACTED &&
        intent->grade != DEED_GRADE_FIRST_HAND) {
        broken(fold, "it is confirmed by what was not seen first-hand");
    }
}

static bool payload_fits(struct fold *fold, const struct deed_intent_row *intent)
{
    uint8_t digest[DEED_DIGEST_BYTES];
    return was_hashed(fold, deed_payload_digest(&intent->payload, digest, fold->err)) &&
        memcmp(digest, intent->digest, sizeof(digest)) == 0;
}

static void check_payload(struct fold *fold, const struct deed_intent_row *intent)
{
    if (intent->payload_here && !payload_fits(fold, intent)) {
        broken(fold, "its payload does not hash to its digest");
    }
}

static void check_bytes(struct fold *fold, const struct deed_attempt_row *attempt)
{
    uint8_t digest[DEED_DIGEST_BYTES];
    if (attempt->bytes.data != NULL &&
        (!was_hashed(
             fold, deed__sha256_of(attempt->bytes.data, attempt->bytes.bytes, digest, fold->err)) ||
            memcmp(digest, attempt->bytes_digest, sizeof(digest)) != 0)) {
        broken(
            fold, "the bytes of attempt %u do not hash to their digest", (unsigned)attempt->number);
    }
}

/* A settled intent rests on evidence that is stored. */
struct ground {
    deed_outcome outcome;
    bool found;
};

static deed_rc find_ground(void *context, const struct deed_evidence_row *row)
{
    struct ground *ground = context;
    ground->found = ground->found || (row->settled && row->outcome == ground->outcome);
    return DEED_OK;
}

static deed_rc check_ground(
    struct fold *fold, deed_tx *tx, const struct deed_intent_row *intent, struct deed_error *err)
{
    bool settled = intent->state == DEED_CONFIRMED || intent->state == DEED_RECONCILED;
    if (!settled || intent->outcome == DEED_RETRACTED) {
        return DEED_OK;
    }
    struct ground ground = {.outcome = intent->outcome};
    deed_rc rc = tx->evidence_each(tx->self, intent->id, find_ground, &ground, err);
    if (rc == DEED_OK && !ground.found) {
        broken(fold, "it is %s without stored evidence", deed_outcome_name(intent->outcome));
    }
    return rc;
}

static deed_rc check_chain(
    struct fold *fold, const struct deed__case *c, deed_tx *tx, struct deed_error *err)
{
    memset(fold, 0, sizeof(*fold));
    fold->c = c;
    fold->err = err;
    deed_rc rc = tx->event_each(tx->self, c->intent.id, fold_event, fold, err);
    if (rc == DEED_OK) {
        compare_fold(fold, &c->intent);
        check_facts(fold, c);
    }
    return rc;
}

static deed_rc refuse_damaged(const struct deed__case *c, const char *what, struct deed_error *err)
{
    return deed__refuse(err, DEED_E_CHECK, c->intent.key, "deed check",
        "the ledger is damaged at %s: %s; nothing was sent; run `deed check`", c->intent.key, what);
}

deed_rc deed__demand_chain(const struct deed__case *c, deed_tx *tx, struct deed_error *err)
{
    struct fold fold;
    const deed_rc rc = check_chain(&fold, c, tx, err);
    return rc == DEED_OK && fold.broken[0] != '\0' ? refuse_damaged(c, fold.broken, err) : rc;
}

deed_rc deed__demand_payload(const struct deed__case *c, struct deed_error *err)
{
    if (!c->intent.payload_here) {
        return DEED_OK; /* refused elsewhere, and no damage */
    }
    struct fold fold = {.c = c, .err = err};
    if (payload_fits(&fold, &c->intent)) {
        return DEED_OK;
    }
    return fold.rc != DEED_OK ? fold.rc
                              : refuse_damaged(c, "its payload does not hash to its digest", err);
}

static deed_rc check_case(
    struct fold *fold, struct deed__case *c, deed_tx *tx, struct deed_error *err)
{
    deed_rc rc = check_chain(fold, c, tx, err);
    if (rc == DEED_OK) {
        check_payload(fold, &c->intent);
        for (uint32_t i = 0; i < c->count; i++) {
            check_bytes(fold, &c->attempts[i]);
        }
        rc = fold->rc != DEED_OK ? fold->rc : check_ground(fold, tx, &c->intent, err);
    }
    return rc;
}

struct check_in {
    struct fold fold;
    uint64_t events;
};

static deed_rc decide_check(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    struct check_in *in = call->context;
    deed_rc rc = check_case(&in->fold, c, tx, err);
    in->events = (uint64_t)in->fold.number;
    return rc;
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct walk {
    deed_ledger *ledger;
    deed_check_visit visit;
    void *context;
    struct deed_check check;
    struct deed_error *err;
    deed_rc rc;
};

static void report(struct walk *walk, const char *key, const char *text)
{
    walk->check.broken++;
    if (walk->visit != NULL) {
        deed__lend(walk->ledger, DEED__ANY_CALLS);
        walk->visit(walk->context, key, text);
        deed__lent();
    }
}

static void check_key(struct walk *walk, const char *key)
{
    struct check_in in;
    memset(&in, 0, sizeof(in));
    struct deed__call call = {
        .ledger = walk->ledger,
        .key = key,
        .parts = DEED__WITH_PAYLOAD | DEED__WITH_BYTES,
        .decide = decide_check,
        .context = &in,
    };
    struct deed_error own;
    memset(&own, 0, sizeof(own));
    deed_rc rc = deed__call_read(&call, &own);
    walk->check.intents++;
    walk->check.events += in.events;
    if (rc == DEED_E_CHECK) {
        report(walk, key, own.text);
    } else if (rc != DEED_OK) {
        walk->rc = rc;
        if (walk->err != NULL) {
            *walk->err = own;
        }
    } else if (in.fold.broken[0] != '\0') {
        report(walk, key, in.fold.broken);
    }
}

#define PAGE 64

struct page {
    int64_t after_id;
    bool more;
    size_t count;
    char keys[PAGE][DEED_KEY_BYTES_MAX + 1];
};

static deed_rc collect(void *context, const struct deed_intent_row *row)
{
    struct page *page = context;
    page->after_id = row->id;
    page->more = true;
    memcpy(page->keys[page->count++], row->key, strlen(row->key) + 1);
    return DEED_OK;
}

static deed_rc read_page(void *context, deed_tx *tx, struct deed_error *err)
{
    struct page *page = context;
    page->count = 0;
    page->more = false;
    struct deed_select select = {.size = sizeof(select), .after_id = page->after_id, .limit = PAGE};
    return tx->intent_each(tx->self, &select, collect, page, err);
}

static deed_rc walk_intents(struct walk *walk)
{
    struct page page;
    memset(&page, 0, sizeof(page));
    page.more = true;
    while (walk->rc == DEED_OK && page.more) {
        walk->rc = deed__read(walk->ledger, read_page, &page, walk->err);
        for (size_t i = 0; walk->rc == DEED_OK && i < page.count; i++) {
            check_key(walk, page.keys[i]);
        }
    }
    return walk->rc;
}

deed_rc deed__inner_ledger_check(deed_ledger *ledger, deed_check_visit visit, void *context,
    struct deed_check *check_out, struct deed_error *err)
{
    if (ledger == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core", "deed_ledger_check needs a ledger");
    }
    deed_rc rc = deed__enter(ledger, "deed_ledger_check", err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (!ledger->initialised) {
        return deed__refuse(err, DEED_E_SCHEMA, NULL, NULL,
            "the recorded-intent table has no chains to check: run `deed migrate --name NAME`");
    }
    struct walk walk = {.ledger = ledger, .visit = visit, .context = context, .err = err};
    walk.check.size = sizeof(walk.check);
    struct deed_error own;
    memset(&own, 0, sizeof(own));
    deed__lend(ledger, DEED__NO_CALLS);
    rc = ledger->store->check(ledger->store->self, &own);
    deed__lent();
    if (rc == DEED_E_CHECK) {
        report(&walk, "", own.text);
    } else if (rc != DEED_OK) {
        if (err != NULL) {
            *err = own;
        }
        return rc;
    }
    rc = walk_intents(&walk);
    if (check_out != NULL) {
        *check_out = walk.check;
    }
    if (rc == DEED_OK && walk.check.broken > 0) {
        return deed_error_set(err, DEED_E_CHECK, "core",
            "the check found %llu broken, each named above; nothing was changed",
            (unsigned long long)walk.check.broken);
    }
    return rc;
}
