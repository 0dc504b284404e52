/* SPDX-License-Identifier: MIT
 *
 * The table of sized_calls.c against the headers: each struct there whose first member is `size`.
 */
#include "support/sized_calls.h"

#include <ctype.h>
#include <dirent.h>

/* Not negotiated: they pass from the library to a plug-in, which reads no further than it knows and
 * writes into what the library made; or between a store and the core, which are built together
 * (docs/reference/versions.md). */
static const char *const whole[] = {
    "deed_attempt_row",
    "deed_call",
    "deed_event_row",
    "deed_evidence_row",
    "deed_finding",
    "deed_intent_row",
    "deed_ledger_row",
    "deed_named_effect",
    "deed_op",
    "deed_pass_row",
    "deed_preparation",
    "deed_question",
    "deed_request",
    "deed_select",
};
#define WHOLE_COUNT (sizeof(whole) / sizeof(whole[0]))

#define NAMES_MAX 100
#define NAME_ROOM 64

static struct {
    size_t count;
    char names[NAMES_MAX][NAME_ROOM];
} found;

static bool is_found(const char *name)
{
    for (size_t i = 0; i < found.count; i++) {
        if (strcmp(found.names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_known(const char *name)
{
    for (size_t i = 0; i < sized_call_count; i++) {
        if (strcmp(sized_calls[i].name, name) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < WHOLE_COUNT; i++) {
        if (strcmp(whole[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void find_structs(const char *text)
{
    for (const char *at = strstr(text, "struct deed_"); at != NULL;
         at = strstr(at + 1, "struct deed_")) {
        const char *name = at + strlen("struct ");
        size_t bytes = 0;
        while (isalnum((unsigned char)name[bytes]) || name[bytes] == '_') {
            bytes++;
        }
        const char *body = name + bytes;
        if (strncmp(body, " {", 2) == 0) {
            body += 2 + strspn(body + 2, " \n");
            if (strncmp(body, "size_t size;", strlen("size_t size;")) == 0) {
                assert_true(found.count < NAMES_MAX && bytes < NAME_ROOM);
                (void)snprintf(found.names[found.count++], NAME_ROOM, "%.*s", (int)bytes, name);
            }
        }
    }
}

static void read_header(const char *path)
{
    static char text[1 << 17];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t bytes = fread(text, 1, sizeof(text) - 1, file);
    assert_true(bytes < sizeof(text) - 1);
    text[bytes] = '\0';
    (void)fclose(file);
    find_structs(text);
}

const char *sized_missing(void)
{
    static const char *const folders[] = {"deed", "deed/ext"};
    found.count = 0;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        char folder[512];
        (void)snprintf(folder, sizeof(folder), DEED_SOURCE_DIR "/include/%s", folders[i]);
        DIR *entries = opendir(folder);
        assert_non_null(entries);
        const struct dirent *entry = NULL;
        while ((entry = readdir(entries)) != NULL) {
            char path[1024];
            (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
            if (strstr(entry->d_name, ".h") != NULL) {
                read_header(path);
            }
        }
        (void)closedir(entries);
    }
    for (size_t i = 0; i < found.count; i++) {
        if (!is_known(found.names[i])) {
            return found.names[i];
        }
    }
    for (size_t i = 0; i < sized_call_count; i++) {
        if (!is_found(sized_calls[i].name)) {
            return sized_calls[i].name;
        }
    }
    for (size_t i = 0; i < WHOLE_COUNT; i++) {
        if (!is_found(whole[i])) {
            return whole[i];
        }
    }
    return NULL;
}
