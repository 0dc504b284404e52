/* SPDX-License-Identifier: MIT
 *
 * A table with open addressing: the keys are hashes already.
 */
#include "simulate/memo.h"

#include <stdlib.h>

#define ROOM_FIRST 1024U

static size_t find(const uint64_t *keys, size_t room, uint64_t key)
{
    size_t at = (size_t)key & (room - 1);
    while (keys[at] != 0 && keys[at] != key) {
        at = (at + 1) & (room - 1);
    }
    return at;
}

static bool grow(struct deed_crash__memo *memo)
{
    size_t room = memo->room == 0 ? ROOM_FIRST : memo->room * 2;
    uint64_t *keys = calloc(room, sizeof(*keys));
    uint64_t *values = calloc(room, sizeof(*values));
    if (keys == NULL || values == NULL) {
        free(keys);
        free(values);
        return false;
    }
    for (size_t i = 0; i < memo->room; i++) {
        if (memo->keys[i] != 0) {
            size_t at = find(keys, room, memo->keys[i]);
            keys[at] = memo->keys[i];
            values[at] = memo->values[i];
        }
    }
    free(memo->keys);
    free(memo->values);
    memo->keys = keys;
    memo->values = values;
    memo->room = room;
    return true;
}

uint64_t *deed_crash__memo_at(struct deed_crash__memo *memo, uint64_t key, bool *is_new_out)
{
    key = key == 0 ? 1 : key;
    if (2 * memo->count >= memo->room && !grow(memo)) {
        return NULL;
    }
    size_t at = find(memo->keys, memo->room, key);
    *is_new_out = memo->keys[at] == 0;
    if (*is_new_out) {
        memo->keys[at] = key;
        memo->values[at] = 0;
        memo->count++;
    }
    return &memo->values[at];
}

void deed_crash__memo_clear(struct deed_crash__memo *memo)
{
    free(memo->keys);
    free(memo->values);
    *memo = (struct deed_crash__memo){NULL, NULL, 0, 0};
}
