/* SPDX-License-Identifier: MIT
 *
 * A look at a file before SQLite may touch it: what is refused here keeps every byte, and no
 * companion file appears beside it.
 *
 * The bytes are read through the VFS, never through a file descriptor of our own: closing any
 * descriptor of a file drops all POSIX locks that this process holds on it, those of another
 * handle included (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 */
#include "migrations.h"
#include "sqlite_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define HEADER_BYTES 100
#define PATH_ROOM    4096

/* ---- file systems ------------------------------------------------------------------------ */

/* f_type of statfs(2). Numbers that linux/magic.h lacks are those of the drivers. FUSE cannot be
 * told apart from here: sshfs and rclone look like a local one. */
static const struct {
    uint32_t type;
    const char *name;
} network_types[] = {
    {0x6969, "NFS"},
    {0x517b, "SMB"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},
    {0x65735546, "FUSE"},
    {0x5346414f, "AFS"},
    {0x6b414653, "AFS"},
    {0x73757245, "Coda"},
    {0x00c36400, "Ceph"},
    {0x01021997, "9P"},
    {0x564c, "NCP"},
    {0x7461636f, "OCFS2"},
    {0x01161970, "GFS2"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x786f4256, "vboxsf"},
};

deed_rc deed__sqlite_refuse_network(const char *path, const char *location,
    const struct deed_sqlite_options *options, struct deed_error *err)
{
    int64_t type = 0;
    if (options != NULL && options->file_system_type != NULL) {
        type = options->file_system_type(path);
    } else {
        struct statfs facts;
        if (statfs(path, &facts) != 0) {
            const int number = errno;
            const deed_rc rc = deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
                "%s: the type of its file system is not known: %s", location, strerror(number));
            deed_error_native(err, number);
            return rc;
        }
        type = (int64_t)facts.f_type;
    }
    for (size_t i = 0; i < sizeof(network_types) / sizeof(network_types[0]); i++) {
        if ((uint32_t)type == network_types[i].type) {
            return deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
                "%s lies on a network file system (%s): its locks do not hold between machines, "
                "and commits would be lost; put the ledger on a local disk",
                location, network_types[i].name);
        }
    }
    return DEED_OK;
}

/* ---- the operating system's view --------------------------------------------------------- */

static deed_rc refuse_file(
    const struct sqlite_store *store, const char *why, int number, struct deed_error *err)
{
    const deed_rc rc =
        deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN, "%s: %s", store->location, why);
    deed_error_native(err, number);
    return rc;
}

static deed_rc look_missing(struct sqlite_store *store, int number, struct deed_error *err)
{
    if (number == ENOENT || number == ENOTDIR) {
        /* A VFS may keep files that the operating system knows nothing of. */
        int exists = 0;
        if (store->vfs_given &&
            store->vfs->xAccess(store->vfs, store->path, SQLITE_ACCESS_EXISTS, &exists) ==
                SQLITE_OK &&
            exists) {
            return DEED_OK;
        }
        return refuse_file(
            store, "there is no ledger here; `deed init --name NAME` creates one", number, err);
    }
    return refuse_file(store, strerror(number), number, err);
}

static bool folder_writable(const char *path)
{
    char folder[PATH_ROOM];
    const char *slash = strrchr(path, '/');
    if (slash == NULL || (size_t)(slash - path) >= sizeof(folder)) {
        return true;
    }
    const size_t bytes = slash == path ? 1 : (size_t)(slash - path);
    memcpy(folder, path, bytes);
    folder[bytes] = '\0';
    return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0;
}

static deed_rc look_at_file(struct sqlite_store *store, struct deed_error *err)
{
    struct stat facts;
    if (stat(store->path, &facts) != 0) {
        return look_missing(store, errno, err);
    }
    store->on_disk = true;
    if (S_ISDIR(facts.st_mode)) {
        return refuse_file(store, "this is a folder, no ledger", EISDIR, err);
    }
    if (!S_ISREG(facts.st_mode)) {
        return refuse_file(store, "this is no regular file, so no ledger", 0, err);
    }
    if (faccessat(AT_FDCWD, store->path, R_OK, AT_EACCESS) != 0) {
        return refuse_file(store, "the file cannot be read: permission denied", errno, err);
    }
    if (facts.st_size == 0) {
        return refuse_file(store,
            "the file is empty, so it is no ledger; remove it, and `deed init` creates one", 0,
            err);
    }
    if (store->read_only) {
        return DEED_OK;
    }
    if ((facts.st_mode & 0222) == 0) {
        store->read_only = true;
        store->read_only_reason = "the file has no write permission";
    } else if (faccessat(AT_FDCWD, store->path, W_OK, AT_EACCESS) != 0) {
        store->read_only = true;
        store->read_only_reason = "this user may not write the file";
    } else if (!folder_writable(store->path)) {
        store->read_only = true;
        store->read_only_reason = "this user may not write in its folder";
    }
    return DEED_OK;
}

