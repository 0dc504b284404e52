/* SPDX-License-Identifier: MIT
 *
 * cmd_states.c - deed states: the machine, from its own table.
 */
#include "cli.h"

#include "words.h"

#include <deed/machine.h>

#include <stdio.h>
#include <string.h>

/* "applied, rejected", or "-" where nothing is known. */
static void outcome_words(deed_outcome_set set, char *text_out, size_t capacity)
{
    size_t used = 0;
    text_out[0] = '\0';
    for (int i = DEED_OUTCOME_NONE; i < OUTCOMES_END && used < capacity; i++) {
        if ((set & 1U << i) != 0) {
            used += (size_t)snprintf(text_out + used, capacity - used, "%s%s", used > 0 ? ", " : "",
                deed_outcome_name((deed_outcome)i));
        }
    }
}

#define SET_WORDS_BYTES 80

static const char *from_name(const struct deed_edge *edge)
{
    return edge->from == DEED_STATE_NONE ? "-" : deed_state_name(edge->from);
}

/* "confirmed (not_applied)"; an outcome that is not known is not worth a word here. */
static void side_text(
    const char *state, deed_outcome_set outcomes, char text_out[SET_WORDS_BYTES + 20])
{
    char words[SET_WORDS_BYTES];
    outcome_words(outcomes & ~(1U << DEED_OUTCOME_NONE), words, sizeof words);
    (void)snprintf(text_out, SET_WORDS_BYTES + 20, "%s%s%s%s", state, words[0] ? " (" : "", words,
        words[0] ? ")" : "");
}

static void print_text(void)
{
    for (size_t i = 0; deed_edge_at(i); i++) {
        const struct deed_edge *edge = deed_edge_at(i);
        char from[SET_WORDS_BYTES + 20];
        char to[SET_WORDS_BYTES + 20];
        side_text(from_name(edge), edge->from_outcomes, from);
        side_text(deed_state_name(edge->to), edge->to_outcomes, to);
        (void)printf(
            "%s --%s--> %s\n    %s\n", from, deed_event_name(edge->event), to, edge->guard);
    }
}

static void print_markdown(void)
{
    (void)fputs("| from | event | guard | to |\n| --- | --- | --- | --- |\n", stdout);
    for (size_t i = 0; deed_edge_at(i); i++) {
        const struct deed_edge *edge = deed_edge_at(i);
        char from[SET_WORDS_BYTES + 20];
        char to[SET_WORDS_BYTES + 20];
        side_text(from_name(edge), edge->from_outcomes, from);
        side_text(deed_state_name(edge->to), edge->to_outcomes, to);
        (void)printf(
            "| %s | %s | %s | %s |\n", from, deed_event_name(edge->event), edge->guard, to);
    }
}

static void print_mermaid(void)
{
    (void)fputs("stateDiagram-v2\n", stdout);
    for (size_t i = 0; deed_edge_at(i); i++) {
        const struct deed_edge *edge = deed_edge_at(i);
        char words[SET_WORDS_BYTES];
        outcome_words(edge->to_outcomes & ~(1U << DEED_OUTCOME_NONE), words, sizeof words);
        (void)printf("    %s --> %s: %s%s%s\n",
            edge->from == DEED_STATE_NONE ? "[*]" : deed_state_name(edge->from),
            deed_state_name(edge->to), deed_event_name(edge->event), words[0] ? " - " : "", words);
    }
}

static json_t *outcomes_json(deed_outcome_set set)
{
    json_t *list = json_array();
    for (int i = DEED_OUTCOME_NONE; i < OUTCOMES_END; i++) {
        if ((set & 1U << i) != 0) {
            (void)json_array_append_new(list, json_string(deed_outcome_name((deed_outcome)i)));
        }
    }
    return list;
}

static void print_json(struct cli *cli)
{
    json_t *object = output_object("states");
    json_t *edges = json_array();
    for (size_t i = 0; deed_edge_at(i); i++) {
        const struct deed_edge *edge = deed_edge_at(i);
        json_t *item = json_object();
        output_set_text(
            item, "from", edge->from == DEED_STATE_NONE ? NULL : deed_state_name(edge->from));
        (void)json_object_set_new(item, "from_outcomes", outcomes_json(edge->from_outcomes));
        output_set_text(item, "event", deed_event_name(edge->event));
        output_set_text(item, "to", deed_state_name(edge->to));
        (void)json_object_set_new(item, "to_outcomes", outcomes_json(edge->to_outcomes));
        output_set_text(item, "guard", edge->guard);
        (void)json_array_append_new(edges, item);
    }
    (void)json_object_set_new(object, "edges", edges);
    output_json(&cli->out, object);
}

int cmd_states(struct cli *cli)
{
    struct deed_error err;
    const char *format = cli->arguments.values[OPT_FORMAT];
    if (!format) {
        format = cli->out.json ? "json" : "text";
    }
    if (cli->out.json && strcmp(format, "json") != 0) {
        return cli_fail(cli,
            cli_error(&err, DEED_E_INVALID, NULL,
                "--json and --format %.20s do not go together; leave one out", format),
            &err);
    }
    if (strcmp(format, "text") == 0) {
        print_text();
    } else if (strcmp(format, "markdown") == 0) {
        print_markdown();
    } else if (strcmp(format, "mermaid") == 0) {
        print_mermaid();
    } else if (strcmp(format, "json") == 0) {
        print_json(cli);
    } else {
        return cli_fail(cli,
            cli_error(&err, DEED_E_INVALID, NULL,
                "--format `%.20s` is none of text, markdown, mermaid, json", format),
            &err);
    }
    return 0;
}
