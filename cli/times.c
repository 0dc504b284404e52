/* SPDX-License-Identifier: MIT
 *
 * times.c - RFC 3339 in UTC, read and written; ages.
 *
 * The calendar is computed here: the C library's functions look at the environment.
 */
#include "times.h"

#include <deed/base.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS_PER_SECOND   INT64_C(1000)
#define SECONDS_PER_DAY INT64_C(86400)
#define YEAR_MIN        1970
#define YEAR_MAX        9999

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* Days from 1970-01-01 to the first of March of `year`, counted in years that begin in March, so
 * that a leap day is the last day of its year. */
static int64_t days_to_march(int year)
{
    const int64_t y = year;
    return 365 * y + y / 4 - y / 100 + y / 400 - 719468;
}

static int64_t days_from_civil(int year, int month, int day)
{
    const int march_year = month <= 2 ? year - 1 : year;
    const int march_month = (month + 9) % 12; /* March is 0 */
    return days_to_march(march_year) + (153 * march_month + 2) / 5 + day - 1;
}

static void civil_from_days(int64_t days, int *year_out, int *month_out, int *day_out)
{
    int year = (int)(1970 + days / 366); /* never too late */
    while (days_from_civil(year + 1, 1, 1) <= days) {
        year++;
    }
    int month = 1;
    while (month < 12 && days_from_civil(year, month + 1, 1) <= days) {
        month++;
    }
    *year_out = year;
    *month_out = month;
    *day_out = (int)(days - days_from_civil(year, month, 1)) + 1;
}

static void write_time(int64_t wall_ms, bool with_ms, char text_out[TIME_TEXT_BYTES])
{
    const int64_t last_ms =
        days_from_civil(YEAR_MAX + 1, 1, 1) * SECONDS_PER_DAY * MS_PER_SECOND - 1;
    if (wall_ms < 0 || wall_ms > last_ms) {
        (void)snprintf(text_out, TIME_TEXT_BYTES, "%s", wall_ms < 0 ? "before 1970" : "never");
        return;
    }
    int year = 0;
    int month = 0;
    int day = 0;
    const int64_t seconds = wall_ms / MS_PER_SECOND;
    const int in_day = (int)(seconds % SECONDS_PER_DAY);
    civil_from_days(seconds / SECONDS_PER_DAY, &year, &month, &day);
    char fraction[8] = "";
    if (with_ms) {
        (void)snprintf(fraction, sizeof fraction, ".%03d", (int)(wall_ms % MS_PER_SECOND));
    }
    (void)snprintf(text_out, TIME_TEXT_BYTES, "%04d-%02d-%02dT%02d:%02d:%02d%sZ", year, month, day,
        in_day / 3600, in_day / 60 % 60, in_day % 60, fraction);
}

void time_text(int64_t wall_ms, char text_out[TIME_TEXT_BYTES])
{
    write_time(wall_ms, false, text_out);
}

void time_text_up(int64_t wall_ms, char text_out[TIME_TEXT_BYTES])
{
    const bool can_round = wall_ms >= 0 && wall_ms <= INT64_MAX - MS_PER_SECOND;
    write_time(can_round ? wall_ms + MS_PER_SECOND - 1 : wall_ms, false, text_out);
}

void time_text_ms(int64_t wall_ms, char text_out[TIME_TEXT_BYTES])
{
    write_time(wall_ms, true, text_out);
}

/* Reads exactly `count` digits. */
static bool read_digits(const char **at, int count, int *value_out)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (!isdigit((unsigned char)**at)) {
            return false;
        }
        value = value * 10 + (**at - '0');
        (*at)++;
    }
    *value_out = value;
    return true;
}

static bool read_char(const char **at, const char *allowed)
{
    if (**at == '\0' || !strchr(allowed, **at)) {
        return false;
    }
    (*at)++;
    return true;
}

/* "Z", or the offset east of UTC. */
static bool read_zone(const char **at, int *offset_s_out)
{
    if (read_char(at, "Zz")) {
        *offset_s_out = 0;
        return true;
    }
    const int sign = **at == '-' ? -1 : 1;
    int hours = 0;
    int minutes = 0;
    const bool ok = read_char(at, "+-") && read_digits(at, 2, &hours) && read_char(at, ":") &&
        read_digits(at, 2, &minutes) && hours <= 23 && minutes <= 59;
    *offset_s_out = sign * (hours * 3600 + minutes * 60);
    return ok;
}

/* A fraction of a second; what is finer than a millisecond is dropped. */
static bool read_fraction(const char **at, int *ms_out)
{
    *ms_out = 0;
    if (!read_char(at, ".")) {
        return true;
    }
    if (!isdigit((unsigned char)**at)) {
        return false;
    }
    for (int unit = 100; isdigit((unsigned char)**at); (*at)++, unit /= 10) {
        *ms_out += unit * (**at - '0');
    }
    return true;
}

bool time_read(const char *text, int64_t *wall_ms_out)
{
    const char *at = text;
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int ms = 0;
    int offset_s = 0;
    const bool date = read_digits(&at, 4, &year) && read_char(&at, "-") &&
        read_digits(&at, 2, &month) && read_char(&at, "-") && read_digits(&at, 2, &day) &&
        read_char(&at, "Tt ");
    const bool clock = date && read_digits(&at, 2, &hour) && read_char(&at, ":") &&
        read_digits(&at, 2, &minute) && read_char(&at, ":") && read_digits(&at, 2, &second) &&
        read_fraction(&at, &ms) && read_zone(&at, &offset_s) && *at == '\0';
    if (!clock || year < YEAR_MIN || month < 1 || month > 12 || day < 1 ||
        day > days_in_month(year, month) || hour > 23 || minute > 59 || second > 59) {
        return false;
    }
    const int64_t in_day = (int64_t)hour * 3600 + (int64_t)minute * 60 + second;
    const int64_t seconds = days_from_civil(year, month, day) * SECONDS_PER_DAY + in_day - offset_s;
    *wall_ms_out = seconds * MS_PER_SECOND + ms;
    return *wall_ms_out > 0;
}

bool age_read(const char *text, int64_t *age_ms_out)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 12) {
        return false;
    }
    const int64_t count = strtoll(text, NULL, 10);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].unit, text + digits) == 0 && count > 0 &&
            count <= DEED_DURATION_MS_MAX / units[i].ms) {
            *age_ms_out = count * units[i].ms;
            return true;
        }
    }
    return false;
}
