/* SPDX-License-Identifier: MIT
 *
 * folder.h - the folder of a trial: what a command is given to start with, and its removal.
 */
#ifndef DEED_MOCKS_CRASHTEST_FOLDER_H
#define DEED_MOCKS_CRASHTEST_FOLDER_H

#include <deed/base.h>

#define FOLDER_BYTES 512

/* Makes a new, empty folder for all trials: in $TMPDIR, else in memory, else in /tmp. A process that
 * is killed loses no page cache, so a disk would only be slower. */
DEED_MUST_CHECK deed_rc folder_root(char path_out[FOLDER_BYTES], struct deed_error *err);

/* The folder of one trial below it: `work` is empty; beside it lies a fresh test ledger. */
DEED_MUST_CHECK deed_rc folder_make(
    const char *root, const char *label, char path_out[FOLDER_BYTES], struct deed_error *err);

/* A configuration that maps every kind to mock-http at a provider of this class. */
DEED_MUST_CHECK deed_rc folder_configure(
    const char *folder, const char *provider_class, const char *url, struct deed_error *err);

/* Writes FOLDER/NAME to `path_out`. */
void folder_file(const char *folder, const char *name, char path_out[FOLDER_BYTES + 32]);

/* Removes it with all that is in it; what cannot be removed stays. */
void folder_remove(const char *path);

#endif /* DEED_MOCKS_CRASHTEST_FOLDER_H */
