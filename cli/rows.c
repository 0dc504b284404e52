/* SPDX-License-Identifier: MIT
 *
 * rows.c - attempts, evidence and events, as JSON and as lines for people.
 */
#include "rows.h"

#include "text.h"
#include "times.h"

#include <inttypes.h>
#include <stdio.h>

#define EXCERPT_SHOWN 400 /* code points of an excerpt a person is shown; JSON has all */

static void set_number(json_t *object, const char *name, int64_t number)
{
    (void)json_object_set_new(object, name, json_integer(number));
}

static void set_flag(json_t *object, const char *name, bool flag)
{
    (void)json_object_set_new(object, name, json_boolean(flag));
}

/* A duration in ms; null without end. */
static void set_duration(json_t *object, const char *name, int64_t duration_ms)
{
    const bool endless = duration_ms > DEED_DURATION_MS_MAX;
    (void)json_object_set_new(object, name, endless ? json_null() : json_integer(duration_ms));
}

static void hex_text(const uint8_t *bytes, size_t count, char *text_out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        text_out[2 * i] = digits[bytes[i] >> 4];
        text_out[2 * i + 1] = digits[bytes[i] & 0xf];
    }
    text_out[2 * count] = '\0';
}

static void set_digest(json_t *object, const char *name, const uint8_t digest[DEED_DIGEST_BYTES])
{
    char text[DEED_DIGEST_TEXT_BYTES];
    deed_digest_text(digest, text);
    output_set_text(object, name, text);
}

json_t *rows_attempt_json(const struct deed_attempt_row *row)
{
    char token[DEED_TOKEN_TEXT_BYTES];
    json_t *object = json_object();
    hex_text(row->token, DEED_TOKEN_BYTES, token);
    set_number(object, "number", row->number);
    output_set_text(object, "cause", deed_cause_name(row->cause));
    output_set_text(object, "verdict", deed_verdict_name(row->verdict));
    set_flag(object, "answered", row->answered);
    set_flag(object, "pending", row->pending);
    output_set_time(object, "started_at", row->start.wall_ms);
    output_set_time(object, "answered_at", row->answered_ms);
    output_set_text(object, "token", token);
    output_set_text(object, "executor", row->executor);
    output_set_text(object, "executor_version", row->executor_version);
    output_set_text(object, "account_scope", row->account_scope);
    output_set_text(object, "endpoint", row->endpoint);
    output_set_text(object, "provider_key", row->provider_key);
    set_number(object, "generation", row->generation);
    set_digest(object, "bytes_digest", row->bytes_digest);
    output_set_text(object, "handle", row->handle);
    set_duration(object, "send_ms", row->send_ms);
    set_duration(object, "answer_ms", row->answer_ms);
    set_duration(object, "landing_ms", row->landing_ms);
    set_duration(object, "lag_ms", row->lag_ms);
    set_duration(object, "reach_ms", row->reach_ms);
    set_duration(object, "window_ms", row->window_ms);
    return object;
}

json_t *rows_evidence_json(const struct deed_evidence_row *row)
{
    json_t *object = json_object();
    output_set_text(object, "source", row->source);
    output_set_text(object, "grade", deed_grade_name(row->grade));
    output_set_text(object, "outcome", deed_outcome_name(row->outcome));
    set_flag(object, "settled", row->settled);
    set_number(object, "attempt", row->attempt);
    output_set_time(object, "at", row->at_ms);
    output_set_text(object, "reference", row->reference);
    output_set_text(object, "actor", row->actor);
    output_set_text(object, "statement", row->statement);
    const bool has_excerpt = row->excerpt.data && row->excerpt.bytes > 0;
    (void)json_object_set_new(
        object, "excerpt", has_excerpt ? text_json(row->excerpt) : json_null());
    set_digest(object, "excerpt_digest", row->excerpt_digest);
    return object;
}

