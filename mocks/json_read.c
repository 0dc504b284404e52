/* SPDX-License-Identifier: MIT
 *
 * Reading JSON options strictly.
 */
#include "json_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#define PLACE_BYTES 200

static void append(char place[PLACE_BYTES], const char *text)
{
    size_t used = strlen(place);
    (void)snprintf(place + used, PLACE_BYTES - used, "%s", text);
}

/* From the outside in. Depth is that of the options we read: five at most. */
static void place_of(const struct deed_mock__node *node, char place[PLACE_BYTES])
{
    if (node->parent == NULL) {
        place[0] = '\0';
        return;
    }
    place_of(node->parent, place);
    if (node->name == NULL) {
        char index[32];
        (void)snprintf(index, sizeof(index), "[%zu]", node->index);
        append(place, index);
        return;
    }
    append(place, place[0] == '\0' ? "" : ".");
    append(place, node->name);
}

void deed_mock__refuse(const struct deed_mock__node *node, const char *format, ...)
{
    struct deed_mock__reader *reader = node->reader;
    if (reader->rc != DEED_OK) {
        return;
    }
    char place[PLACE_BYTES];
    char text[256];
    place_of(node, place);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    reader->rc = deed_error_set(reader->err, DEED_E_INVALID, reader->origin, "%s%s%s", place,
        place[0] == '\0' ? "" : ": ", text);
}

void deed_mock__refuse_memory(const struct deed_mock__node *node)
{
    struct deed_mock__reader *reader = node->reader;
    if (reader->rc == DEED_OK) {
        reader->rc = deed_error_set(
            reader->err, DEED_E_NOMEM, reader->origin, "no memory to read the options");
    }
}

struct deed_mock__node deed_mock__member(const struct deed_mock__node *object, const char *name)
{
    return (struct deed_mock__node){.reader = object->reader,
        .value = json_object_get(object->value, name),
        .parent = object,
        .name = name};
}

struct deed_mock__node deed_mock__item(const struct deed_mock__node *array, size_t index)
{
    return (struct deed_mock__node){.reader = array->reader,
        .value = json_array_get(array->value, index),
        .parent = array,
        .index = index};
}

static bool is_among(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

void deed_mock__only(const struct deed_mock__node *object, const char *const *names)
{
    if (!json_is_object(object->value)) {
        deed_mock__refuse(object, "must be an object");
        return;
    }
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(object->value, name, value)
    {
        if (!is_among(name, names)) {
            struct deed_mock__node unknown = deed_mock__member(object, name);
            deed_mock__refuse(&unknown, "there is no such member");
        }
    }
}

/* Whether there is something to read, and nothing was refused before. */
static bool is_there(const struct deed_mock__node *node)
{
    return node->reader->rc == DEED_OK && node->value != NULL;
}

void deed_mock__read_text(const struct deed_mock__node *object, const char *name, char **out)
{
    struct deed_mock__node node = deed_mock__member(object, name);
    if (!is_there(&node)) {
        return;
    }
    const char *text = json_string_value(node.value);
    if (text == NULL || text[0] == '\0') {
        deed_mock__refuse(&node, "must be a text, not an empty one");
        return;
    }
    if (json_string_length(node.value) > DEED_ADDRESS_BYTES_MAX) {
        deed_mock__refuse(&node, "is longer than %d bytes", DEED_ADDRESS_BYTES_MAX);
        return;
    }
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20) {
            deed_mock__refuse(&node, "holds a control character");
            return;
        }
    }
    char *copy = strdup(text);
    if (copy == NULL) {
        deed_mock__refuse_memory(&node);
        return;
    }
    free(*out);
    *out = copy;
}

bool deed_mock__default_text(char **text, const char *value)
{
    if (*text == NULL) {
        *text = strdup(value);
    }
    return *text != NULL;
}

void deed_mock__read_flag(const struct deed_mock__node *object, const char *name, bool *out)
{
    struct deed_mock__node node = deed_mock__member(object, name);
    if (!is_there(&node)) {
        return;
    }
    if (!json_is_boolean(node.value)) {
        deed_mock__refuse(&node, "must be true or false");
        return;
    }
    *out = json_is_true(node.value);
}

void deed_mock__read_count(const struct deed_mock__node *object, const char *name, uint64_t *out)
{
    struct deed_mock__node node = deed_mock__member(object, name);
    if (!is_there(&node)) {
        return;
    }
    json_int_t count = json_integer_value(node.value);
    if (!json_is_integer(node.value) || count < 0 || count > DEED_MOCK__COUNT_MAX) {
        deed_mock__refuse(&node, "must be a whole number from 0 to %d", DEED_MOCK__COUNT_MAX);
        return;
    }
    *out = (uint64_t)count;
}

void deed_mock__read_duration(const struct deed_mock__node *object, const char *name, int64_t *out)
{
    struct deed_mock__node node = deed_mock__member(object, name);
    if (!is_there(&node)) {
        return;
    }
    const char *text = json_string_value(node.value);
    if (text != NULL && strcmp(text, "forever") == 0) {
        *out = DEED_FOREVER;
        return;
    }
    json_int_t duration_ms = json_integer_value(node.value);
    if (!json_is_integer(node.value) || duration_ms < 0 || duration_ms > DEED_DURATION_MS_MAX) {
        deed_mock__refuse(&node, "must be a whole number of milliseconds, or \"forever\"");
        return;
    }
    *out = (int64_t)duration_ms;
}

static void list_words(const char *const *words, char *text, size_t text_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (; *words != NULL && used < text_bytes; words++) {
        int more = snprintf(text + used, text_bytes - used, "%s%s", used == 0 ? "" : ", ", *words);
        used += more > 0 ? (size_t)more : 0;
    }
}

void deed_mock__read_word_here(
    const struct deed_mock__node *node, const char *const *words, int *out)
{
    if (!is_there(node)) {
        return;
    }
    const char *text = json_string_value(node->value);
    for (int i = 0; text != NULL && words[i] != NULL; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = i;
            return;
        }
    }
    char all[200];
    list_words(words, all, sizeof(all));
    deed_mock__refuse(node, "must be one of: %s", all);
}

void deed_mock__read_word(
    const struct deed_mock__node *object, const char *name, const char *const *words, int *out)
{
    struct deed_mock__node node = deed_mock__member(object, name);
    deed_mock__read_word_here(&node, words, out);
}
