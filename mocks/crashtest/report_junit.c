/* SPDX-License-Identifier: MIT
 *
 * report_junit.c - what a server that collects test results is told.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "crashtest/report.h"

/* What XML cannot hold becomes a question mark. */
static void put(FILE *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '&') {
            (void)fputs("&amp;", out);
        } else if (c == '<') {
            (void)fputs("&lt;", out);
        } else if (c == '>') {
            (void)fputs("&gt;", out);
        } else if (c == '"') {
            (void)fputs("&quot;", out);
        } else if ((c < 0x20 && c != '\n') || c >= 0x7f) {
            (void)fputc('?', out);
        } else {
            (void)fputc(c, out);
        }
    }
}

static void put_text(FILE *out, const char *text)
{
    put(out, text, strlen(text));
}

static void put_story(FILE *out, const struct story *story)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (memory) {
        story_print(memory, story);
        (void)fclose(memory);
        put(out, text, bytes);
        free(text);
    }
}

void junit_case(FILE *out, const struct settings *settings, const struct trial *trial)
{
    (void)fputs("  <testcase classname=\"crashtest\" name=\"", out);
    put_text(out, trial->point.label);
    (void)fprintf(
        out, "\" time=\"%" PRId64 ".%03" PRId64 "\"", trial->took_ms / 1000, trial->took_ms % 1000);
    if (trial->finding_count == 0) {
        (void)fputs(trial->met ? "/>\n" : "><skipped message=\"not reached\"/></testcase>\n", out);
        return;
    }
    (void)fputs(">\n", out);
    /* One failure a case, which is what readers of the format count. */
    (void)fprintf(
        out, "    <failure type=\"%s\" message=\"", promise_word(trial->findings[0].promise));
    put_text(out, trial->findings[0].text);
    (void)fputs("\">", out);
    for (size_t i = 0; i < trial->finding_count; i++) {
        put_text(out, trial->findings[i].text);
        (void)fputc('\n', out);
    }
    put_text(out, trial->where);
    (void)fputc('\n', out);
    put_story(out, &trial->story);
    char *again = settings_replay(settings, trial->point.label);
    (void)fputs("again: ", out);
    put_text(out, again ? again : "");
    free(again);
    (void)fputs("</failure>\n  </testcase>\n", out);
}

deed_rc junit_write(const struct report *report, struct deed_error *err)
{
    const char *path = report->settings->junit;
    FILE *file = fopen(path, "we");
    bool ok = file && fflush(report->junit) == 0;
    if (ok) {
        (void)fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"deed crashtest\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64
            "\" skipped=\"%" PRIu64 "\">\n",
            report->counts.trials, report->counts.broken, report->counts.missed);
        (void)fwrite(report->junit_text, 1, report->junit_bytes, file);
        (void)fputs("</testsuite>\n", file);
        ok = ferror(file) == 0;
    }
    if (file) {
        ok = fclose(file) == 0 && ok;
    }
    return ok ? DEED_OK
              : deed_error_set(err, DEED_E_SYSTEM, "crashtest", "%.200s cannot be written: %s",
                    path, strerror(errno));
}
