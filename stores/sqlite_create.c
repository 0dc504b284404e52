/* SPDX-License-Identifier: MIT
 *
 * Creating a ledger file: built whole under a temporary name in the same folder, flushed, then put
 * in place without replacing anything. Nobody ever sees half of it, nor anybody else's mode bits.
 */
#include "sqlite_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 4096

static deed_rc fail_errno(
    const struct sqlite_store *store, const char *what, int number, struct deed_error *err)
{
    const deed_rc rc = deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN, "%s: %s: %s",
        store->location, what, strerror(number));
    deed_error_native(err, number);
    return rc;
}

static deed_rc refuse_existing(const struct sqlite_store *store, struct deed_error *err)
{
    const deed_rc rc = deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
        "%s exists already, and nothing is ever replaced; choose another name", store->location);
    deed_error_native(err, EEXIST);
    return rc;
}

/* The folder of `path`, ending in a slash; false if it is too long. */
static bool folder_of(const char *path, char folder[PATH_ROOM])
{
    const char *slash = strrchr(path, '/');
    const size_t bytes = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    if (bytes >= PATH_ROOM - 1) {
        return false;
    }
    memcpy(folder, slash == NULL ? "./" : path, slash == NULL ? 2 : bytes);
    folder[slash == NULL ? 2 : bytes] = '\0';
    return true;
}

/* A free name beside the ledger's, taken with mode 0600. */
static deed_rc take_name(
    const struct sqlite_store *store, char name[PATH_ROOM], struct deed_error *err)
{
    uint64_t number = 0;
    if (!deed__sqlite_random(store, &number, sizeof(number))) {
        return deed_error_set(
            err, DEED_E_SYSTEM, SQLITE_STORE_ORIGIN, "no random bytes can be had");
    }
    const int bytes =
        snprintf(name, PATH_ROOM, "%s.new-%016llx", store->path, (unsigned long long)number);
    if (bytes < 0 || bytes >= PATH_ROOM) {
        return fail_errno(store, "create", ENAMETOOLONG, err);
    }
    const int file = (int)TEMP_FAILURE_RETRY(
        open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file < 0) {
        return fail_errno(store, "create", errno, err);
    }
    (void)fchmod(file, 0600); /* whatever the umask took away */
    (void)close(file);
    return DEED_OK;
}

/* ---- building ---------------------------------------------------------------------------- */

/* A commit writes whole pages into the log, so small ones are cheaper. Not smaller than what a device
 * may ruin of a sector it was writing when the power went: what else lies in there stands in no log. */
static int choose_page_bytes(sqlite3 *db)
{
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code == SQLITE_OK && file != NULL && file->pMethods != NULL &&
        (file->pMethods->xDeviceCharacteristics(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE) != 0) {
        char pragma[64];
        (void)snprintf(pragma, sizeof(pragma), "PRAGMA page_size = %d", SQLITE_PAGE_BYTES);
        code = sqlite3_exec(db, pragma, NULL, NULL, NULL);
    }
    return code;
}

