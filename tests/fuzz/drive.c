/* SPDX-License-Identifier: MIT
 *
 * Calls a fuzz target with each file that is named, and with each in a folder that is named: the
 * corpus as a test, and the way to replay one input under any compiler and debugger.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static size_t tried;

static void try_file(const char *path)
{
    size_t bytes = 0;
    uint8_t *data = fuzz_read(path, &bytes);
    uint8_t *exact = malloc(bytes > 0 ? bytes : 1); /* so that reading past the end is seen */
    FUZZ_DEMAND(exact != NULL, "memory for an input", path);
    if (bytes > 0) {
        memcpy(exact, data, bytes);
    }
    free(data);
    (void)fprintf(stderr, "%s\n", path); /* the last one is the one it died of */
    (void)LLVMFuzzerTestOneInput(exact, bytes);
    free(exact);
    tried++;
}

static int by_name(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

static void try_folder(const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, by_name);
    FUZZ_DEMAND(count >= 0, "a folder that can be read", folder);
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat facts;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (stat(path, &facts) == 0 && S_ISREG(facts.st_mode)) {
            try_file(path);
        }
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    (void)LLVMFuzzerInitialize(&argc, &argv);
    (void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        struct stat facts;
        FUZZ_DEMAND(stat(argv[i], &facts) == 0, "an input that is there", argv[i]);
        if (S_ISDIR(facts.st_mode)) {
            try_folder(argv[i]);
        } else {
            try_file(argv[i]);
        }
    }
    (void)fprintf(stderr, "%zu inputs\n", tried);
    return tried > 0 ? 0 : 1;
}
