/* SPDX-License-Identifier: MIT
 *
 * plan.c - which action is killed in which window; and the log of the kills that landed.
 */
#include "plan.h"

#include <stdio.h>
#include <string.h>

static bool read_line(const char *line, struct plan *plan)
{
    char key[DEED_KEY_BYTES_MAX + 1];
    char window = 0;
    if (line[strspn(line, " \t\r\n")] == '\0' || line[0] == '#') {
        return true;
    }
    if (sscanf(line, "%80s %c", key, &window) != 2 || (window != 'a' && window != 'b') ||
        plan->count == PLAN_MAX || plan_window(plan, key) != 0) {
        return false;
    }
    (void)snprintf(plan->stops[plan->count++], STOP_BYTES, "%s:%c", key, window);
    return true;
}

bool plan_read(const char *path, struct plan *out)
{
    *out = (struct plan){.count = 0};
    FILE *file = fopen(path, "re");
    if (!file) {
        perror(path);
        return false;
    }
    char line[256];
    bool ok = true;
    for (int number = 1; ok && fgets(line, sizeof line, file); number++) {
        ok = read_line(line, out);
        if (!ok) {
            (void)fprintf(stderr, "%s:%d: a key and a window, each key once\n", path, number);
        }
    }
    (void)fclose(file);
    return ok;
}

char plan_window(const struct plan *plan, const char *key)
{
    const size_t bytes = strlen(key);
    for (size_t i = 0; i < plan->count; i++) {
        if (strncmp(plan->stops[i], key, bytes) == 0 && plan->stops[i][bytes] == ':') {
            return plan->stops[i][bytes + 1];
        }
    }
    return 0;
}

size_t plan_windows(const struct plan *plan, char window)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        count += plan->stops[i][strlen(plan->stops[i]) - 1] == window;
    }
    return count;
}
