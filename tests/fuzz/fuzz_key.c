/* SPDX-License-Identifier: MIT
 *
 * Action keys: the check takes [a-z0-9-]{1,80} and nothing else.
 */
#include "fuzz.h"

#include <deed/payload.h>

#include <stdlib.h>
#include <string.h>

void fuzz_start(void)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *key = malloc(size + 1);
    FUZZ_DEMAND(key != NULL, "memory for a key", NULL);
    if (size > 0) {
        memcpy(key, data, size);
    }
    key[size] = '\0';
    const size_t length = strlen(key);
    const bool good = length >= 1 && length <= DEED_KEY_BYTES_MAX &&
        strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
    struct deed_error err = {0};
    const deed_rc rc = deed_key_check(key, &err);
    FUZZ_DEMAND((rc == DEED_OK) == good, "the check is wrong about a key", err.text);
    FUZZ_DEMAND(good || (rc == DEED_E_INVALID && err.text[0] != '\0'),
        "a key is refused without a word", NULL);
    for (const char *at = err.text; *at != '\0'; at++) {
        FUZZ_DEMAND(*at >= 0x20 && *at <= 0x7e, "an error with a character of the input's", NULL);
    }
    free(key);
    return 0;
}
