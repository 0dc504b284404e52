/* SPDX-License-Identifier: MIT
 *
 * Writing a trail that nobody has walked yet.
 */
#include "simulate/explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void deed_crash__trail_text(struct deed_crash__trail *trail, const char *text)
{
    size_t bytes = strlen(text);
    if (trail->bytes + bytes + 1 > trail->room) {
        size_t room = (trail->room + bytes + 1) * 2;
        char *more = realloc(trail->text, room);
        if (more == NULL) {
            trail->lost = true;
            return;
        }
        trail->text = more;
        trail->room = room;
    }
    memcpy(trail->text + trail->bytes, text, bytes + 1);
    trail->bytes += bytes;
}

void deed_crash__trail_add(struct deed_crash__trail *trail, uint64_t question, deed_purpose purpose,
    const char *site, uint32_t value, uint32_t bound)
{
    char line[160];
    (void)snprintf(line, sizeof(line), "%" PRIu64 " %s %s %" PRIu32 "/%" PRIu32 "\n", question,
        deed_purpose_name(purpose), site, value, bound);
    deed_crash__trail_text(trail, line);
}
