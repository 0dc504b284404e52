/* SPDX-License-Identifier: MIT
 *
 * What the crash matrix must show: of deed nothing wrong in any class, and of the others what they do
 * wrong, else it measures nothing.
 */
#include "support/test.h"

#include "cells.h"

#define TRIALS      12
#define TRIALS_DISK 6 /* a ledger in SQLite is opened at each life, which takes its time */

static struct trial trial;

static int set_up(void **state)
{
    (void)state;
    return trial_new(&trial) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    trial_free(&trial);
    return 0;
}

static struct verdicts run(enum way_number way, deed_provider_class provider_class,
    enum situation situation, bool anew, unsigned trials)
{
    const struct row row = {way, provider_class};
    struct verdicts sums;
    if (!cell_run(&trial, &row, situation, anew, trials, &sums)) {
        fail_msg("%s at %s, %s: %s", ways[way]->name, deed_provider_class_name(provider_class),
            situation_text(situation), trial.broken);
    }
    return sums;
}

/* ---- deed -------------------------------------------------------------------------------- */

/* Where nobody can know: a provider that can neither be asked nor resent to. */
static bool may_be_uncertain(deed_provider_class provider_class, enum situation situation)
{
    return provider_class == DEED_CLASS_BLIND ||
        (provider_class == DEED_CLASS_KEYED && situation == SITUATION_OUTAGE);
}

static void keep_promises(
    deed_provider_class provider_class, enum situation situation, bool anew, unsigned trials)
{
    const struct verdicts sums = run(WAY_DEED, provider_class, situation, anew, trials);
    bool clean = sums.duplicates + sums.divergences + sums.losses + sums.guesses == 0;
    if (!clean || (sums.uncertain > 0 && !may_be_uncertain(provider_class, situation))) {
        fail_msg("deed at %s, %s%s: of %u trials %u doubled, %u diverged, %u lost, %u guessed, "
                 "%u uncertain",
            deed_provider_class_name(provider_class), situation_text(situation),
            anew ? ", words drawn anew" : "", trials, sums.duplicates, sums.divergences,
            sums.losses, sums.guesses, sums.uncertain);
    }
}

static void keep_all_promises(unsigned trials, unsigned trials_disk)
{
    for (unsigned is = 0; is < MATRIX_CLASSES; is++) {
        for (unsigned situation = 0; situation < SITUATION_DOUBLED; situation++) {
            const bool by_power = situation == SITUATION_POWER_LOSS;
            for (unsigned anew = 0; anew < (situation < SITUATION_AGENTS ? 2U : 1U); anew++) {
                keep_promises((deed_provider_class)is, (enum situation)situation, anew == 1,
                    by_power ? trials_disk : trials);
            }
        }
    }
}

static void test_matrix__deed_keeps_its_promises_in_each_class(void **state)
{
    (void)state;
    keep_all_promises(TRIALS, TRIALS_DISK);
    assert_true(trial.met.deaths > 0 && trial.met.power_losses > 0 && trial.met.units_lost > 0);
    assert_true(trial.met.persons > 0 && trial.met.conflicts > 0);
}

/* Also where a process dies and the page cache lives: not a word of it depends on the store. */
static void test_matrix__a_ledger_on_the_disk_keeps_them_too(void **state)
{
    (void)state;
    trial.all_on_disk = true;
    keep_all_promises(1, 1);
    trial.all_on_disk = false;
}

static void test_matrix__a_blind_doubt_is_said_to_be_one(void **state)
{
    (void)state;
    const struct verdicts lost =
        run(WAY_DEED, DEED_CLASS_BLIND, SITUATION_LOST_REPLY, false, TRIALS);
    assert_int_equal(lost.uncertain, TRIALS);
    const struct verdicts late = run(WAY_DEED, DEED_CLASS_BLIND, SITUATION_LATE, false, TRIALS);
    assert_int_equal(late.uncertain, TRIALS);
}

/* ---- the others -------------------------------------------------------------------------- */

static void test_matrix__who_notes_first_guesses_and_loses(void **state)
{
    (void)state;
    const struct verdicts before =
        run(WAY_NOTE_FIRST, DEED_CLASS_BLIND, SITUATION_CRASH_BEFORE, false, TRIALS);
    assert_true(before.losses > 0 && before.losses < TRIALS);
    assert_int_equal(before.duplicates, 0);
    const struct verdicts lost =
        run(WAY_NOTE_FIRST, DEED_CLASS_BLIND, SITUATION_LOST_REPLY, false, TRIALS);
    assert_int_equal(lost.guesses, TRIALS);
    assert_int_equal(lost.losses, 0);
}

