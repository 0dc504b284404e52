/* SPDX-License-Identifier: MIT
 *
 * report.c - medians and percentiles over rounds. A ratio is taken within a round, where both sides
 * met the same disk and the same neighbours, and only then is the median of the ratios taken.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

struct summary {
    double low; /* 10th percentile */
    double median;
    double high; /* 90th percentile */
};

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Of sorted values, between neighbours in proportion. */
static double percentile(const double *sorted, uint32_t count, double share)
{
    const double at = share * (count - 1);
    const uint32_t below = (uint32_t)at;
    const uint32_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}

static struct summary summarise(double *values, uint32_t count)
{
    qsort(values, count, sizeof(*values), compare);
    return (struct summary){.low = percentile(values, count, 0.1),
        .median = percentile(values, count, 0.5),
        .high = percentile(values, count, 0.9)};
}

/* Microseconds for one action. */
static struct summary times_of(const struct series *series, const double *seconds)
{
    double values[ROUNDS_MAX];
    for (uint32_t i = 0; i < series->rounds; i++) {
        values[i] = seconds[i] / series->count * 1e6;
    }
    return summarise(values, series->rounds);
}

/* How many actions deed does while the bare loop does one. */
static struct summary ratio_of(const struct series *series)
{
    double values[ROUNDS_MAX];
    for (uint32_t i = 0; i < series->rounds; i++) {
        values[i] = series->bare_s[i] / series->deed_s[i];
    }
    return summarise(values, series->rounds);
}

bool report_reached(const struct series *series, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ratio_of(&series[i]).median < series[i].wanted) {
            return false;
        }
    }
    return true;
}

static void print_times(const char *name, struct summary us)
{
    printf("    %-5s %9.1f us an action (%.1f to %.1f)\n", name, us.median, us.low, us.high);
}

void report_text(const struct series *series, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct summary ratio = ratio_of(&series[i]);
        printf(
            "%-7s ratio %.3f (%.3f to %.3f)", series[i].name, ratio.median, ratio.low, ratio.high);
        if (series[i].wanted > 0) {
            printf(", wanted %.2f: %s", series[i].wanted,
                ratio.median >= series[i].wanted ? "reached" : "MISSED");
        }
        printf("\n    %s\n", series[i].what);
        print_times("bare", times_of(&series[i], series[i].bare_s));
        print_times("deed", times_of(&series[i], series[i].deed_s));
    }
}

static void json_summary(const char *name, struct summary summary)
{
    printf(",\"%s\":{\"p10\":%.4f,\"median\":%.4f,\"p90\":%.4f}", name, summary.low, summary.median,
        summary.high);
}

void report_json(const struct series *series, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        printf("{\"name\":\"%s\",\"rounds\":%u,\"actions\":%u,\"wanted\":%.2f", series[i].name,
            (unsigned)series[i].rounds, (unsigned)series[i].count, series[i].wanted);
        json_summary("ratio", ratio_of(&series[i]));
        json_summary("bare_us", times_of(&series[i], series[i].bare_s));
        json_summary("deed_us", times_of(&series[i], series[i].deed_s));
        printf("}\n");
    }
}
