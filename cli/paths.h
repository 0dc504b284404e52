/* SPDX-License-Identifier: MIT
 *
 * paths.h - names of files, put together and taken apart.
 */
#ifndef CLI_PATHS_H
#define CLI_PATHS_H

/* The folder that holds `path`: "." if it names none. Both results are freed by the caller; NULL: no
 * memory. */
char *path_folder(const char *path);
/* `path` as seen from `folder`; an absolute one as it is. */
char *path_below(const char *folder, const char *path);

#endif
