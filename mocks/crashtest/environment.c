/* SPDX-License-Identifier: MIT
 *
 * environment.c - what the command under test finds in its environment.
 */
#include "crashtest/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crashtest/folder.h"
#include "crashtest/seam_file.h"

#define PRELOAD_NAME "libdeed-crashtest-preload.so"
#define PATH_BYTES   4096
#define VALUE_BYTES  8192

void environment_find_preload(char *path_out, size_t path_bytes)
{
    static const char *const places[] = {"../" DEED_LIBDIR "/deed/", ""};
    char self[PATH_BYTES];
    const ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    self[bytes > 0 ? bytes : 0] = '\0';
    char *name = strrchr(self, '/');
    path_out[0] = '\0';
    if (!name) {
        return;
    }
    name[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int length = snprintf(path_out, path_bytes, "%s%s" PRELOAD_NAME, self, places[i]);
        if (length > 0 && (size_t)length < path_bytes && access(path_out, R_OK) == 0) {
            return;
        }
    }
    path_out[0] = '\0';
}

/* A member NAME=VALUE, and what it does with the one of the same name that is there already. */
struct member {
    const char *name;
    char value[VALUE_BYTES]; /* empty: left as it is */
};

enum {
    MEMBER_COUNT = 7
};

static void put(struct member *member, const char *name, const char *folder, const char *value)
{
    member->name = name;
    (void)snprintf(member->value, sizeof member->value, "%s%s%s", folder ? folder : "",
        folder ? "/" : "", value);
}

/* In front of what is there. */
static void put_first(struct member *member, const char *name, const char *value, char between)
{
    const char *there = getenv(name);
    const bool more = there && there[0] != '\0';
    member->name = name;
    (void)snprintf(member->value, sizeof member->value, "%s%.*s%s", value, more ? 1 : 0, &between,
        more ? there : "");
}

static bool names(const char *entry, const struct member *member)
{
    const size_t bytes = strlen(member->name);
    return strncmp(entry, member->name, bytes) == 0 && entry[bytes] == '=';
}

static bool is_replaced(const char *entry, const struct member *members)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        if (members[i].value[0] != '\0' && names(entry, &members[i])) {
            return true;
        }
    }
    return false;
}

static char *joined(const struct member *member)
{
    const size_t bytes = strlen(member->name) + strlen(member->value) + 2;
    char *text = malloc(bytes);
    if (text) {
        (void)snprintf(text, bytes, "%s=%s", member->name, member->value);
    }
    return text;
}

static bool fill(char **environment, const struct member *members)
{
    size_t count = 0;
    for (char **entry = environ; *entry; entry++) {
        if (is_replaced(*entry, members)) {
            continue;
        }
        environment[count] = strdup(*entry);
        if (!environment[count++]) {
            return false;
        }
    }
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        if (members[i].value[0] == '\0') {
            continue;
        }
        environment[count] = joined(&members[i]);
        if (!environment[count++]) {
            return false;
        }
    }
    return true;
}

char **environment_make(const char *folder, const char *url, const char *preload_or_empty)
{
    struct member *members = calloc(MEMBER_COUNT, sizeof *members);
    size_t there = 0;
    while (environ[there]) {
        there++;
    }
    char **environment = calloc(there + MEMBER_COUNT + 1, sizeof *environment);
    if (members && environment) {
        put(&members[0], "DEED_MOCK_URL", NULL, url);
        put(&members[1], "DEED_LEDGER", folder, "ledger.db");
        put(&members[2], "DEED_CONFIG", folder, "config.json");
        put(&members[3], SEAM_FILE_VARIABLE, folder, "seams");
        put_first(&members[4], "no_proxy", "127.0.0.1", ','); /* the provider is here */
        put_first(&members[5], "NO_PROXY", "127.0.0.1", ',');
        members[6].name = "LD_PRELOAD";
        if (preload_or_empty[0] != '\0') {
            put_first(&members[6], "LD_PRELOAD", preload_or_empty, ':');
        }
    }
    if (!members || !environment || !fill(environment, members)) {
        environment_free(environment);
        environment = NULL;
    }
    free(members);
    return environment;
}

void environment_free(char **environment)
{
    for (char **entry = environment; entry && *entry; entry++) {
        free(*entry);
    }
    free(environment);
}
