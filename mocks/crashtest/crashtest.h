/* SPDX-License-Identifier: MIT
 *
 * crashtest.h - all trials of one command: the unharmed run, and one for each point it has shown.
 */
#ifndef DEED_MOCKS_CRASHTEST_CRASHTEST_H
#define DEED_MOCKS_CRASHTEST_CRASHTEST_H

#include "crashtest/settings.h"

/* Runs and reports them, and returns the exit status. */
int crashtest(const struct settings *settings);

#endif /* DEED_MOCKS_CRASHTEST_CRASHTEST_H */
