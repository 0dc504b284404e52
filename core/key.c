/* SPDX-License-Identifier: MIT
 *
 * key.c - what an action key may be: [a-z0-9-]{1,80}. An alphabet this small leaves no two keys that
 * look alike and differ, and no character a shell, a file name or a provider could object to.
 */
#include <deed/ext/error.h>
#include <deed/payload.h>

#include <string.h>

static bool is_key_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

static deed_rc refuse_character(struct deed_error *err, size_t at, char c)
{
    static const char allowed[] = "only a-z, 0-9 and - are allowed";
    if (c >= 0x20 && c < 0x7F) {
        return deed_error_set(err, DEED_E_INVALID, "core", "action key: character %zu is '%c'; %s",
            at + 1, c, allowed);
    }
    return deed_error_set(err, DEED_E_INVALID, "core",
        "action key: character %zu is the byte 0x%02x; %s", at + 1, (unsigned)(unsigned char)c,
        allowed);
}

deed_rc deed_key_check(const char *key, struct deed_error *err)
{
    if (key == NULL || key[0] == '\0') {
        return deed_error_set(err, DEED_E_INVALID, "core",
            "action key: it is empty; choose 1 to %d characters of a-z, 0-9 and -, and keep them "
            "for every retry of this action",
            DEED_KEY_BYTES_MAX);
    }
    for (size_t i = 0; key[i] != '\0'; i++) {
        if (!is_key_character(key[i])) {
            return refuse_character(err, i, key[i]);
        }
        if (i >= DEED_KEY_BYTES_MAX) {
            return deed_error_set(err, DEED_E_INVALID, "core",
                "action key: longer than %d characters; shorten it", DEED_KEY_BYTES_MAX);
        }
    }
    return DEED_OK;
}