static bool companion_filled(const struct sqlite_store *store, const char *suffix)
{
    char path[PATH_ROOM];
    struct stat facts;
    const int bytes = snprintf(path, sizeof(path), "%s%s", store->path, suffix);
    if (bytes <= 0 || (size_t)bytes >= sizeof(path)) {
        return false;
    }
    if (!store->on_disk) { /* only the VFS knows; an empty file that it tells of does no harm */
        int exists = 0;
        return store->vfs->xAccess(store->vfs, path, SQLITE_ACCESS_EXISTS, &exists) == SQLITE_OK &&
            exists != 0;
    }
    return stat(path, &facts) == 0 && facts.st_size > 0;
}

bool deed__sqlite_wal_filled(const struct sqlite_store *store)
{
    return companion_filled(store, "-wal");
}

/* ---- the bytes --------------------------------------------------------------------------- */

struct header {
    unsigned char bytes[HEADER_BYTES];
    sqlite3_int64 file_bytes;
};

static uint32_t big_endian(const unsigned char *bytes, size_t count)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static int read_open_file(sqlite3_file *file, struct header *header_out)
{
    int code = file->pMethods->xFileSize(file, &header_out->file_bytes);
    if (code == SQLITE_OK) {
        code = file->pMethods->xRead(file, header_out->bytes, HEADER_BYTES, 0);
    }
    return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code; /* the rest is zeros */
}

static int read_header(const struct sqlite_store *store, struct header *header_out)
{
    memset(header_out, 0, sizeof(*header_out));
    sqlite3_file *file = sqlite3_malloc(store->vfs->szOsFile);
    sqlite3_filename name = sqlite3_create_filename(store->path, "", "", 0, NULL);
    int code = SQLITE_NOMEM;
    if (file != NULL && name != NULL) {
        memset(file, 0, (size_t)store->vfs->szOsFile);
        int flags = 0;
        code = store->vfs->xOpen(
            store->vfs, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, &flags);
        if (code == SQLITE_OK) {
            code = read_open_file(file, header_out);
        }
        if (file->pMethods != NULL) {
            (void)file->pMethods->xClose(file);
        }
    }
    sqlite3_free_filename(name);
    sqlite3_free(file);
    return code;
}

/* https://www.sqlite.org/fileformat2.html#the_database_header */
static bool header_plausible(const struct header *header)
{
    const unsigned char *bytes = header->bytes;
    uint32_t page = big_endian(bytes + 16, 2);
    page = page == 1 ? 65536 : page;
    const bool page_good = page >= 512 && page <= 65536 && (page & (page - 1)) == 0;
    const uint32_t encoding = big_endian(bytes + 56, 4);
    return page_good && bytes[21] == 64 && bytes[22] == 32 && bytes[23] == 32 &&
        (bytes[18] == 1 || bytes[18] == 2) && (bytes[19] == 1 || bytes[19] == 2) && encoding <= 3 &&
        header->file_bytes % page == 0;
}

/* The file is as long as its header says. */
static bool length_plausible(const struct header *header)
{
    const unsigned char *bytes = header->bytes;
    uint32_t page = big_endian(bytes + 16, 2);
    page = page == 1 ? 65536 : page;
    const bool counted = big_endian(bytes + 24, 4) == big_endian(bytes + 92, 4);
    return !counted || (sqlite3_int64)big_endian(bytes + 28, 4) * page <= header->file_bytes;
}

static deed_rc refuse_damaged(
    const struct sqlite_store *store, const char *what, struct deed_error *err)
{
    return deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
        "%s is damaged: %s; nothing was touched; restore a backup", store->location, what);
}

