/* SPDX-License-Identifier: MIT
 *
 * records.c - what a person sees who opens the provider's own records about one action.
 *
 *   demo-records WORLD KEY
 *
 * Prints one line for each effect there is, its reference and its time; ends 1 if there is none.
 */
#include <stdio.h>
#include <time.h>

#include <deed/mock/world.h>
#include <deed/system.h>

static bool print_effect(void *context, const struct deed_world_effect *effect)
{
    int *count = context;
    char text[32];
    struct tm parts;
    const time_t seconds = (time_t)(effect->landed_ms / 1000);
    *count += 1;
    if (gmtime_r(&seconds, &parts) && strftime(text, sizeof text, "%FT%TZ", &parts) > 0) {
        (void)printf("%s %s\n", effect->reference, text);
    }
    return true;
}

int main(int argc, char **argv)
{
    struct deed_error err = {0};
    struct deed_instant now;
    const struct deed_clock *clock = deed_system_clock();
    deed_world *world = NULL;
    int count = 0;
    if (argc != 3) {
        (void)fprintf(stderr, "usage: demo-records WORLD KEY\n");
        return 2;
    }
    deed_rc rc = deed_world_open(argv[1], &world, &err);
    if (rc == DEED_OK && clock->now(clock->self, &now)) {
        rc = deed_world_deliver(world, now.wall_ms, NULL, &err); /* what was due has arrived */
    }
    if (rc == DEED_OK) {
        rc = deed_world_effects_visit(world, argv[2], print_effect, &count, &err);
    }
    deed_world_close(world);
    if (rc != DEED_OK) {
        (void)fprintf(stderr, "demo-records: %s\n", err.text);
        return 2;
    }
    return count > 0 ? 0 : 1;
}
