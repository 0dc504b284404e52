/* SPDX-License-Identifier: MIT
 *
 * intent.c - what is known of an intent, as JSON and as a line for people.
 */
#include "intent.h"

#include "text.h"
#include "times.h"

#include <stdio.h>

static const char *text_or_null(const char *text)
{
    return text[0] ? text : NULL;
}

static void set_flag(json_t *object, const char *name, bool value)
{
    (void)json_object_set_new(object, name, json_boolean(value));
}

void intent_set(json_t *object, deed_rc rc, const struct deed_result *result)
{
    output_set_text(object, "key", result->key);
    output_set_text(object, "state", deed_state_name(result->state));
    output_set_text(object, "outcome", deed_outcome_name(result->outcome));
    set_flag(object, "uncertain", result->uncertain);
    set_flag(object, "in_flight", result->in_flight);
    output_set_text(object, "reason", deed_reason_name(result->reason));
    set_flag(object, "disputed", result->disputed);
    set_flag(object, "held", result->held);
    set_flag(object, "fenced", result->fenced);
    set_flag(object, "created", result->created);
    set_flag(object, "replayed", result->replayed);
    (void)json_object_set_new(object, "attempt", json_integer(result->attempt));
    output_set_text(object, "reference", text_or_null(result->reference));
    output_set_text(object, "next", text_or_null(result->next));
    output_set_text(object, "code", deed_rc_name(rc));
    set_flag(object, "overdue", result->overdue);
    set_flag(object, "needs_person", result->needs_person);
    set_flag(object, "unserved", result->unserved);
    output_set_text(object, "grade", deed_grade_name(result->grade));
    output_set_text(object, "provider_class",
        result->class_known ? deed_provider_class_name(result->provider_class) : NULL);
    output_set_text(object, "kind", text_or_null(result->kind));
    output_set_text(object, "digest", result->digest);
    output_set_text(object, "held_reason", text_or_null(result->held_reason));
    output_set_text(object, "disputed_reason", text_or_null(result->disputed_reason));
    output_set_time(object, "recorded_at", result->recorded_ms);
    output_set_time(object, "attempted_at", result->attempted_ms);
    output_set_time(object, "settled_at", result->settled_ms);
    output_set_time(object, "not_after", result->not_after_ms);
    output_set_time(object, "due_at", result->due_ms);
    output_set_time(object, "final_at", result->final_ms);
}

const char *intent_outcome_words(const struct deed_result *result)
{
    if (result->outcome == DEED_NOT_APPLIED) {
        return "not applied";
    }
    if (result->outcome != DEED_OUTCOME_NONE) {
        return deed_outcome_name(result->outcome);
    }
    if (result->state == DEED_RECORDED) {
        return "not attempted";
    }
    return result->in_flight ? "in flight" : "not known";
}

void intent_write_why(FILE *stream, const struct deed_result *result)
{
    if (!result->unserved) {
        (void)fputs(deed_reason_sentence(result->reason), stream);
        return;
    }
    (void)fputs("no executor is configured for kind ", stream);
    (void)text_write(stream, text_of(result->kind), SIZE_MAX);
}

enum paint intent_paint(const struct deed_result *result)
{
    if (result->disputed || result->uncertain) {
        return PAINT_DOUBT;
    }
    if (result->outcome == DEED_APPLIED) {
        return PAINT_GOOD;
    }
    return result->outcome == DEED_REJECTED ? PAINT_BAD : PAINT_NONE;
}

static void write_quoted_reason(const char *word, const char *reason)
{
    (void)printf("; %s", word);
    if (reason[0]) {
        (void)fputs(": ", stdout);
        (void)text_write(stdout, text_of(reason), SIZE_MAX);
    }
}

void intent_sentence(const struct output *out, const struct deed_result *result)
{
    (void)printf("%s: ", result->key);
    output_paint(out, intent_paint(result), intent_outcome_words(result));
    (void)printf(" (%s)", deed_state_name(result->state));
    if (result->attempt > 0) {
        (void)printf(", attempt %u", (unsigned)result->attempt);
    }
    if (result->reference[0]) {
        (void)fputs(", reference ", stdout);
        (void)text_write(stdout, text_of(result->reference), SIZE_MAX);
    }
    /* Held and disputed come with somebody's own words, which say more. */
    const bool said_below = (result->reason == DEED_REASON_HELD && result->held) ||
        (result->reason == DEED_REASON_DISPUTED && result->disputed);
    if ((result->uncertain || result->needs_person) && !said_below) {
        (void)fputs("; ", stdout);
        intent_write_why(stdout, result);
    }
    if (result->disputed) {
        write_quoted_reason("disputed", result->disputed_reason);
    }
    if (result->held) {
        write_quoted_reason("held", result->held_reason);
    }
}

/* A repeat says in the line itself that it is one. */
static void write_repeat(const struct deed_result *result, enum intent_deed what)
{
    if (what == INTENT_RECORDED || what == INTENT_MOVED) {
        (void)fputs(result->created ? "; recorded now" : "; recorded before", stdout);
    }
    if (what == INTENT_TOLD && result->replayed) {
        (void)fputs("; this was known already, nothing was written", stdout);
    } else if (what == INTENT_TOLD && (result->disputed || result->outcome != DEED_APPLIED)) {
        (void)fputs("; the word is kept and settles nothing", stdout);
    }
    if (what == INTENT_ACTED && result->replayed) {
        if (result->settled_ms > 0) {
            char settled[TIME_TEXT_BYTES];
            time_text(result->settled_ms, settled);
            (void)printf("; settled %s", settled);
        }
        (void)fputs("; answered from the ledger, nothing was sent", stdout);
    }
}

void intent_answer(struct output *out, deed_rc rc, const struct deed_result *result, size_t line,
    enum intent_deed what)
{
    if (out->json) {
        json_t *object = output_object("intent");
        intent_set(object, rc, result);
        if (line > 0) {
            (void)json_object_set_new(object, "line", json_integer((json_int_t)line));
        }
        output_json(out, object);
        return;
    }
    intent_sentence(out, result);
    write_repeat(result, what);
    (void)fputc('\n', stdout);
    /* An error names the next command itself. */
    if (line == 0 && what != INTENT_MOVED && rc == DEED_OK && result->next[0]) {
        (void)printf("next: %s\n", result->next);
    }
    if (fflush(stdout) != 0) {
        out->failed = true;
    }
}
