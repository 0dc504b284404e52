/* SPDX-License-Identifier: MIT */
#include "json_pointer.h"

#include <string.h>

#include <jansson.h>

bool deed__is_json_pointer(const char *pointer)
{
    bool good =
        strlen(pointer) <= DEED__POINTER_BYTES_MAX && (pointer[0] == '\0' || pointer[0] == '/');
    for (size_t i = 0; good && pointer[i] != '\0'; i++) {
        good = pointer[i] != '~' || pointer[i + 1] == '0' || pointer[i + 1] == '1';
    }
    return good;
}

/* One reference token, unescaped: ~1 is a slash, ~0 a tilde. Returns where the next one starts. */
static const char *read_token(const char *at, char token[DEED__POINTER_BYTES_MAX + 1])
{
    size_t length = 0;
    for (; *at != '\0' && *at != '/'; at++) {
        char byte = *at;
        if (byte == '~') {
            at++;
            byte = *at == '1' ? '/' : '~';
        }
        token[length++] = byte;
    }
    token[length] = '\0';
    return at;
}

/* Digits without leading zeros. false: no index. */
static bool read_index(const char *token, size_t *index_out)
{
    size_t length = strlen(token);
    bool good = length >= 1 && length <= 9 && (token[0] != '0' || length == 1);
    size_t index = 0;
    for (size_t i = 0; good && i < length; i++) {
        good = token[i] >= '0' && token[i] <= '9';
        index = index * 10 + (size_t)(token[i] - '0');
    }
    *index_out = good ? index : 0;
    return good;
}

const struct json_t *deed__json_follow(const struct json_t *value, const char *pointer)
{
    char token[DEED__POINTER_BYTES_MAX + 1];
    const char *at = pointer;
    while (value != NULL && *at == '/') {
        size_t index = 0;
        at = read_token(at + 1, token);
        if (json_is_object(value)) {
            value = json_object_get(value, token);
        } else if (json_is_array(value) && read_index(token, &index)) {
            value = json_array_get(value, index);
        } else {
            value = NULL;
        }
    }
    return value;
}
