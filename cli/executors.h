/* SPDX-License-Identifier: MIT
 *
 * executors.h - the executors this build has, by name.
 */
#ifndef CLI_EXECUTORS_H
#define CLI_EXECUTORS_H

#include "config.h"

#include <deed/ledger.h>

/* Creates and registers what the configuration maps. An unknown name is refused, naming those
 * there are. */
DEED_MUST_CHECK deed_rc executors_register(
    deed_ledger *ledger, const struct config *config, struct deed_error *err);

/* The same for a handle that only looks: kinds and their profiles, so that it judges as one that runs
 * would. What serves them is never called, and no executor is made. */
DEED_MUST_CHECK deed_rc executors_register_looking(
    deed_ledger *ledger, const struct config *config, struct deed_error *err);

/* Whether this build has the executor that the kind is given to. Makes none. */
DEED_MUST_CHECK deed_rc executor_check(const struct config_kind *kind, struct deed_error *err);

#endif
