/* SPDX-License-Identifier: MIT
 *
 * Goal: an integration that is right is kept at every class of provider: every point, every way to
 * die, every fate of what was not flushed; and every fault of network and provider, with processes
 * that die at every point of it.
 */
#include "support/test.h"

#include "explored.h"

static void test_every_class__deaths_and_power_failures(void **state)
{
    (void)state;
    for (int c = DEED_CLASS_BLIND; c <= DEED_CLASS_CLOSABLE; c++) {
        struct deed_crash_setup setup = deaths_of((deed_provider_class)c);
        must_be_kept(&setup);
    }
}

static void test_every_class__faults_of_network_and_provider(void **state)
{
    (void)state;
    for (int c = DEED_CLASS_BLIND; c <= DEED_CLASS_CLOSABLE; c++) {
        struct deed_crash_setup setup = deaths_of((deed_provider_class)c);
        setup.no_faults = false;
        setup.kills_only = true;
        must_be_kept(&setup);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_class__deaths_and_power_failures),
        cmocka_unit_test(test_every_class__faults_of_network_and_provider),
    };
    return cmocka_run_group_tests_name("every_class", tests, NULL, NULL);
}
