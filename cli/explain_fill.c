/* SPDX-License-Identifier: MIT
 *
 * explain_fill.c - what stands for the words in braces in explain.def.
 */
#include "explain.h"

#include "text.h"
#include "times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sentence that may only come true later: rounded up, so that nobody comes a moment too soon. */
static void write_later(FILE *stream, int64_t wall_ms)
{
    char text[TIME_TEXT_BYTES];
    time_text_up(wall_ms, text);
    (void)fputs(text, stream);
}

static void write_past(FILE *stream, int64_t wall_ms)
{
    char text[TIME_TEXT_BYTES];
    time_text(wall_ms, text);
    (void)fputs(text, stream);
}

static void fill_key(FILE *stream, const struct explain_facts *facts)
{
    (void)fputs(facts->result->key, stream);
}

static void fill_kind(FILE *stream, const struct explain_facts *facts)
{
    (void)fputs(facts->result->kind, stream);
}

static void fill_attempt(FILE *stream, const struct explain_facts *facts)
{
    (void)fprintf(stream, "%u", (unsigned)facts->result->attempt);
}

static void fill_attempted(FILE *stream, const struct explain_facts *facts)
{
    write_past(stream, facts->result->attempted_ms);
}

static void fill_settled(FILE *stream, const struct explain_facts *facts)
{
    write_past(stream, facts->result->settled_ms);
}

static void fill_not_after(FILE *stream, const struct explain_facts *facts)
{
    write_past(stream, facts->result->not_after_ms);
}

static void fill_since(FILE *stream, const struct explain_facts *facts)
{
    if (facts->result->recorded_ms > 0) {
        (void)fputs(" since ", stream);
        write_past(stream, facts->result->recorded_ms);
    }
}

static void fill_held(FILE *stream, const struct explain_facts *facts)
{
    if (facts->result->held_reason[0]) {
        (void)fprintf(stream, " (%s)", facts->result->held_reason);
    }
}

static void fill_disputed(FILE *stream, const struct explain_facts *facts)
{
    if (facts->result->disputed_reason[0]) {
        (void)fprintf(stream, " (%s)", facts->result->disputed_reason);
    }
}

static void fill_reference(FILE *stream, const struct explain_facts *facts)
{
    if (facts->result->reference[0]) {
        (void)fprintf(stream, " (reference %s)", facts->result->reference);
    }
}

/* "bank says that it was applied (reference ch_42)" */
static void fill_claim(FILE *stream, const struct explain_facts *facts)
{
    (void)fprintf(stream, "%s says that it was applied", facts->claim_source);
    if (facts->claim_reference[0]) {
        (void)fprintf(stream, " (reference %s)", facts->claim_reference);
    }
}

static void fill_due(FILE *stream, const struct explain_facts *facts)
{
    if (facts->result->due_ms > 0) {
        (void)fputs(", at ", stream);
        write_later(stream, facts->result->due_ms);
    }
}

static void fill_look(FILE *stream, const struct explain_facts *facts)
{
    if (facts->result->due_ms > 0) {
        (void)fputs(" The next look is due at ", stream);
        write_later(stream, facts->result->due_ms);
        (void)fputc('.', stream);
    }
}

static void fill_grade(FILE *stream, const struct explain_facts *facts)
{
    static const char *const words[] = {
        [DEED_GRADE_NONE] = "evidence that is stored with it",
        [DEED_GRADE_FIRST_HAND] = "the provider's own answers",
        [DEED_GRADE_REPLAY] = "the answer to a resend under the same provider key",
        [DEED_GRADE_PROVIDER_PRESENT] = "what the provider shows",
        [DEED_GRADE_PROVIDER_CLOSED] = "the provider's word that the request is barred",
        [DEED_GRADE_PROVIDER_ABSENT_FINAL] = "a look-up made when nothing could still land unseen",
        [DEED_GRADE_OPERATOR] = "a person's word",
    };
    (void)fputs(words[facts->result->grade], stream);
}

