/* SPDX-License-Identifier: MIT
 *
 * doctor_file.c - the ledger as a file: who may read it, where it lies, what lies beside it.
 */
#include "doctor.h"

#include "paths.h"

#include <deed/sqlite.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MIB            INT64_C(1048576)
#define FREE_MIB_LEAST 16  /* below it, a commit is likely to fail soon */
#define FREE_MIB_FEW   256 /* below it, somebody should look */
#define LOG_MIB_MUCH   64  /* a busy handle may leave 10,000 pages, about 40 MiB */

#define PATH_BYTES 4096

void doctor_library(struct doctor *doctor)
{
    if (strcmp(deed_version(), DEED_VERSION) != 0) {
        doctor_tell(doctor, "library", HEALTH_WARNING,
            "install the command and libdeed of one release",
            "this is the command of deed %s, and it uses libdeed %s", DEED_VERSION, deed_version());
    } else {
        doctor_tell(doctor, "library", HEALTH_OK, NULL, "deed %s", deed_version());
    }
    if (deed_sqlite_compiled_with("THREADSAFE=0") || deed_sqlite_compiled_with("OMIT_WAL")) {
        doctor_tell(doctor, "sqlite", HEALTH_BROKEN,
            "use a SQLite that was compiled with threads and with WAL",
            "SQLite %s was compiled without threads or without a write-ahead log",
            deed_sqlite_version());
    } else {
        doctor_tell(doctor, "sqlite", HEALTH_OK, NULL, "SQLite %s, with threads and WAL",
            deed_sqlite_version());
    }
}

/* What lies beside a ledger that is not there: it may hold commits of the one that was. */
static void tell_missing(struct doctor *doctor, const char *path)
{
    char log[PATH_BYTES];
    (void)snprintf(log, sizeof log, "%s-wal", path);
    if (access(log, F_OK) == 0) {
        doctor_tell(doctor, "file", HEALTH_BROKEN,
            "put the file back that belongs to the log; both are one ledger",
            "%s is not there, but its log %s is", path, log);
    } else {
        doctor_tell(doctor, "file", HEALTH_BROKEN,
            "name the ledger that is meant, or create one with `deed init --name NAME`",
            "%s: there is no ledger here", path);
    }
}

static void look_at_mode(struct doctor *doctor, const char *path, const struct stat *facts)
{
    const unsigned mode = facts->st_mode & 07777U;
    if (facts->st_uid != geteuid()) {
        doctor_tell(doctor, "owner", HEALTH_WARNING,
            "call deed as the owner, so that the files it makes beside the ledger are the owner's "
            "too",
            "%s belongs to user %u, and this is user %u", path, (unsigned)facts->st_uid,
            (unsigned)geteuid());
    } else {
        doctor_tell(doctor, "owner", HEALTH_OK, NULL, "%s belongs to this user", path);
    }
    if ((mode & 077U) != 0) {
        doctor_tell(doctor, "mode", HEALTH_WARNING, "chmod 600 the file, its -wal and its -shm",
            "%s has mode %04o: others can read or write what is sent", path, mode);
    } else {
        doctor_tell(doctor, "mode", HEALTH_OK, NULL, "mode %04o: for its owner only", mode);
    }
}

static void look_at_access(struct doctor *doctor, const char *path, const char *folder)
{
    if (access(path, R_OK) != 0) {
        doctor_tell(doctor, "access", HEALTH_BROKEN, "call deed as the owner of the file",
            "%s cannot be read: %s", path, strerror(errno));
    } else if (access(path, W_OK) != 0) {
        doctor_tell(doctor, "access", HEALTH_WARNING,
            "call deed as the owner of the file, unless it is only to be looked at",
            "%s can be read, not written: %s", path, strerror(errno));
    } else if (access(folder, W_OK) != 0) {
        doctor_tell(doctor, "access", HEALTH_WARNING,
            "let the owner of the ledger write into its folder: the log is made there",
            "the folder %s cannot be written: %s", folder, strerror(errno));
    } else {
        doctor_tell(doctor, "access", HEALTH_OK, NULL, "file and folder can be written");
    }
}

static void look_at_place(struct doctor *doctor, const char *folder)
{
    struct deed_error err = {0};
    struct statvfs disk;
    if (deed_sqlite_check_place(folder, NULL, &err) == DEED_OK) {
        doctor_tell(
            doctor, "file_system", HEALTH_OK, NULL, "the folder %s is on this machine", folder);
    } else {
        doctor_tell_error(doctor, "file_system", HEALTH_BROKEN, &err);
    }
    if (statvfs(folder, &disk) != 0) {
        doctor_tell(doctor, "disk", HEALTH_WARNING, "find out why",
            "how much room is left on the disk cannot be asked: %s", strerror(errno));
        return;
    }
    const int64_t free_mib = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize / MIB;
    const enum health health = free_mib < FREE_MIB_LEAST ? HEALTH_BROKEN
        : free_mib < FREE_MIB_FEW                        ? HEALTH_WARNING
                                                         : HEALTH_OK;
    doctor_tell(doctor, "disk", health,
        health == HEALTH_OK ? NULL : "make room before a commit is refused",
        "%" PRId64 " MiB are free on the disk", free_mib);
}

static void look_at_log(struct doctor *doctor, const char *path)
{
    char log[PATH_BYTES];
    char index[PATH_BYTES];
    struct stat facts = {0};
    (void)snprintf(log, sizeof log, "%s-wal", path);
    (void)snprintf(index, sizeof index, "%s-shm", path);
    if (stat(log, &facts) != 0) {
        if (access(index, F_OK) == 0) {
            doctor_tell(doctor, "log", HEALTH_WARNING,
                "if the ledger was moved or copied, bring its -wal file too; deed makes a new "
                "index by "
                "itself",
                "%s lies there without a log: did a -wal file get lost?", index);
        } else {
            doctor_tell(doctor, "log", HEALTH_OK, NULL, "no log: the file is whole by itself");
        }
        return;
    }
    const int64_t log_mib = (int64_t)facts.st_size / MIB;
    if (log_mib >= LOG_MIB_MUCH) {
        doctor_tell(doctor, "log", HEALTH_WARNING,
            "find the reader that has the ledger open for long, and end it",
            "the log has %" PRId64 " MiB: it could not be brought back into the file", log_mib);
    } else {
        doctor_tell(doctor, "log", HEALTH_OK, NULL, "the log has %" PRId64 " KiB",
            (int64_t)facts.st_size / 1024);
    }
}

bool doctor_file(struct doctor *doctor, const char *path)
{
    struct stat facts;
    struct stat link;
    /* What lies beside a ledger lies beside the file itself, not beside a link to it. */
    const bool linked = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    char *real = linked ? realpath(path, NULL) : NULL;
    const char *place = real ? real : path;
    char *folder = path_folder(place);
    const bool there = stat(path, &facts) == 0;
    if (!there && errno == ENOENT) {
        tell_missing(doctor, path);
    } else if (!there) {
        doctor_tell(doctor, "file", HEALTH_BROKEN, "call deed as somebody who may look there",
            "%s cannot be looked at: %s", path, strerror(errno));
    } else if (!S_ISREG(facts.st_mode)) {
        doctor_tell(
            doctor, "file", HEALTH_BROKEN, "name the file itself", "%s is no regular file", path);
    } else {
        look_at_mode(doctor, path, &facts);
        look_at_access(doctor, path, folder ? folder : ".");
        look_at_log(doctor, place);
    }
    if (folder && access(folder, F_OK) == 0) {
        look_at_place(doctor, folder);
    }
    free(folder);
    free(real);
    return there && S_ISREG(facts.st_mode);
}
