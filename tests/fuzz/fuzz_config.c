/* SPDX-License-Identifier: MIT
 *
 * Configurations: whatever the file holds, it is read whole or refused with a place, and what is
 * read is in the ranges docs/reference/config.md promises. The options of each kind then go to the
 * mock executor, which reads a script language of its own.
 */
#include "fuzz.h"

#include "config.h"

#include <deed/mock/executor.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static deed_world *world;

void fuzz_start(void)
{
    (void)unlink("config.world");
    FUZZ_DEMAND(deed_world_open("config.world", &world, NULL) == DEED_OK, "a world", NULL);
}

static bool in_range(int64_t ms)
{
    return (ms >= 0 && ms <= DEED_DURATION_MS_MAX) || ms == DEED_FOREVER;
}

static void expect_profile(const struct deed_profile *profile)
{
    FUZZ_DEMAND(profile->size == sizeof *profile && in_range(profile->send_ms) &&
            in_range(profile->answer_ms) && in_range(profile->landing_ms) &&
            in_range(profile->window_ms) && in_range(profile->lag_ms) &&
            in_range(profile->reach_ms) && in_range(profile->backoff_base_ms) &&
            in_range(profile->backoff_cap_ms) && in_range(profile->second_look_ms[0]) &&
            in_range(profile->second_look_ms[1]),
        "a duration out of range", NULL);
    FUZZ_DEMAND(profile->send_ms != DEED_FOREVER && profile->answer_ms != DEED_FOREVER &&
            profile->lag_ms != DEED_FOREVER,
        "a wait without an end", NULL);
}

static void try_kind(const struct config_kind *kind)
{
    deed_executor *executor = NULL;
    struct deed_error err = {0};
    FUZZ_DEMAND(kind->kind != NULL && kind->executor != NULL, "a kind without executor", NULL);
    expect_profile(&kind->profile);
    const deed_rc rc = deed_mock_executor_new_in(
        world, kind->options ? kind->options : "{}", NULL, &executor, &err);
    FUZZ_DEMAND((rc == DEED_OK) == (executor != NULL), "half an executor", NULL);
    FUZZ_DEMAND(rc == DEED_OK || err.text[0] != '\0', "refused without a word", NULL);
    deed_mock_executor_free(executor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH_ROOM];
    const int file = fuzz_file(data, size, path);
    struct arguments arguments = {0};
    arguments.values[OPT_CONFIG] = path;
    struct config config;
    struct deed_error err = {0};
    const deed_rc rc = config_load(&config, &arguments, &err);
    if (rc == DEED_OK) {
        for (size_t i = 0; i < config.kind_count; i++) {
            try_kind(&config.kinds[i]);
        }
    } else {
        FUZZ_DEMAND(rc == DEED_E_INVALID, "refused for another reason than the input", err.text);
        FUZZ_DEMAND(
            strstr(err.text, path) != NULL, "an error that does not name the file", err.text);
    }
    config_finish(&config);
    (void)close(file);
    return 0;
}