/* Nobody knows the file yet, so it needs no journal; one flush at the end makes it durable. */
static deed_rc build(struct sqlite_store *draft, struct deed_error *err)
{
    struct connection *connection = NULL;
    deed_rc rc = deed__sqlite_connect(draft, ROLE_BUILDER, &connection, err);
    if (rc != DEED_OK) {
        return rc;
    }
    int code = choose_page_bytes(connection->db);
    if (code == SQLITE_OK) {
        code = sqlite3_exec(connection->db,
            "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;", NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) {
        rc = deed__sqlite_apply(connection, NULL, NULL, err);
        if (rc != DEED_OK) {
            goto done;
        }
        code = sqlite3_exec(connection->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    }
    if (code != SQLITE_OK) {
        rc = deed__sqlite_fail(draft, connection->db, code, "create", err);
    }
done:
    deed__sqlite_disconnect(connection);
    return rc;
}

/* Through the VFS, which may have to know. */
static deed_rc flush(struct sqlite_store *draft, struct deed_error *err)
{
    sqlite3_file *file = sqlite3_malloc(draft->vfs->szOsFile);
    sqlite3_filename name = sqlite3_create_filename(draft->path, "", "", 0, NULL);
    int code = SQLITE_NOMEM;
    if (file != NULL && name != NULL) {
        int flags = 0;
        memset(file, 0, (size_t)draft->vfs->szOsFile);
        code = draft->vfs->xOpen(
            draft->vfs, name, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MAIN_DB, &flags);
        if (code == SQLITE_OK) {
            code = file->pMethods->xSync(file, SQLITE_SYNC_FULL);
        }
        if (file->pMethods != NULL) {
            (void)file->pMethods->xClose(file);
        }
    }
    sqlite3_free_filename(name);
    sqlite3_free(file);
    return code == SQLITE_OK ? DEED_OK
                             : deed__sqlite_fail(draft, NULL, code, "flush the new file", err);
}

static void remove_companions(const struct sqlite_store *draft)
{
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char name[PATH_ROOM];
        const int bytes = snprintf(name, sizeof(name), "%s%s", draft->path, suffixes[i]);
        if (bytes > 0 && bytes < PATH_ROOM) {
            (void)draft->vfs->xDelete(draft->vfs, name, 0);
        }
    }
}

/* ---- putting in place -------------------------------------------------------------------- */

static deed_rc flush_folder(
    const struct sqlite_store *store, const char *folder, struct deed_error *err)
{
    const int file = (int)TEMP_FAILURE_RETRY(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    int number = file < 0 ? errno : 0;
    if (file >= 0) {
        number = TEMP_FAILURE_RETRY(fsync(file)) == 0 ? 0 : errno;
        (void)close(file);
    }
    return number == 0 ? DEED_OK : fail_errno(store, "flush its folder", number, err);
}

static deed_rc put_in_place(
    const struct sqlite_store *store, const char *name, const char *folder, struct deed_error *err)
{
    /* A rename that replaces nothing leaves no second name behind; file systems that lack it get
     * a second name first, and lose the old one. */
    int number =
        renameat2(AT_FDCWD, name, AT_FDCWD, store->path, RENAME_NOREPLACE) == 0 ? 0 : errno;
    if (number == EINVAL || number == ENOSYS || number == EOPNOTSUPP) {
        number = link(name, store->path) == 0 ? 0 : errno;
        if (number == 0) {
            (void)unlink(name);
        }
    }
    if (number == EEXIST) {
        return refuse_existing(store, err);
    }
    if (number != 0) {
        return fail_errno(store, "create", number, err);
    }
    const deed_rc rc = flush_folder(store, folder, err);
    if (rc != DEED_OK) {
        (void)unlink(store->path); /* it may not outlive a power cut, so it shall not be there */
    }
    return rc;
}

static deed_rc create_file(
    struct sqlite_store *store, const struct deed_sqlite_options *options, struct deed_error *err)
{
    char folder[PATH_ROOM];
    char name[PATH_ROOM] = "";
    struct stat facts;
    struct sqlite_store *draft = NULL;
    if (!folder_of(store->path, folder)) {
        return fail_errno(store, "create", ENAMETOOLONG, err);
    }
    /* The path was resolved; a dangling link by the name that was given is in the way as well. */
    if (lstat(store->path, &facts) == 0 || lstat(store->location, &facts) == 0) {
        return refuse_existing(store, err);
    }
    deed_rc rc = deed__sqlite_refuse_network(folder, store->location, options, err);
    if (rc == DEED_OK) {
        rc = take_name(store, name, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    rc = deed__sqlite_store_new(name, store->location, options, &draft, err);
    if (rc == DEED_OK) {
        draft->on_disk = true;
        draft->read_only = false;
        rc = deed__sqlite_watch(draft, err);
    }
    if (rc == DEED_OK) {
        rc = build(draft, err);
        remove_companions(draft);
    }
    if (rc == DEED_OK) {
        rc = flush(draft, err);
    }
    if (rc == DEED_OK) {
        rc = put_in_place(store, name, folder, err);
    }
    if (rc != DEED_OK) {
        (void)unlink(name);
    }
    deed__sqlite_store_free(draft);
    return rc;
}

/* A log that an earlier file of this name left behind would come to life in the new one. */
static deed_rc refuse_strays(const struct sqlite_store *store, struct deed_error *err)
{
    static const char *const endings[] = {"-wal", "-journal"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        char name[PATH_ROOM];
        const int bytes = snprintf(name, sizeof(name), "%s%s", store->path, endings[i]);
        if (bytes > 0 && (size_t)bytes < sizeof(name) && access(name, F_OK) == 0) {
            return deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
                "%s: beside it lies %s%s, the log of a ledger that stood here before; put that "
                "ledger back, or move the log away if it is really not needed",
                store->location, store->location, endings[i]);
        }
    }
    return DEED_OK;
}

deed_rc deed_sqlite_create(
    const char *path, const struct deed_sqlite_options *options, struct deed_error *err)
{
    struct sqlite_store *store = NULL;
    struct deed_sqlite_options mine;
    deed_rc rc = deed__sqlite_options_take(&mine, options, err);
    if (rc == DEED_OK) {
        rc = deed__sqlite_store_new(path, path, &mine, &store, err);
    }
    if (rc == DEED_OK && store->read_only) {
        rc = deed_error_set(err, DEED_E_MISUSE, SQLITE_STORE_ORIGIN,
            "%s: a ledger cannot be created for reading only", path);
    }
    if (rc == DEED_OK) {
        rc = refuse_strays(store, err);
    }
    if (rc == DEED_OK) {
        rc = create_file(store, &mine, err);
    }
    deed__sqlite_store_free(store);
    return rc;
}
