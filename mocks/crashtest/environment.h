/* SPDX-License-Identifier: MIT
 *
 * environment.h - what the command under test finds in its environment.
 */
#ifndef DEED_MOCKS_CRASHTEST_ENVIRONMENT_H
#define DEED_MOCKS_CRASHTEST_ENVIRONMENT_H

#include <deed/base.h>

/* Looks for the library that counts seams: where it is installed, then beside this program. An empty
 * `path_out`: it is nowhere. */
void environment_find_preload(char *path_out, size_t path_bytes);

/* This process's environment with the trial's members in it. NULL: no memory. */
char **environment_make(const char *folder, const char *url, const char *preload_or_empty);
void environment_free(char **environment);

#endif /* DEED_MOCKS_CRASHTEST_ENVIRONMENT_H */