json_t *rows_event_json(const char *key, const struct deed_event_row *row)
{
    json_t *object = output_object("event");
    output_set_text(object, "key", key);
    set_number(object, "number", row->number);
    output_set_text(object, "event", deed_event_name(row->event));
    output_set_text(
        object, "from", row->from == DEED_STATE_NONE ? NULL : deed_state_name(row->from));
    output_set_text(object, "to", deed_state_name(row->to));
    output_set_text(object, "outcome", deed_outcome_name(row->outcome));
    set_number(object, "attempt", row->attempt);
    output_set_text(object, "grade", deed_grade_name(row->grade));
    output_set_time(object, "at", row->at_ms);
    output_set_text(object, "actor", row->actor);
    json_t *detail = row->detail ? json_loads(row->detail, JSON_ALLOW_NUL, NULL) : NULL;
    (void)json_object_set_new(object, "detail", detail ? detail : json_null());
    set_digest(object, "hash", row->hash);
    return object;
}

/* "  label: text", if there is a text. */
static void print_member(const char *label, const char *text)
{
    if (text && text[0]) {
        (void)printf("    %s: ", label);
        (void)text_write(stdout, text_of(text), SIZE_MAX);
        (void)fputc('\n', stdout);
    }
}

static void print_attempt_end(const struct deed_attempt_row *row)
{
    char answered[TIME_TEXT_BYTES];
    if (!row->answered) {
        (void)fputs(", no answer stored\n", stdout);
        return;
    }
    time_text(row->answered_ms, answered);
    (void)printf(", answered %s: %s%s\n", answered, deed_verdict_name(row->verdict),
        row->pending ? ", accepted and pending" : "");
}

void rows_attempt_print(const struct deed_attempt_row *row)
{
    char started[TIME_TEXT_BYTES];
    time_text(row->start.wall_ms, started);
    (void)printf("  %u  %s, %s", (unsigned)row->number, started, deed_cause_name(row->cause));
    print_attempt_end(row);
    (void)fputs("    through ", stdout);
    (void)text_write(stdout, text_of(row->executor), SIZE_MAX);
    (void)fputc(' ', stdout);
    (void)text_write(stdout, text_of(row->executor_version), SIZE_MAX);
    (void)fputc('\n', stdout);
    print_member("endpoint", row->endpoint);
    print_member("account", row->account_scope);
    print_member("provider key", row->provider_key);
    print_member("handle", row->handle);
}

void rows_evidence_print(const struct deed_evidence_row *row)
{
    char at[TIME_TEXT_BYTES];
    time_text(row->at_ms, at);
    (void)printf("  %s  %s", at, row->source);
    if (row->attempt > 0) {
        (void)printf(", attempt %u", (unsigned)row->attempt);
    }
    (void)printf(", grade %s, says %s%s\n", deed_grade_name(row->grade),
        row->outcome == DEED_OUTCOME_NONE ? "nothing definite" : deed_outcome_name(row->outcome),
        row->settled ? "; it settled the intent" : "");
    print_member("reference", row->reference);
    print_member("by", row->actor);
    print_member("statement", row->statement);
    if (row->excerpt.data && row->excerpt.bytes > 0) {
        (void)fputs("    excerpt: ", stdout);
        const size_t left = text_write(stdout, row->excerpt, EXCERPT_SHOWN);
        (void)fputs(left > 0 ? " ... (--json shows all)\n" : "\n", stdout);
    }
}

void rows_event_print(const struct deed_event_row *row)
{
    char at[TIME_TEXT_BYTES];
    time_text(row->at_ms, at);
    (void)printf("%4" PRId64 "  %s  %-9s  ", row->number, at, deed_event_name(row->event));
    if (row->from == row->to) {
        (void)fputs(deed_state_name(row->to), stdout);
    } else {
        (void)printf("%s -> %s", row->from == DEED_STATE_NONE ? "-" : deed_state_name(row->from),
            deed_state_name(row->to));
    }
    if (row->outcome != DEED_OUTCOME_NONE) {
        (void)printf(", %s", deed_outcome_name(row->outcome));
    }
    if (row->attempt > 0) {
        (void)printf(", attempt %u", (unsigned)row->attempt);
    }
    if (row->grade != DEED_GRADE_NONE) {
        (void)printf(", grade %s", deed_grade_name(row->grade));
    }
    if (row->actor) {
        (void)fputs(", by ", stdout);
        (void)text_write(stdout, text_of(row->actor), SIZE_MAX);
    }
    (void)fputc('\n', stdout);
}
