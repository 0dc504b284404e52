/* SPDX-License-Identifier: MIT */
#include "support/scene_store.h"

#include <unistd.h>

#include <deed/reference.h>
#include <deed/sqlite.h>

#include "support/test.h"

struct scene_store {
    struct deed_store *first;
    const struct deed_allocator *memory;
    bool on_disk;
    char directory[64];
    char path[96];
};

static struct deed_store *open_file(const struct scene_store *store)
{
    struct deed_error err;
    struct deed_store *handle = NULL;
    const struct deed_sqlite_options options = {.size = sizeof(options), .memory = store->memory};
    assert_int_equal(deed_sqlite_open(store->path, &options, &handle, &err), DEED_OK);
    return handle;
}

static void make_file(struct scene_store *store)
{
    struct deed_error err;
    (void)snprintf(store->directory, sizeof(store->directory), "scene-XXXXXX");
    assert_non_null(mkdtemp(store->directory));
    (void)snprintf(store->path, sizeof(store->path), "%s/ledger", store->directory);
    assert_int_equal(deed_sqlite_create(store->path, NULL, &err), DEED_OK);
}

struct scene_store *scene_store_new(struct deed_store **first_out)
{
    return scene_store_new_with(NULL, first_out);
}

struct scene_store *scene_store_new_with(
    const struct deed_allocator *memory, struct deed_store **first_out)
{
    struct scene_store *store = calloc(1, sizeof(*store));
    assert_non_null(store);
    store->memory = memory;
    const char *wanted = getenv("DEED_SCENE_STORE");
    store->on_disk = wanted != NULL && strcmp(wanted, "sqlite") == 0;
    if (store->on_disk) {
        make_file(store);
        store->first = open_file(store);
    } else {
        struct deed_error err;
        const struct deed_reference_options options = {.size = sizeof(options), .memory = memory};
        assert_int_equal(deed_reference_open(&options, &store->first, &err), DEED_OK);
    }
    *first_out = store->first;
    return store;
}

struct deed_store *scene_store_attach(struct scene_store *store)
{
    if (store->on_disk) {
        return open_file(store);
    }
    struct deed_error err;
    struct deed_store *other = NULL;
    assert_int_equal(deed_reference_attach(store->first, NULL, &other, &err), DEED_OK);
    return other;
}

void scene_store_end(struct scene_store *store)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-owners"};
    for (size_t i = 0; store->on_disk && i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char path[128];
        (void)snprintf(path, sizeof(path), "%s%s", store->path, suffixes[i]);
        (void)unlink(path);
    }
    if (store->on_disk) {
        (void)rmdir(store->directory);
    }
    free(store);
}
