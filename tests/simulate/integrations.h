/* SPDX-License-Identifier: MIT
 *
 * Programs of other people, as they come: one that is right, and the wrong ones everybody has met.
 */
#ifndef DEED_TESTS_INTEGRATIONS_H
#define DEED_TESTS_INTEGRATIONS_H

#include <deed/mock/crash.h>

#define INTEGRATION_KEY "pay-1"

/* With deed: records, runs, reconciles, and says what it does not know. `context` is not used; the
 * kind is the name of the setup's class, so each class has a program of its own. */
deed_crash_program integration_of(deed_provider_class provider_class);

/* Only records, and leaves the rest to others. */
deed_crash_end integration_records(const struct deed_crash_life *life);

/* Without: sends until it is told that it was done, under a key of its own or (`blind`) none. */
deed_crash_end integration_naive_retry(const struct deed_crash_life *life);
deed_crash_end integration_keyed_retry(const struct deed_crash_life *life);
/* Sends, then writes down that it has; and the other way around. */
deed_crash_end integration_sent_before_saved(const struct deed_crash_life *life);
deed_crash_end integration_saved_before_sent(const struct deed_crash_life *life);

/* Is never done. */
deed_crash_end integration_never_ends(const struct deed_crash_life *life);

/* Executors with a fault: takes silence for success; sends twice where it hears nothing. */
deed_rc integration_confirms_on_timeout(const struct deed_crash_life *life,
    deed_executor **executor_out, struct deed_profile *profile_out, struct deed_error *err);
deed_rc integration_sends_twice(const struct deed_crash_life *life, deed_executor **executor_out,
    struct deed_profile *profile_out, struct deed_error *err);
/* Tells of an effect that the provider never named. */
deed_rc integration_forges(const struct deed_crash_life *life, deed_executor **executor_out,
    struct deed_profile *profile_out, struct deed_error *err);
/* And one without. */
deed_rc integration_sends_once(const struct deed_crash_life *life, deed_executor **executor_out,
    struct deed_profile *profile_out, struct deed_error *err);

#endif
