/* SPDX-License-Identifier: MIT */
#include "instant.h"

#include <stdio.h>
#include <string.h>

int64_t deed__sum(int64_t a, int64_t b)
{
    if (a == DEED_FOREVER || b == DEED_FOREVER || (b > 0 && a > DEED_FOREVER - b)) {
        return DEED_FOREVER;
    }
    return a + b;
}

bool deed__same_boot(const struct deed_instant *a, const struct deed_instant *b)
{
    return a->boot[0] != '\0' && strncmp(a->boot, b->boot, DEED_BOOT_BYTES) == 0;
}

bool deed__passed(const struct deed_instant *start, int64_t wait_ms, const struct deed_instant *now)
{
    int64_t wall = deed__sum(start->wall_ms, wait_ms);
    int64_t mono = deed__sum(start->mono_ms, wait_ms);
    return wait_ms != DEED_FOREVER && deed__same_boot(start, now) && now->wall_ms >= wall &&
        now->mono_ms >= mono;
}

bool deed__attempt_passed(
    const struct deed_attempt_row *attempt, int64_t wait_ms, const struct deed_instant *now)
{
    const struct deed_instant *start =
        deed__same_boot(&attempt->start, now) ? &attempt->start : &attempt->first_look;
    return deed__passed(start, wait_ms, now);
}

bool deed__runs(const struct deed_instant *start, int64_t allow_ms, const struct deed_instant *now)
{
    int64_t wall = deed__sum(start->wall_ms, allow_ms);
    int64_t mono = deed__sum(start->mono_ms, allow_ms);
    return deed__same_boot(start, now) && now->wall_ms < wall && now->mono_ms < mono;
}

bool deed__holds(const struct deed_instant *start, int64_t allow_ms, int64_t ahead_ms,
    const struct deed_instant *now, int64_t newest_ms)
{
    if (allow_ms <= 0) {
        return false;
    }
    if (allow_ms == DEED_FOREVER) {
        return true;
    }
    if (ahead_ms == DEED_FOREVER ||
        deed__sum(now->wall_ms, ahead_ms) > deed__sum(start->wall_ms, allow_ms)) {
        return false;
    }
    if (deed__same_boot(start, now)) {
        return deed__sum(now->mono_ms, ahead_ms) <= deed__sum(start->mono_ms, allow_ms);
    }
    return now->wall_ms >= newest_ms;
}

/* Days since 1970 to a date, counting years from March so that the leap day comes last. */
void deed__time_text(int64_t wall_ms, char text_out[DEED__TIME_BYTES])
{
    int64_t seconds = wall_ms / 1000;
    int64_t days = seconds / 86400 + 719468;
    int64_t rest = seconds % 86400;
    int64_t era = days / 146097; /* 400 years */
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
    (void)snprintf(text_out, DEED__TIME_BYTES, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (int)year,
        (int)month, (int)day, (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60),
        (int)(wall_ms % 1000));
}
