/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) /* NOLINT(readability-non-const-parameter) */
{
    (void)argc;
    (void)argv;
    fuzz_start();
    return 0;
}

void fuzz_fail(const char *what, const char *detail)
{
    (void)fprintf(stderr, "DEMAND: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
    abort();
}

uint32_t fuzz_take(struct fuzz_reader *reader, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes && reader->left > 0; i++) {
        value |= (uint32_t)*reader->data << (8 * i);
        reader->data++;
        reader->left--;
    }
    return value;
}

int fuzz_file(const void *data, size_t bytes, char path_out[FUZZ_PATH_ROOM])
{
    const int file = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_DEMAND(file >= 0, "a file in memory", NULL);
    FUZZ_DEMAND(bytes == 0 || write(file, data, bytes) == (ssize_t)bytes, "a whole file", NULL);
    (void)snprintf(path_out, FUZZ_PATH_ROOM, "/proc/self/fd/%d", file);
    return file;
}

void fuzz_write(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    FUZZ_DEMAND(file != NULL, "a file that can be written", path);
    FUZZ_DEMAND(bytes == 0 || fwrite(data, 1, bytes, file) == bytes, "a whole file", path);
    FUZZ_DEMAND(fclose(file) == 0, "a whole file", path);
}

uint8_t *fuzz_read(const char *path, size_t *bytes_out)
{
    FILE *file = fopen(path, "rb");
    FUZZ_DEMAND(file != NULL, "a file that can be read", path);
    size_t capacity = 4096;
    size_t bytes = 0;
    uint8_t *data = malloc(capacity);
    FUZZ_DEMAND(data != NULL, "memory for a file", path);
    size_t got = 0;
    while ((got = fread(data + bytes, 1, capacity - bytes, file)) > 0) {
        bytes += got;
        if (bytes == capacity) {
            capacity *= 2;
            data = realloc(data, capacity);
            FUZZ_DEMAND(data != NULL, "memory for a file", path);
        }
    }
    FUZZ_DEMAND(ferror(file) == 0, "a file that can be read", path);
    (void)fclose(file);
    *bytes_out = bytes;
    return data;
}
