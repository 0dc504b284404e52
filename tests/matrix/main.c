/* SPDX-License-Identifier: MIT
 *
 * Prints the crash matrix, for docs/reference/crash-matrix.md.
 *
 *   crash-matrix [--quick] [TRIALS]     quick: without the lines of deed, which take the time
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"

static unsigned trials = 1000;

struct column {
    enum situation situation;
    bool anew;
};

struct table {
    const char *title;
    const struct column *columns;
    size_t count;
};

/* ---- what is shown ----------------------------------------------------------------------- */

static const struct column same_words[] = {{SITUATION_CRASH_AFTER, false},
    {SITUATION_POWER_LOSS, false}, {SITUATION_LOST_REPLY, false}, {SITUATION_CRASH_BEFORE, false},
    {SITUATION_LATE, false}, {SITUATION_OUTAGE, false}};
static const struct column new_words[] = {{SITUATION_CRASH_AFTER, true},
    {SITUATION_POWER_LOSS, true}, {SITUATION_LOST_REPLY, true}, {SITUATION_CRASH_BEFORE, true},
    {SITUATION_LATE, true}, {SITUATION_OUTAGE, true}};
static const struct column agents[] = {{SITUATION_FR_82, false}, {SITUATION_FR_83, false},
    {SITUATION_FR_85, false}, {SITUATION_FR_86, false}};
static const struct column outside[] = {{SITUATION_DOUBLED, false}};

#define COLUMNS(all) (all), sizeof(all) / sizeof((all)[0])
static const struct table tables[] = {{"The retry sends the same payload", COLUMNS(same_words)},
    {"The retry draws its payload anew", COLUMNS(new_words)}, {"Agents", COLUMNS(agents)},
    {"Outside of every promise", COLUMNS(outside)}};
#define TABLES       (sizeof(tables) / sizeof(tables[0]))
#define COLUMNS_MOST 6
#define AT_A_GLANCE  2 /* the first tables are added up */

static struct verdicts found[TABLES][MATRIX_ROWS][COLUMNS_MOST];
static bool quick;

static bool is_printed(const struct row *row)
{
    return !quick || row->way != WAY_DEED;
}

/* ---- running ----------------------------------------------------------------------------- */

static bool run_row(struct trial *trial, size_t table, size_t at)
{
    const struct row *row = &matrix_rows[at];
    for (size_t i = 0; i < tables[table].count; i++) {
        const struct column *column = &tables[table].columns[i];
        if (!cell_run(trial, row, column->situation, column->anew, trials, &found[table][at][i])) {
            (void)fprintf(stderr, "%s at %s, %s: %s\n", ways[row->way]->name,
                deed_provider_class_name(row->provider_class), situation_text(column->situation),
                trial->broken);
            return false;
        }
    }
    return true;
}

static bool run_all(void)
{
    static struct trial trial;
    bool fine = trial_new(&trial);
    for (size_t table = 0; fine && table < TABLES; table++) {
        for (size_t row = 0; fine && row < MATRIX_ROWS; row++) {
            fine = !is_printed(&matrix_rows[row]) || run_row(&trial, table, row);
        }
    }
    trial_free(&trial);
    return fine;
}

/* ---- printing ---------------------------------------------------------------------------- */

static void print_names(const struct row *row)
{
    printf("| %s | %s |", ways[row->way]->name, deed_provider_class_name(row->provider_class));
}

static void print_cell(const struct verdicts *sums)
{
    const struct {
        const char *letter;
        unsigned count;
    } parts[] = {{"d", sums->duplicates}, {"v", sums->divergences}, {"l", sums->losses},
        {"g", sums->guesses}};
    const char *between = " ";
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].count > 0) {
            printf("%s%s %u", between, parts[i].letter, parts[i].count);
            between = ", ";
        }
    }
    if (*between == ' ') {
        printf(" 0");
    }
    if (sums->uncertain > 0) {
        printf("; u %u", sums->uncertain);
    }
    printf(" |");
}

static void print_table(size_t table)
{
    printf("\n### %s\n\n| way | provider |", tables[table].title);
    for (size_t i = 0; i < tables[table].count; i++) {
        printf(" %s |", situation_text(tables[table].columns[i].situation));
    }
    printf("\n| --- | --- |");
    for (size_t i = 0; i < tables[table].count; i++) {
        printf(" --- |");
    }
    printf("\n");
    for (size_t row = 0; row < MATRIX_ROWS; row++) {
        if (is_printed(&matrix_rows[row])) {
            print_names(&matrix_rows[row]);
            for (size_t i = 0; i < tables[table].count; i++) {
                print_cell(&found[table][row][i]);
            }
            printf("\n");
        }
    }
}

/* For each thousand trials, all cells of the first tables together. */
static void print_mean(size_t row)
{
    struct verdicts sums = {0};
    unsigned cells = 0;
    for (size_t table = 0; table < AT_A_GLANCE; table++) {
        for (size_t i = 0; i < tables[table].count; i++, cells++) {
            const struct verdicts *one = &found[table][row][i];
            sums.duplicates += one->duplicates;
            sums.divergences += one->divergences;
            sums.losses += one->losses;
            sums.guesses += one->guesses;
            sums.uncertain += one->uncertain;
        }
    }
    const unsigned all[] = {
        sums.duplicates, sums.divergences, sums.losses, sums.guesses, sums.uncertain};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        printf(all[i] == 0 ? " 0 |" : " %.1f |", (double)all[i] * 1000 / (cells * trials));
    }
}

static void print_glance(void)
{
    printf("### At a glance\n\n| way | provider | duplicates | divergences | losses | guesses |"
           " uncertain, a person decides |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t row = 0; row < MATRIX_ROWS; row++) {
        if (is_printed(&matrix_rows[row])) {
            print_names(&matrix_rows[row]);
            print_mean(row);
            printf("\n");
        }
    }
}

int main(int argc, char **argv)
{
    quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const int next = quick ? 2 : 1;
    if (argc > next) {
        trials = (unsigned)strtoul(argv[next], NULL, 10);
    }
    if (trials == 0 || argc > next + 1) {
        (void)fprintf(stderr, "usage: crash-matrix [--quick] [TRIALS]\n");
        return 2;
    }
    if (!run_all()) {
        return 1;
    }
    print_glance();
    for (size_t table = 0; table < TABLES; table++) {
        print_table(table);
    }
    return 0;
}
