/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <string.h>

#include "ledger_impl.h"
#include "utf8.h"

bool deed__is_utf8(const char *text)
{
    size_t valid = 0;
    size_t bytes = text == NULL ? 0 : strlen(text);
    if (bytes > 0) {
        (void)deed__utf8_count(text, bytes, &valid);
    }
    return valid == bytes;
}

deed_rc deed__text_check(
    const char *key, const char *what, const char *text, size_t bytes_max, struct deed_error *err)
{
    const char *of = key == NULL ? "" : " for ";
    const char *whom = key == NULL ? "" : key;
    if (text != NULL && strlen(text) > bytes_max) {
        return deed__refuse(err, DEED_E_INVALID, key, NULL, "%s%s%s is longer than %zu bytes", what,
            of, whom, bytes_max);
    }
    if (!deed__is_utf8(text)) {
        return deed__refuse(err, DEED_E_INVALID, key, NULL,
            "%s%s%s is not UTF-8: convert it before it is stored", what, of, whom);
    }
    return DEED_OK;
}
