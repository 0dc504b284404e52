/* SPDX-License-Identifier: MIT
 *
 * paths.c - names of files, put together and taken apart.
 */
#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return strdup(".");
    }
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

char *path_below(const char *folder, const char *path)
{
    /* A name below the present folder stays as short as it was typed. */
    if (path[0] == '/' || strcmp(folder, ".") == 0) {
        return strdup(path);
    }
    const size_t bytes = strlen(folder) + strlen(path) + 2;
    char *joined = malloc(bytes);
    if (joined) {
        (void)snprintf(joined, bytes, "%s/%s", folder, path);
    }
    return joined;
}
