/* SPDX-License-Identifier: MIT
 *
 * store_files.h - ledger files for tests: each in a folder of its own, and what lies in a folder.
 */
#ifndef DEED_TESTS_STORE_FILES_H
#define DEED_TESTS_STORE_FILES_H

#include "support/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deed/ext/store.h>
#include <deed/sqlite.h>

#define FILES_PATH_ROOM 256

/* A new, empty folder in the test's own, removed by files_remove. */
static inline void files_folder(char folder[FILES_PATH_ROOM])
{
    (void)snprintf(folder, FILES_PATH_ROOM, "store-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static inline void files_path(char path[FILES_PATH_ROOM], const char *folder, const char *name)
{
    const int bytes = snprintf(path, FILES_PATH_ROOM, "%s/%s", folder, name);
    assert_in_range(bytes, 1, FILES_PATH_ROOM - 1);
}

static inline void files_remove(const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    (void)fchmod(dirfd(dir), 0700);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
            (void)unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
        }
    }
    (void)closedir(dir);
    assert_int_equal(rmdir(folder), 0);
}

/* The whole of a file; *bytes_out its length. Freed by free. */
static inline unsigned char *files_read(const char *path, size_t *bytes_out)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long bytes = ftell(file);
    assert_true(bytes >= 0);
    rewind(file);
    unsigned char *data = malloc((size_t)bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)bytes, file), (size_t)bytes);
    (void)fclose(file);
    *bytes_out = (size_t)bytes;
    return data;
}

static inline void files_write(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static inline void files_copy(const char *from, const char *to)
{
    size_t bytes = 0;
    unsigned char *data = files_read(from, &bytes);
    files_write(to, data, bytes);
    free(data);
}

/* A number that changes with any name, length or byte in the folder. FNV-1a over all of it, summed
 * over the files, so that the order of the listing does not matter. */
static inline uint64_t files_fingerprint(const char *folder)
{
    uint64_t sum = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char path[FILES_PATH_ROOM];
        struct stat facts;
        uint64_t hash = UINT64_C(14695981039346656037);
        if (entry->d_name[0] == '.') {
            continue;
        }
        for (const char *c = entry->d_name; *c != '\0'; c++) {
            hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
        }
        files_path(path, folder, entry->d_name);
        assert_int_equal(stat(path, &facts), 0);
        hash = (hash ^ facts.st_mode) * UINT64_C(1099511628211);
        if (S_ISREG(facts.st_mode)) {
            size_t bytes = 0;
            unsigned char *data = files_read(path, &bytes);
            for (size_t i = 0; i < bytes; i++) {
                hash = (hash ^ data[i]) * UINT64_C(1099511628211);
            }
            hash = (hash ^ bytes) * UINT64_C(1099511628211);
            free(data);
        }
        sum += hash;
    }
    (void)closedir(dir);
    return sum;
}

static inline int files_count(const char *folder)
{
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        count += entry->d_name[0] != '.' ? 1 : 0;
    }
    (void)closedir(dir);
    return count;
}

static inline struct deed_sqlite_options files_options(void)
{
    struct deed_sqlite_options options;
    memset(&options, 0, sizeof(options));
    options.size = sizeof(options);
    return options;
}

static inline void files_create(const char *path)
{
    struct deed_error err = {.text = ""};
    if (deed_sqlite_create(path, NULL, &err) != DEED_OK) {
        fail_msg("%s", err.text);
    }
}

static inline struct deed_store *files_open(
    const char *path, const struct deed_sqlite_options *options)
{
    struct deed_error err = {.text = ""};
    struct deed_store *store = NULL;
    if (deed_sqlite_open(path, options, &store, &err) != DEED_OK) {
        fail_msg("%s", err.text);
    }
    return store;
}

/* The database that the recorded-intent program made, 50 intents. */
static inline void files_fixture(const char *path)
{
    files_copy(DEED_SOURCE_DIR "/tests/vectors/seed-ledger.sqlite3", path);
}

#endif