/* What a person may say, and when. */
static void fill_person(FILE *stream, const struct explain_facts *facts)
{
    if (facts->result->final_ms == DEED_FOREVER) {
        (void)fputs(
            "How long a request may still take effect has no bound here: whoever says rejected "
            "or not_applied must be sure that nothing is still under way, and is asked for the "
            "evidence of it (--evidence); the word is accepted once the time to send is over.",
            stream);
    } else if (facts->result->final_ms > 0) {
        (void)fputs("The words rejected and not_applied are accepted after ", stream);
        write_later(stream, facts->result->final_ms);
        (void)fputs(", when nothing that was sent can still land unseen.", stream);
    }
}

/* What it is worth that a look-up does not find it. */
static void fill_absence(FILE *stream, const struct explain_facts *facts)
{
    const int64_t final_ms = facts->result->final_ms;
    if (final_ms == DEED_FOREVER) {
        (void)fputs(
            "Not finding it proves nothing: how long a request may still take effect has no "
            "bound here.",
            stream);
    } else if (facts->flags & DEED_ATTEMPT_NO_ABSENCE) {
        (void)fputs(
            "Not finding it proves nothing: how up to date the look-ups are is not known.", stream);
    } else if (facts->reach_unknown) {
        (void)fputs(
            "Not finding it proves nothing: how long the look-ups remember is not known.", stream);
    } else if (final_ms > 0) {
        (void)fputs("Not finding it counts only if it is asked after ", stream);
        write_later(stream, final_ms);
        if (facts->reach_end_ms > 0 && facts->reach_end_ms != DEED_FOREVER) {
            (void)fputs(" and before ", stream);
            write_past(stream, facts->reach_end_ms);
        }
        (void)fputs(facts->flags & DEED_ATTEMPT_EVENTUAL ? ", twice." : ".", stream);
    }
}

/* How long a resend under the same key cannot act twice. */
static void fill_window(FILE *stream, const struct explain_facts *facts)
{
    if (facts->window_end_ms == DEED_FOREVER) {
        (void)fputs("The provider keeps the key for ever.", stream);
    } else if (facts->window_end_ms > 0) {
        (void)fputs("The provider keeps the key until ", stream);
        write_past(stream, facts->window_end_ms);
        (void)fputs(", and a resend must be sure to arrive before that.", stream);
    }
}

static const struct filler {
    const char *name;
    void (*fill)(FILE *stream, const struct explain_facts *facts);
} fillers[] = {
    {"key", fill_key},
    {"kind", fill_kind},
    {"attempt", fill_attempt},
    {"attempted", fill_attempted},
    {"settled", fill_settled},
    {"not_after", fill_not_after},
    {"since", fill_since},
    {"held", fill_held},
    {"disputed", fill_disputed},
    {"reference", fill_reference},
    {"claim", fill_claim},
    {"due", fill_due},
    {"look", fill_look},
    {"grade", fill_grade},
    {"person", fill_person},
    {"absence", fill_absence},
    {"window", fill_window},
};

/* Writes what a word in braces stands for. A word that is none is left as it is: a test of all texts
 * finds it. */
static void fill_word(
    FILE *stream, const char *word, size_t length, const struct explain_facts *facts)
{
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++) {
        if (strlen(fillers[i].name) == length && memcmp(fillers[i].name, word, length) == 0) {
            fillers[i].fill(stream, facts);
            return;
        }
    }
    (void)fprintf(stream, "{%.*s}", (int)length, word);
}

static void fill_template(FILE *stream, const char *template, const struct explain_facts *facts)
{
    for (const char *at = template; *at != '\0';) {
        const size_t plain = strcspn(at, "{");
        (void)fwrite(at, 1, plain, stream);
        at += plain;
        if (*at == '{') {
            const size_t length = strcspn(at + 1, "}");
            fill_word(stream, at + 1, length, facts);
            at += length + 2;
        }
    }
}

/* Ends a text that was written to a stream. A sentence that did not apply has left its blank. */
static char *finish(FILE *stream, char **text, const size_t *bytes)
{
    if (fclose(stream) != 0) {
        free(*text);
        return NULL;
    }
    size_t length = *bytes;
    while (length > 0 && (*text)[length - 1] == ' ') {
        (*text)[--length] = '\0';
    }
    return *text;
}

char *explain_text(enum explain_part part, const struct explain_facts *facts)
{
    const struct explain_case where = explain_case_of(facts);
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream) {
        return NULL;
    }
    for (size_t i = 0; explain_at(i); i++) {
        if (explain_matches(explain_at(i), part, &where)) {
            fill_template(stream, explain_at(i)->text, facts);
        }
    }
    return finish(stream, &text, &bytes);
}

