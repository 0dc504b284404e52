/* SPDX-License-Identifier: MIT
 *
 * actions.h - the file of actions: one JSON object a line, as `deed record --from` takes it.
 */
#ifndef DEMO_ACTIONS_H
#define DEMO_ACTIONS_H

#include <jansson.h>

#include <deed/payload.h>

struct action {
    json_t *line; /* owns the texts */
    const char *key;
    struct deed_payload payload;
};

struct actions {
    struct action *items;
    size_t count;
};

/* Reads each action once: of a key that comes again, the first line counts. Says on standard error
 * what is wrong. Freed by actions_finish, after a failure too. */
bool actions_read(const char *path, struct actions *out);
void actions_finish(struct actions *actions);

#endif
