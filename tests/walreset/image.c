/* SPDX-License-Identifier: MIT */
#include "image.h"

#include "disk.h"
#include "ways.h"

#include <stdlib.h>
#include <string.h>

bool image_keep(struct way *way, const void *bytes, size_t count)
{
    void *copy = malloc(count > 0 ? count : 1);
    if (copy == NULL || count == 0) {
        free(copy);
        return false;
    }
    memcpy(copy, bytes, count);
    way->image = copy;
    way->image_bytes = count;
    return true;
}

bool ways_prepare(void)
{
    return plain_prepare() && store_prepare();
}

void ways_finish(void)
{
    struct way *const ways[] = {&way_plain, &way_rule, &way_no_rule};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        free((void *)ways[i]->image);
        ways[i]->image = NULL;
    }
    disk_finish();
}
