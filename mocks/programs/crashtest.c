/* SPDX-License-Identifier: MIT
 *
 * crashtest.c - deed-crashtest, which `deed crashtest` runs.
 */
#include "crashtest/crashtest.h"

#include <stdio.h>

#include <deed/machine.h>

#include "crashtest/report.h"

int main(int argc, char **argv)
{
    struct settings settings;
    struct deed_error err = {0};
    const deed_rc rc = settings_read(&settings, argc, argv, &err);
    if (rc != DEED_OK) {
        report_error(&settings, &err);
        return deed_exit_status(rc, DEED_EXIT_OTHER, NULL);
    }
    if (settings.help) {
        settings_help();
        return 0;
    }
    if (settings.version) {
        (void)printf("deed %s\n", deed_version());
        return 0;
    }
    return crashtest(&settings);
}
