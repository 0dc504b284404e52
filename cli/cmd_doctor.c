/* SPDX-License-Identifier: MIT
 *
 * cmd_doctor.c - deed doctor: looks at what the ledger stands on. It writes nothing.
 */
#include "doctor.h"

#include "location.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const health_names[] = {
    [HEALTH_OK] = "ok", [HEALTH_WARNING] = "warning", [HEALTH_BROKEN] = "broken"};

static void tell(struct doctor *doctor, const char *check, enum health health, const char *remedy,
    const char *text)
{
    static const enum paint paints[] = {
        [HEALTH_OK] = PAINT_GOOD, [HEALTH_WARNING] = PAINT_DOUBT, [HEALTH_BROKEN] = PAINT_BAD};
    doctor->counts[health]++;
    if (doctor->cli->out.json) {
        json_t *object = json_object();
        output_set_text(object, "check", check);
        output_set_text(object, "health", health_names[health]);
        output_set_text(object, "text", text);
        output_set_text(object, "remedy", remedy);
        (void)json_array_append_new(doctor->checks, object);
        return;
    }
    char word[12];
    (void)snprintf(word, sizeof word, "%-7s", health_names[health]);
    output_paint(&doctor->cli->out, paints[health], word);
    (void)printf("  %-11s  ", check);
    (void)text_write(stdout, text_of(text), SIZE_MAX);
    (void)fputc('\n', stdout);
    if (remedy) {
        (void)printf("%-22s  do: ", "");
        (void)text_write(stdout, text_of(remedy), SIZE_MAX);
        (void)fputc('\n', stdout);
    }
}

void doctor_tell(struct doctor *doctor, const char *check, enum health health, const char *remedy,
    const char *format, ...)
{
    char text[DEED_ERROR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tell(doctor, check, health, remedy, text);
}

void doctor_tell_error(
    struct doctor *doctor, const char *check, enum health health, const struct deed_error *err)
{
    tell(doctor, check, health, err->next[0] ? err->next : "see what the text names", err->text);
}

static void answer(struct cli *cli, struct doctor *doctor)
{
    if (cli->out.json) {
        json_t *object = output_object("doctor");
        (void)json_object_set_new(object, "checks", doctor->checks);
        for (int i = HEALTH_OK; i < HEALTH_COUNT; i++) {
            (void)json_object_set_new(object, health_names[i], json_integer(doctor->counts[i]));
        }
        output_json(&cli->out, object);
        return;
    }
    (void)printf("%u ok, %u warnings, %u broken\n", doctor->counts[HEALTH_OK],
        doctor->counts[HEALTH_WARNING], doctor->counts[HEALTH_BROKEN]);
}

int cmd_doctor(struct cli *cli)
{
    struct deed_error err = {0};
    const char *path = NULL;
    struct doctor doctor = {.cli = cli};
    deed_rc rc = location_find(&cli->arguments, &path, &err);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    doctor.checks = cli->out.json ? json_array() : NULL;
    doctor_library(&doctor);
    if (doctor_file(&doctor, path)) {
        doctor_ledger(&doctor, path);
    } else {
        doctor_clock(&doctor, 0);
        doctor_config(&doctor, path, false, false);
    }
    answer(cli, &doctor);
    if (doctor.counts[HEALTH_BROKEN] == 0) {
        return 0;
    }
    rc = cli_error(&err, DEED_E_CHECK, NULL,
        "%u of the checks failed; each says what to do about it", doctor.counts[HEALTH_BROKEN]);
    return cli_fail(cli, rc, &err);
}
