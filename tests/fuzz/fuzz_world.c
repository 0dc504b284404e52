/* SPDX-License-Identifier: MIT
 *
 * The file of a world: any bytes are refused, or are a world that can be counted, printed, and in
 * which things go on to happen.
 */
#include "fuzz.h"

#include <deed/mock/world.h>

#include <stdio.h>
#include <unistd.h>

static FILE *nowhere;

void fuzz_start(void)
{
    nowhere = fopen("/dev/null", "w");
    FUZZ_DEMAND(nowhere != NULL, "/dev/null", NULL);
}

static bool see_request(void *context, const struct deed_world_request *request)
{
    uint64_t *requests = context;
    (*requests)++;
    return request->key != NULL;
}

static bool see_effect(void *context, const struct deed_world_effect *effect)
{
    uint64_t *effects = context;
    (*effects)++;
    return effect->key != NULL;
}

static void look_at(deed_world *world)
{
    struct deed_world_counts counts = {.size = sizeof counts};
    uint64_t requests = 0;
    uint64_t effects = 0;
    uint64_t landed = 0;
    struct deed_error err = {0};
    FUZZ_DEMAND(deed_world_count(world, NULL, NULL, &counts, &err) == DEED_OK &&
            deed_world_requests_visit(world, NULL, see_request, &requests, &err) == DEED_OK &&
            deed_world_effects_visit(world, NULL, see_effect, &effects, &err) == DEED_OK,
        "a world that opens cannot be counted", err.text);
    FUZZ_DEMAND(counts.effects == effects, "a world with two counts of its effects", NULL);
    FUZZ_DEMAND(
        deed_world_print(world, nowhere, &err) == DEED_OK, "it cannot be printed", err.text);
    /* What was due lands, or the file says why not. */
    const bool lands = deed_world_deliver(world, INT64_MAX, &landed, &err) == DEED_OK &&
        deed_world_land(world, NULL, INT64_MAX, &landed, &err) == DEED_OK &&
        deed_world_count(world, "pay-1", NULL, &counts, &err) == DEED_OK;
    FUZZ_DEMAND(lands || err.text[0] != '\0', "nothing lands, and nobody says why", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    deed_world *world = NULL;
    struct deed_error err = {0};
    fuzz_write("world.fuzz", data, size);
    const deed_rc rc = deed_world_open("world.fuzz", &world, &err);
    FUZZ_DEMAND((rc == DEED_OK) == (world != NULL), "half a world", NULL);
    if (rc == DEED_OK) {
        look_at(world);
    } else {
        FUZZ_DEMAND(rc == DEED_E_SYSTEM && err.text[0] != '\0', "refused without a word", NULL);
    }
    deed_world_close(world);
    return 0;
}