static deed_rc judge_header(const struct sqlite_store *store, const struct header *header,
    struct inspection *seen, struct deed_error *err)
{
    static const char magic[16] = "SQLite format 3";
    if (memcmp(header->bytes, magic, sizeof(magic)) != 0) {
        return refuse_file(store, "this is no SQLite file, so no ledger", SQLITE_NOTADB, err);
    }
    seen->application_id = big_endian(header->bytes + 68, 4);
    seen->user_version = big_endian(header->bytes + 60, 4);
    seen->wal = header->bytes[18] == 2;
    seen->wal_filled = deed__sqlite_wal_filled(store);
    if (seen->application_id != SQLITE_APPLICATION_ID && seen->application_id != 0) {
        return deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
            "%s is the SQLite file of another program (application_id 0x%08x), no ledger",
            store->location, (unsigned)seen->application_id);
    }
    if (!header_plausible(header)) {
        return refuse_damaged(store, "its header makes no sense", err);
    }
    /* What a journal or a WAL is still to mend may be short. */
    const bool settled = !seen->wal_filled && !companion_filled(store, "-journal");
    if (settled && !length_plausible(header)) {
        return refuse_damaged(store, "it is shorter than its header says", err);
    }
    return DEED_OK;
}

/* ---- the tables, as they lie in the file ------------------------------------------------- */

/* Opens the file as if nobody could change it: SQLite takes no lock and makes no file. */
static int open_as_is(const struct sqlite_store *store, sqlite3 **db_out)
{
    char *uri = deed__sqlite_uri(store->path, "immutable=1");
    if (uri == NULL) {
        return SQLITE_NOMEM;
    }
    const int code = sqlite3_open_v2(uri, db_out,
        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
        store->vfs->zName);
    sqlite3_free(uri);
    return code;
}

/* Reads the first page of each table, so that damage at a root is met here and not later. */
static int touch_roots(sqlite3 *db)
{
    sqlite3_stmt *names = NULL;
    int code = sqlite3_prepare_v2(
        db, "SELECT name FROM sqlite_schema WHERE type = 'table'", -1, &names, NULL);
    while (code == SQLITE_OK && (code = sqlite3_step(names)) == SQLITE_ROW) {
        code = SQLITE_OK;
        const char *name = deed__sqlite_text(names, 0, &code);
        char *sql = sqlite3_mprintf("SELECT count(*) FROM (SELECT 1 FROM \"%w\" LIMIT 1)", name);
        int64_t number = 0;
        code =
            code != SQLITE_OK || sql == NULL ? SQLITE_NOMEM : deed__sqlite_number(db, sql, &number);
        sqlite3_free(sql);
    }
    (void)sqlite3_finalize(names);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static deed_rc judge_tables(
    struct sqlite_store *store, const struct inspection *seen, struct deed_error *err)
{
    sqlite3 *db = NULL;
    deed_rc rc = DEED_OK;
    enum standing standing = STANDING_READY;
    int version = 0;
    int code = open_as_is(store, &db);
    if (code == SQLITE_OK && !seen->wal_filled) {
        code = touch_roots(db);
    }
    if ((code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB) {
        rc = refuse_damaged(store, sqlite3_errmsg(db), err);
        deed_error_native(err, code);
    } else if (code != SQLITE_OK) {
        rc = deed__sqlite_fail(store, db, code, "look at the file", err);
    } else {
        rc = deed__sqlite_standing(store, db, &standing, &version, err);
    }
    (void)sqlite3_close_v2(db);
    if (rc == DEED_OK && standing == STANDING_NEWER) {
        rc = deed__sqlite_refuse_standing(store, standing, version, err);
    }
    return rc;
}

deed_rc deed__sqlite_inspect(struct sqlite_store *store, const struct deed_sqlite_options *options,
    struct inspection *seen_out, struct deed_error *err)
{
    memset(seen_out, 0, sizeof(*seen_out));
    deed_rc rc = look_at_file(store, err);
    if (rc == DEED_OK && store->on_disk) {
        rc = deed__sqlite_refuse_network(store->path, store->location, options, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    struct header header;
    const int code = read_header(store, &header);
    if (code != SQLITE_OK) {
        return deed__sqlite_fail(store, NULL, code, "read the header", err);
    }
    rc = judge_header(store, &header, seen_out, err);
    if (rc != DEED_OK) {
        return rc;
    }
    store->wal_format = seen_out->wal && !companion_filled(store, "-journal");
    const bool ours = seen_out->application_id == SQLITE_APPLICATION_ID;
    if (ours && seen_out->user_version > deed__sqlite_migration_count) {
        return deed__sqlite_refuse_standing(
            store, STANDING_NEWER, (int)seen_out->user_version, err);
    }
    /* With a filled WAL the file alone may be half of a state; ours is asked through the WAL. A
     * file without our mark must prove itself by its tables before any WAL is opened. */
    if (ours && seen_out->wal_filled) {
        return DEED_OK;
    }
    return judge_tables(store, seen_out, err);
}
