/* SPDX-License-Identifier: MIT
 *
 * Saved reference stores: any bytes are refused, or are a ledger that can be read and gone on with.
 *
 * The first byte says what follows: 1, the bytes themselves, else the damage to a good one; 2, the
 * sum at the end is made to agree.
 */
#include "damage.h"
#include "story.h"

#include <deed/reference.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUM_BYTES 8

static struct damage_file whole;
static struct damage_file world;
static int64_t told_ms;

static void save(struct deed_store *store)
{
    FUZZ_DEMAND(deed_reference_save(store, NULL, 0, &whole.bytes, NULL) == DEED_OK, "a size", NULL);
    whole.data = malloc(whole.bytes);
    FUZZ_DEMAND(whole.data != NULL &&
            deed_reference_save(store, whole.data, whole.bytes, &whole.bytes, NULL) == DEED_OK,
        "a saved store", NULL);
}

void fuzz_start(void)
{
    struct story story;
    struct deed_store *store = NULL;
    struct deed_error err = {0};
    (void)unlink("reference.world");
    story_start(&story, "reference.world", STORY_START_MS);
    const struct deed_options options = story_options(&story);
    FUZZ_DEMAND(deed_reference_open(NULL, &store, &err) == DEED_OK &&
            deed_ledger_init(store, "story", true, &options, &err) == DEED_OK &&
            story_open(&story, store, &err) == DEED_OK,
        "a ledger", err.text);
    story_tell_settled(&story);
    story_tell_open(&story);
    save(store);
    struct deed_instant now;
    const struct deed_clock *clock = deed_sim_clock_true(story.clock);
    FUZZ_DEMAND(clock->now(clock->self, &now), "a clock", NULL);
    told_ms = now.wall_ms;
    story_end(&story);
    world.data = fuzz_read("reference.world", &world.bytes);
}

/* FNV-1a, as deed/reference.h does not promise it: where it is another one, all is refused. */
static void mend(struct damage_file *file)
{
    if (file->bytes < SUM_BYTES) {
        return;
    }
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t i = 0; i + SUM_BYTES < file->bytes; i++) {
        sum = (sum ^ file->data[i]) * UINT64_C(1099511628211);
    }
    for (size_t i = 0; i < SUM_BYTES; i++) {
        file->data[file->bytes - SUM_BYTES + i] = (uint8_t)(sum >> 8 * i);
    }
}

static void go_on(struct deed_store *store)
{
    struct story story;
    struct deed_error err = {0};
    fuzz_write("reference.world", world.data, world.bytes);
    story_start(&story, "reference.world", told_ms + 86400000);
    if (story_open(&story, store, &err) == DEED_OK) {
        /* With sums that agree, another story may be told that is as sound. */
        story_read(&story, false);
    } else {
        FUZZ_DEMAND(err.text[0] != '\0', "not opened, without a word", NULL);
    }
    story_end(&story);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_reader reader = {data, size};
    const uint32_t how = fuzz_take(&reader, 1);
    struct damage_file file;
    if ((how & 1) != 0) {
        damage_copy(&file, reader.data, reader.left);
    } else {
        damage_copy(&file, whole.data, whole.bytes);
        damage_do(&reader, &file, 1);
    }
    if ((how & 2) != 0) {
        mend(&file);
    }
    struct deed_store *store = NULL;
    struct deed_error err = {0};
    const deed_rc rc = deed_reference_load(file.data, file.bytes, NULL, &store, &err);
    damage_free(&file);
    if (rc == DEED_OK) {
        go_on(store);
    } else {
        FUZZ_DEMAND(err.text[0] != '\0', "refused without a word", NULL);
    }
    return 0;
}