char *explain_besides(const struct explain_facts *facts)
{
    const struct deed_result *result = facts->result;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream) {
        return NULL;
    }
    if (result->unserved) {
        fill_template(stream,
            "No executor is configured for kind {kind}: nothing attempts it or asks about it until "
            "one "
            "is. `deed doctor` names what the configuration lacks. ",
            facts);
    }
    if (result->uncertain && result->needs_person && !result->unserved &&
        result->provider_class != DEED_CLASS_BLIND) {
        fill_template(stream,
            "As things stand now, no resend is safe any more and no absence would prove anything: "
            "it "
            "waits for a person. ",
            facts);
    }
    if (result->held && result->reason != DEED_REASON_HELD) {
        fill_template(stream,
            "It is held{held}: no attempt and no resend until it is released; look-ups go on. ",
            facts);
    }
    if (result->overdue && result->reason != DEED_REASON_OVERDUE) {
        fill_template(stream,
            "Its not-after, {not_after}, is over: no attempt and no resend any more; look-ups go "
            "on. ",
            facts);
    }
    if (result->fenced && result->reason != DEED_REASON_FENCED) {
        fill_template(stream,
            "The ledger was restored and its fence stands: an attempt of the lost time may count "
            "as "
            "well. ",
            facts);
    }
    return finish(stream, &text, &bytes);
}

/* Reasons and references are other people's texts: made fit for a terminal before they are wrapped. */
static bool write_paragraph(FILE *stream, const char *title, char *text)
{
    char *shown = NULL;
    size_t bytes = 0;
    FILE *clean = text ? open_memstream(&shown, &bytes) : NULL;
    if (!clean) {
        free(text);
        return false;
    }
    if (text[0]) {
        (void)text_write(clean, text_of(text), SIZE_MAX);
    }
    free(text);
    const bool ok = fclose(clean) == 0;
    if (ok && shown[0]) {
        (void)fprintf(stream, "\n%s\n", title);
        text_wrap(stream, shown, 2);
    }
    free(shown);
    return ok;
}

/* A decision is a command whose words only the person has; where one is due, the library names
 * `explain` as the next command, and here it stands in full. */
static const struct {
    enum deed_reason reason;
    const char *command;
    const char *words;
} decisions[] = {
    {DEED_REASON_HELD, "release", "--by WHO --reason WHY"},
    {DEED_REASON_OVERDUE, "retract", "--by WHO --reason WHY"},
    {DEED_REASON_PAYLOAD_MISSING, "record", "--payload FILE"},
};

static void put_next(FILE *stream, const struct explain_facts *facts)
{
    const struct deed_result *result = facts->result;
    if (strncmp(result->next, "deed explain", strlen("deed explain")) != 0) {
        (void)fprintf(stream, "%s\n", result->next);
        return;
    }
    const char *command = "resolve";
    const char *words = "--outcome OUTCOME --by WHO --reason WHY";
    for (size_t i = 0; i < sizeof(decisions) / sizeof(decisions[0]); i++) {
        if (decisions[i].reason == result->reason) {
            command = decisions[i].command;
            words = decisions[i].words;
        }
    }
    if (facts->claimed && result->reason == DEED_REASON_HELD) { /* never the way to a second one */
        command = "resolve";
        words = "--outcome applied --by WHO --reason WHY";
    }
    if (result->key[0] == '-') { /* it would be read as an option */
        (void)fprintf(stream, "deed %s %s -- %s\n", command, words, result->key);
    } else {
        (void)fprintf(stream, "deed %s %s %s\n", command, result->key, words);
    }
}

bool explain_write(FILE *stream, const struct explain_facts *facts)
{
    bool ok = true;
    for (int part = 0; part < EXPLAIN_PARTS && ok; part++) {
        ok = write_paragraph(stream, explain_title((enum explain_part)part),
            explain_text((enum explain_part)part, facts));
    }
    ok = ok && write_paragraph(stream, "Besides", explain_besides(facts));
    if (ok && facts->result->next[0]) {
        (void)fputs("\nNext\n  ", stream);
        put_next(stream, facts);
    }
    return ok;
}
