/* SPDX-License-Identifier: MIT
 *
 * output.c - the one place where answers leave the command: text for people, JSON for programs.
 */
#include "output.h"

#include "text.h"
#include "times.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void output_start(struct output *out, bool json)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    const bool dumb = terminal && strcmp(terminal, "dumb") == 0;
    *out = (struct output){.json = json};
    out->colour = !json && !dumb && (!no_colour || no_colour[0] == '\0') && isatty(STDOUT_FILENO);
    out->progress = !dumb && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
}

json_t *output_object(const char *what)
{
    return json_pack("{s:s, s:s}", "schema", "deed/1", "object", what);
}

void output_set_text(json_t *object, const char *name, const char *text_or_null)
{
    json_t *value = text_or_null ? text_json(text_of(text_or_null)) : json_null();
    (void)json_object_set_new(object, name, value);
}

void output_set_time(json_t *object, const char *name, int64_t wall_ms)
{
    char text[TIME_TEXT_BYTES];
    time_text_ms(wall_ms, text);
    output_set_text(object, name, wall_ms == 0 ? NULL : text);
}

/* Dumps to a stream in one write, so that two processes' lines do not mix. */
static bool dump_line(FILE *stream, json_t *object)
{
    char *line = object ? json_dumps(object, JSON_COMPACT) : NULL;
    const bool ok = line && fprintf(stream, "%s\n", line) > 0;
    free(line);
    json_decref(object);
    return ok;
}

void output_json(struct output *out, json_t *object)
{
    /* Flushed, so that whoever reads along sees each answer when it is known. */
    if (!dump_line(stdout, object) || fflush(stdout) != 0) {
        out->failed = true;
    }
}

static void clear_progress(struct output *out)
{
    if (out->progress_shown) {
        (void)fputs("\r\033[K", stderr);
        out->progress_shown = false;
    }
}

static void error_json(struct output *out, const struct deed_error *err, size_t line)
{
    json_t *object = output_object("error");
    const char *name = deed_rc_name(err->rc);
    output_set_text(object, "code", name ? name : "DEED_E_SYSTEM");
    output_set_text(object, "message", err->text);
    output_set_text(object, "key", err->key[0] ? err->key : NULL);
    output_set_text(object, "next", err->next[0] ? err->next : NULL);
    output_set_text(object, "origin", err->origin);
    if (line > 0) {
        (void)json_object_set_new(object, "line", json_integer((json_int_t)line));
    }
    if (!dump_line(stderr, object)) {
        out->failed = true;
    }
}

void output_error(struct output *out, const struct deed_error *err, size_t line)
{
    (void)fflush(stdout); /* in order, when both go to one place */
    clear_progress(out);
    if (out->json) {
        error_json(out, err, line);
        return;
    }
    (void)fputs("deed: ", stderr);
    if (line > 0) {
        (void)fprintf(stderr, "line %zu: ", line);
    }
    if (err->key[0] && !strstr(err->text, err->key)) {
        (void)fprintf(stderr, "%s: ", err->key);
    }
    (void)text_write(stderr, text_of(err->text), SIZE_MAX);
    (void)fputc('\n', stderr);
    if (err->next[0]) {
        (void)fputs("next: ", stderr);
        (void)text_write(stderr, text_of(err->next), SIZE_MAX);
        (void)fputc('\n', stderr);
    }
}

static void warning_json(struct output *out, const char *key, size_t line, const char *text)
{
    json_t *object = output_object("warning");
    output_set_text(object, "message", text);
    output_set_text(object, "key", key);
    if (line > 0) {
        (void)json_object_set_new(object, "line", json_integer((json_int_t)line));
    }
    if (!dump_line(stderr, object)) {
        out->failed = true;
    }
}

void output_warning(struct output *out, const char *key, size_t line, const char *format, ...)
{
    char text[DEED_ERROR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)fflush(stdout);
    clear_progress(out);
    if (out->json) {
        warning_json(out, key, line, text);
        return;
    }
    (void)fputs("warning: ", stderr);
    if (line > 0) {
        (void)fprintf(stderr, "line %zu: ", line);
    }
    (void)text_write(stderr, text_of(text), SIZE_MAX);
    (void)fputc('\n', stderr);
}

void output_refusal(
    struct output *out, const struct deed_error *err, const struct deed_result *result, size_t line)
{
    struct deed_error told = *err;
    if (result && result->key[0] && !told.next[0]) {
        (void)snprintf(told.next, sizeof told.next, "deed explain %s%s",
            result->key[0] == '-' ? "-- " : "", result->key);
    }
    output_error(out, &told, line);
}

void output_note(struct output *out, const char *format, ...)
{
    if (out->json) {
        return;
    }
    (void)fflush(stdout);
    clear_progress(out);
    va_list args;
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
}

void output_progress(struct output *out, uint64_t count)
{
    if (out->progress) {
        (void)fprintf(stderr, "\r%llu done\033[K", (unsigned long long)count);
        out->progress_shown = true;
    }
}

bool output_has_watcher(const struct output *out)
{
    return out->json || isatty(STDERR_FILENO);
}

void output_paint(const struct output *out, enum paint paint, const char *text)
{
    static const char *const codes[] = {
        [PAINT_NONE] = NULL,
        [PAINT_GOOD] = "32",
        [PAINT_BAD] = "31",
        [PAINT_DOUBT] = "33",
    };
    if (out->colour && codes[paint]) {
        (void)printf("\033[%sm%s\033[0m", codes[paint], text);
    } else {
        (void)fputs(text, stdout);
    }
}

bool output_finish(struct output *out)
{
    clear_progress(out);
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        out->failed = true;
    }
    return !out->failed;
}
