/* SPDX-License-Identifier: MIT
 *
 * The SQLite store as a whole: memory of a store, opening and closing it, the table of functions.
 */
#include "sqlite_impl.h"

#include <deed/system.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Days from the Julian epoch, in which SQLite counts, to 1970, in milliseconds. */
#define JULIAN_TO_UNIX_MS INT64_C(210866760000000)

bool deed__sqlite_random(const struct sqlite_store *store, void *buffer, size_t bytes)
{
    return store->random->fill(store->random->self, buffer, bytes);
}

int64_t deed__sqlite_now_ms(const struct sqlite_store *store)
{
    /* The clock of the VFS, so that a simulated disk brings its simulated time along. */
    sqlite3_int64 now = 0;
    if (store->vfs->iVersion >= 2 && store->vfs->xCurrentTimeInt64 != NULL) {
        (void)store->vfs->xCurrentTimeInt64(store->vfs, &now);
    } else {
        double days = 0;
        (void)store->vfs->xCurrentTime(store->vfs, &days);
        now = (sqlite3_int64)(days * 86400000.0);
    }
    return now - JULIAN_TO_UNIX_MS;
}

/* ---- memory ------------------------------------------------------------------------------ */

static char *copy_string(const struct deed_allocator *memory, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = memory->resize(memory->self, NULL, 0, bytes);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

static void free_string(const struct deed_allocator *memory, char *text)
{
    if (text != NULL) {
        memory->resize(memory->self, text, strlen(text) + 1, 0);
    }
}

static deed_rc set_path(struct sqlite_store *store, const char *path, struct deed_error *err)
{
    char *full = sqlite3_malloc(store->vfs->mxPathname + 1);
    if (full == NULL) {
        return deed__sqlite_nomem(err);
    }
    const int code = store->vfs->xFullPathname(store->vfs, path, store->vfs->mxPathname + 1, full);
    deed_rc rc = DEED_OK;
    if ((code & 0xff) != SQLITE_OK) { /* SQLITE_OK_SYMLINK is fine */
        rc = deed__sqlite_fail(store, NULL, code, "find the file", err);
    } else {
        store->path = copy_string(store->memory, full);
        rc = store->path == NULL ? deed__sqlite_nomem(err) : DEED_OK;
    }
    sqlite3_free(full);
    return rc;
}

deed_rc deed__sqlite_options_take(struct deed_sqlite_options *mine_out,
    const struct deed_sqlite_options *options, struct deed_error *err)
{
    static const struct deed_shape shape = DEED_SHAPE(deed_sqlite_options, read_only);
    static const struct deed_shape memory = DEED_ALLOCATOR_SHAPE();
    static const struct deed_shape random = DEED_RANDOM_SHAPE();
    deed_rc rc = deed_size_take(&shape, options, mine_out, err);
    if (rc == DEED_OK) {
        rc = deed_size_check(&memory, mine_out->memory, err);
    }
    return rc == DEED_OK ? deed_size_check(&random, mine_out->random, err) : rc;
}

static void take_options(struct sqlite_store *store, const struct deed_sqlite_options *options)
{
    store->random = deed_system_random();
    store->busy_ms = SQLITE_BUSY_MS;
    if (options == NULL) {
        return;
    }
    store->read_only = options->read_only;
    store->read_only_reason = "it was opened for reading only";
    if (options->busy_ms > 0) {
        store->busy_ms =
            options->busy_ms < DEED_DURATION_MS_MAX ? options->busy_ms : DEED_DURATION_MS_MAX;
    }
    store->checkpoint_pages = options->checkpoint_pages;
    if (options->random != NULL) {
        store->random = options->random;
    }
    store->vfs_given = options->vfs != NULL;
}

deed_rc deed__sqlite_store_new(const char *path, const char *location,
    const struct deed_sqlite_options *options, struct sqlite_store **store_out,
    struct deed_error *err)
{
    if (path == NULL || path[0] == '\0') {
        return deed_error_set(
            err, DEED_E_MISUSE, SQLITE_STORE_ORIGIN, "a store needs the path of its file");
    }
    const struct deed_allocator *memory =
        options == NULL || options->memory == NULL ? deed_system_memory() : options->memory;
    struct sqlite_store *store = memory->resize(memory->self, NULL, 0, sizeof(*store));
    if (store == NULL) {
        return deed__sqlite_nomem(err);
    }
    memset(store, 0, sizeof(*store));
    store->memory = memory;
    store->owner_file = -1;
    store->process = deed_system_process();
    (void)pthread_mutex_init(&store->write_lock, NULL);
    (void)pthread_mutex_init(&store->state_lock, NULL);
    (void)pthread_mutex_init(&store->owner_lock, NULL);
    take_options(store, options);
    deed_rc rc = DEED_OK;
    store->location = copy_string(memory, location);
    store->vfs = sqlite3_vfs_find(options == NULL ? NULL : options->vfs);
    if (store->location == NULL) {
        rc = deed__sqlite_nomem(err);
    } else if (store->vfs == NULL) {
        rc = deed_error_set(err, DEED_E_MISUSE, SQLITE_STORE_ORIGIN,
            "no SQLite VFS is registered under the name %s",
            options == NULL || options->vfs == NULL ? "(default)" : options->vfs);
    } else {
        rc = set_path(store, path, err);
    }
    if (rc != DEED_OK) {
        deed__sqlite_store_free(store);
        return rc;
    }
    *store_out = store;
    return DEED_OK;
}

void deed__sqlite_store_free(struct sqlite_store *store)
{
    if (store == NULL) {
        return;
    }
    if (deed__sqlite_forked(store)) {
        /* The connections are the parent's: closing one here would touch its files and locks. What
         * SQLite holds is left to the end of this process. */
        deed__sqlite_forget_connections(store);
    } else {
        deed__sqlite_drop_connections(store);
        deed__sqlite_unwatch(store);
        (void)pthread_mutex_destroy(&store->write_lock);
        (void)pthread_mutex_destroy(&store->state_lock);
        (void)pthread_mutex_destroy(&store->owner_lock);
    }
    /* In a child too: the parent's lock lives as long as the parent's copy of this file. */
    deed__sqlite_owner_finish(store);
    const struct deed_allocator *memory = store->memory;
    free_string(memory, store->path);
    free_string(memory, store->location);
    memory->resize(memory->self, store, sizeof(*store), 0);
}

/* ---- the table --------------------------------------------------------------------------- */

static void store_identity(void *self, uint64_t *device_out, uint64_t *inode_out)
{
    const struct sqlite_store *store = self;
    struct stat facts;
    const bool known = store->on_disk && stat(store->path, &facts) == 0;
    *device_out = known ? (uint64_t)facts.st_dev : 0;
    *inode_out = known ? (uint64_t)facts.st_ino : 0;
}

static bool store_read_only(void *self)
{
    return ((const struct sqlite_store *)self)->read_only;
}

/* Whoever moves or copies the file alone, while nobody uses it, shall have all of it: what this
 * handle wrote is brought back from the log, by the same rule as ever and without waiting. */
static void bring_back(struct sqlite_store *store)
{
    bool whole = false;
    const bool wrote = store->writer != NULL && store->writer->log_filled;
    if (wrote && !deed__sqlite_forked(store) && !store->read_only && !store->doubtful) {
        (void)deed__sqlite_checkpoint(store, 0, &whole, NULL);
    }
}

static void store_close(void *self)
{
    bring_back(self);
    deed__sqlite_store_free(self);
}

static void fill_table(struct sqlite_store *store)
{
    store->base = (struct deed_store){
        .size = sizeof(struct deed_store),
        .name = "sqlite",
        .location = store->location,
        .self = store,
        .write = deed__sqlite_write,
        .read = deed__sqlite_read,
        .recover = deed__sqlite_recover,
        .owner = deed__sqlite_owner,
        .owner_lives = deed__sqlite_owner_lives,
        .schema = deed__sqlite_schema,
        .migrate = deed__sqlite_migrate,
        .check = deed__sqlite_check,
        .identity = store_identity,
        .read_only = store_read_only,
        .close = store_close,
    };
}

deed_rc deed_sqlite_open(const char *path, const struct deed_sqlite_options *options,
    struct deed_store **store_out, struct deed_error *err)
{
    struct sqlite_store *store = NULL;
    struct deed_sqlite_options mine;
    deed_rc rc = deed__sqlite_options_take(&mine, options, err);
    if (rc == DEED_OK) {
        rc = deed__sqlite_store_new(path, path, &mine, &store, err);
    }
    if (store == NULL) {
        return rc;
    }
    struct inspection seen;
    enum standing standing = STANDING_READY;
    int version = 0;
    rc = deed__sqlite_inspect(store, &mine, &seen, err);
    if (rc != DEED_OK) {
        goto done;
    }
    rc = deed__sqlite_watch(store, err);
    if (rc != DEED_OK) {
        goto done;
    }
    /* A WAL may hold newer marks than the header, so the live file is asked again. */
    rc = deed__sqlite_look_again(store, &standing, &version, err);
    if (rc != DEED_OK) {
        goto done;
    }
    if (standing == STANDING_NEWER) {
        rc = deed__sqlite_refuse_standing(store, standing, version, err);
        goto done;
    }
    fill_table(store);
    *store_out = &store->base;
    store = NULL;
done:
    deed__sqlite_store_free(store);
    return rc;
}
