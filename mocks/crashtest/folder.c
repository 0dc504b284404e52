/* SPDX-License-Identifier: MIT
 *
 * folder.c - the folder of a trial.
 */
#include "crashtest/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include <deed/ext/error.h>
#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/sqlite.h>

static deed_rc failed(struct deed_error *err, const char *path, const char *what)
{
    const int why = errno;
    deed_error_set(
        err, DEED_E_SYSTEM, "crashtest", "%.200s cannot be %s: %s", path, what, strerror(why));
    deed_error_native(err, why);
    return DEED_E_SYSTEM;
}

deed_rc folder_root(char path_out[FOLDER_BYTES], struct deed_error *err)
{
    const char *chosen = getenv("TMPDIR");
    const char *parent = chosen && chosen[0] == '/' ? chosen : "/dev/shm";
    if (access(parent, W_OK | X_OK) != 0) {
        parent = "/tmp";
    }
    const int bytes = snprintf(path_out, FOLDER_BYTES, "%s/deed-crashtest.XXXXXX", parent);
    if (bytes < 0 || bytes >= FOLDER_BYTES - 128) {
        errno = ENAMETOOLONG;
        return failed(err, parent, "used for the folders of trials");
    }
    return mkdtemp(path_out) ? DEED_OK : failed(err, path_out, "made");
}

void folder_file(const char *folder, const char *name, char path_out[FOLDER_BYTES + 32])
{
    (void)snprintf(path_out, FOLDER_BYTES + 32, "%s/%s", folder, name);
}

static deed_rc make_ledger(const char *folder, struct deed_error *err)
{
    char path[FOLDER_BYTES + 32];
    struct deed_store *store = NULL;
    folder_file(folder, "ledger.db", path);
    deed_rc rc = deed_sqlite_create(path, NULL, err);
    rc = rc ? rc : deed_sqlite_open(path, NULL, &store, err);
    if (rc == DEED_OK) {
        rc = deed_ledger_init(store, "crashtest", true, NULL, err);
        store->close(store->self);
    }
    return rc;
}

deed_rc folder_make(
    const char *root, const char *label, char path_out[FOLDER_BYTES], struct deed_error *err)
{
    char work[FOLDER_BYTES + 32];
    (void)snprintf(path_out, FOLDER_BYTES, "%.400s/%.60s", root, label);
    for (char *at = path_out + strlen(root); *at != '\0'; at++) {
        *at = (char)(*at == ':' ? '-' : *at);
    }
    folder_file(path_out, "work", work);
    if (mkdir(path_out, 0700) != 0 || mkdir(work, 0700) != 0) {
        return failed(err, path_out, "made");
    }
    return make_ledger(path_out, err);
}

/* What is true of the mock of each class for as long as a trial lasts. Whatever is late lands within
 * the hour, so no absence is final before: a doubt that only time could settle ends a trial as not
 * known, and no trial waits. */
static json_t *profile_of(const char *provider_class, const char *url)
{
    json_t *kind = json_pack("{s:s, s:{s:s, s:s, s:i}, s:i, s:i, s:i, s:i, s:i}", "executor",
        "mock-http", "options", "url", url, "class", provider_class, "ask_ms", 2000, "send_ms",
        2000, "answer_ms", 2000, "landing_ms", 3600000, "backoff_base_ms", 1, "backoff_cap_ms", 1);
    if (strncmp(provider_class, "keyed", strlen("keyed")) == 0) {
        (void)json_object_set_new(kind, "window_ms", json_string("forever"));
    }
    if (strstr(provider_class, "lookup")) {
        (void)json_object_set_new(kind, "reach_ms", json_string("forever"));
        (void)json_object_set_new(kind, "consistency", json_string("strong"));
    }
    return kind;
}

deed_rc folder_configure(
    const char *folder, const char *provider_class, const char *url, struct deed_error *err)
{
    char path[FOLDER_BYTES + 32];
    folder_file(folder, "config.json", path);
    json_t *config = json_pack("{s:s, s:{s:o}}", "actor", "crashtest", "kinds", DEED_KIND_OTHERS,
        profile_of(provider_class, url));
    const int written = config ? json_dump_file(config, path, JSON_INDENT(2)) : -1;
    json_decref(config);
    return written == 0 ? DEED_OK : failed(err, path, "written");
}

static void remove_below(int parent, const char *name)
{
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry = NULL;
    while (folder && (entry = readdir(folder))) {
        const char *inside = entry->d_name;
        if (strcmp(inside, ".") != 0 && strcmp(inside, "..") != 0 && unlinkat(fd, inside, 0) != 0 &&
            errno != ENOENT) {
            remove_below(fd, inside);
        }
    }
    if (folder) {
        (void)closedir(folder); /* and fd */
    } else if (fd >= 0) {
        (void)close(fd);
    }
    (void)unlinkat(parent, name, AT_REMOVEDIR);
}

void folder_remove(const char *path)
{
    remove_below(AT_FDCWD, path);
}
