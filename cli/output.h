/* SPDX-License-Identifier: MIT
 *
 * output.h - the one place where answers leave the command: text for people, JSON for programs.
 *
 * Data goes to standard output, everything else to standard error. Every JSON object carries
 * "schema": "deed/1" and says in "object" what it is; docs/reference/output.schema.json has all.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <deed/ledger.h>

#include <jansson.h>

struct output {
    bool json;
    bool colour;   /* standard output is a terminal and nobody said NO_COLOR */
    bool progress; /* standard error is a terminal and standard output is not */
    bool failed;   /* something could not be written or built; told once, at the end */
    bool progress_shown;
};

void output_start(struct output *out, bool json);

/* Starts an object. NULL: no memory; every function below takes NULL. */
json_t *output_object(const char *what);
/* A string or null; a wall time or null ("never" for DEED_FOREVER). */
void output_set_text(json_t *object, const char *name, const char *text_or_null);
void output_set_time(json_t *object, const char *name, int64_t wall_ms);
/* Writes one object on a line of standard output, and frees it. */
void output_json(struct output *out, json_t *object);

/* An error, on standard error, as text or as an object. `line` is that of an input file, or 0. */
void output_error(struct output *out, const struct deed_error *err, size_t line);
/* The same about an intent that is there. Where the error names no next command, it is to have this
 * one explained. */
void output_refusal(struct output *out, const struct deed_error *err,
    const struct deed_result *result, size_t line);
/* Something that was done all the same and is most likely not what was meant; on standard error, as
 * text or as an object. */
void output_warning(struct output *out, const char *key, size_t line, const char *format, ...)
    DEED_PRINTF(4, 5);
/* A remark on standard error, in text only. */
void output_note(struct output *out, const char *format, ...) DEED_PRINTF(2, 3);
/* "12 done" on a terminal, overwritten by the next. */
void output_progress(struct output *out, uint64_t count);

/* Whether somebody reads along: a program, or a person at a terminal. */
bool output_has_watcher(const struct output *out);

enum paint {
    PAINT_NONE,
    PAINT_GOOD,
    PAINT_BAD,
    PAINT_DOUBT
};
/* A word in colour, or plain, to standard output. */
void output_paint(const struct output *out, enum paint paint, const char *text);

/* Flushes. False: something was lost, here or before; `out` says so once on standard error. */
bool output_finish(struct output *out);

#endif