static void test_matrix__who_retries_without_a_key_doubles(void **state)
{
    static const enum situation all[] = {SITUATION_CRASH_AFTER, SITUATION_POWER_LOSS,
        SITUATION_LOST_REPLY, SITUATION_LATE, SITUATION_OUTAGE};
    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (unsigned anew = 0; anew < 2; anew++) {
            const struct verdicts sums =
                run(WAY_NAIVE, DEED_CLASS_KEYED, all[i], anew == 1, TRIALS);
            assert_true(sums.duplicates > TRIALS / 4);
            assert_int_equal(sums.divergences, anew == 1 ? sums.duplicates : 0);
            assert_int_equal(sums.losses + sums.guesses + sums.uncertain, 0);
        }
    }
    /* Who died before the send has not sent: the retry is the first. */
    const struct verdicts sums =
        run(WAY_NAIVE, DEED_CLASS_BLIND, SITUATION_CRASH_BEFORE, false, TRIALS);
    assert_int_equal(sums.duplicates + sums.losses + sums.guesses, 0);
}

static void test_matrix__a_key_from_content_ends_with_the_content(void **state)
{
    (void)state;
    struct verdicts sums =
        run(WAY_CONTENT_KEY, DEED_CLASS_KEYED, SITUATION_LOST_REPLY, false, TRIALS);
    assert_int_equal(sums.duplicates + sums.losses + sums.guesses, 0);
    sums = run(WAY_CONTENT_KEY, DEED_CLASS_KEYED, SITUATION_LOST_REPLY, true, TRIALS);
    assert_int_equal(sums.divergences, TRIALS);
    sums = run(WAY_CONTENT_KEY, DEED_CLASS_KEYED, SITUATION_FR_83, false, TRIALS);
    assert_int_equal(sums.losses, TRIALS); /* the second refund was taken for the first */
}

static void test_matrix__a_stable_key_ends_with_its_window_and_its_words(void **state)
{
    (void)state;
    struct verdicts sums =
        run(WAY_STABLE_KEY, DEED_CLASS_KEYED, SITUATION_CRASH_AFTER, false, TRIALS);
    assert_int_equal(sums.duplicates + sums.losses + sums.guesses, 0);
    sums = run(WAY_STABLE_KEY, DEED_CLASS_KEYED, SITUATION_LOST_REPLY, true, TRIALS);
    assert_int_equal(sums.duplicates, 0);
    assert_int_equal(sums.guesses, TRIALS); /* reported as failed, and it had happened */
    sums = run(WAY_STABLE_KEY, DEED_CLASS_KEYED, SITUATION_OUTAGE, false, TRIALS);
    assert_true(sums.duplicates > 0);
    sums = run(WAY_STABLE_KEY, DEED_CLASS_BLIND, SITUATION_LOST_REPLY, false, TRIALS);
    assert_int_equal(sums.duplicates, TRIALS);
}

static void test_matrix__a_network_that_doubles_is_stopped_by_keys_alone(void **state)
{
    static const bool doubled[MATRIX_CLASSES] = {
        [DEED_CLASS_BLIND] = true, [DEED_CLASS_LOOKUP] = true, [DEED_CLASS_CLOSABLE] = true};
    (void)state;
    for (unsigned is = 0; is < MATRIX_CLASSES; is++) {
        const struct verdicts sums =
            run(WAY_DEED, (deed_provider_class)is, SITUATION_DOUBLED, false, 2);
        assert_int_equal(sums.duplicates, doubled[is] ? 2 : 0);
    }
}

/* ---- the matrix itself ------------------------------------------------------------------- */

/* A seed is the whole of a trial: whatever ran before it. */
static void test_matrix__a_trial_is_its_seed(void **state)
{
    struct verdicts first[MATRIX_ROWS];
    struct verdicts again;
    (void)state;
    for (unsigned i = 0; i < MATRIX_ROWS; i++) {
        assert_true(trial_run(&trial, matrix_rows[i].way, matrix_rows[i].provider_class,
            SITUATION_POWER_LOSS, true, 7, &first[i]));
    }
    for (unsigned i = MATRIX_ROWS; i-- > 0;) {
        assert_true(trial_run(&trial, matrix_rows[i].way, matrix_rows[i].provider_class,
            SITUATION_POWER_LOSS, true, 7, &again));
        assert_memory_equal(&again, &first[i], sizeof(again));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix__deed_keeps_its_promises_in_each_class),
        cmocka_unit_test(test_matrix__a_ledger_on_the_disk_keeps_them_too),
        cmocka_unit_test(test_matrix__a_blind_doubt_is_said_to_be_one),
        cmocka_unit_test(test_matrix__who_notes_first_guesses_and_loses),
        cmocka_unit_test(test_matrix__who_retries_without_a_key_doubles),
        cmocka_unit_test(test_matrix__a_key_from_content_ends_with_the_content),
        cmocka_unit_test(test_matrix__a_stable_key_ends_with_its_window_and_its_words),
        cmocka_unit_test(test_matrix__a_network_that_doubles_is_stopped_by_keys_alone),
        cmocka_unit_test(test_matrix__a_trial_is_its_seed),
    };
    return cmocka_run_group_tests_name("matrix", tests, set_up, tear_down);
}
