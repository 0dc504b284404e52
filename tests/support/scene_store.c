/* SPDX-License-Identifier: MIT */
#include "support/scene_store.h"

#include <unistd.h>

#include <deed/sqlite.h>

#include "support/test.h"

struct scene_store {
    struct deed_store *first;
    char directory[64];
    char path[96];
};

struct scene_store *scene_store_new(struct deed_store **first_out)
{
    struct scene_store *store = calloc(1, sizeof(*store));
    assert_non_null(store);
    struct deed_error err;
    (void)snprintf(store->directory, sizeof(store->directory), "/tmp/deed-scene-XXXXXX");
    assert_non_null(mkdtemp(store->directory));
    (void)snprintf(store->path, sizeof(store->path), "%s/ledger", store->directory);
    assert_int_equal(deed_sqlite_create(store->path, NULL, &err), DEED_OK);
    assert_int_equal(deed_sqlite_open(store->path, NULL, &store->first, &err), DEED_OK);
    *first_out = store->first;
    return store;
}

struct deed_store *scene_store_attach(struct scene_store *store)
{
    struct deed_error err;
    struct deed_store *other = NULL;
    assert_int_equal(deed_sqlite_open(store->path, NULL, &other, &err), DEED_OK);
    return other;
}

void scene_store_end(struct scene_store *store)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-owners"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char path[128];
        (void)snprintf(path, sizeof(path), "%s%s", store->path, suffixes[i]);
        (void)unlink(path);
    }
    (void)rmdir(store->directory);
    free(store);
}
