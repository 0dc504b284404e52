/* SPDX-License-Identifier: MIT
 *
 * Times and ages as people write them: what is read is in range, and what is written of it is read
 * as the same.
 */
#include "fuzz.h"

#include "times.h"

#include <deed/base.h>

#include <stdlib.h>
#include <string.h>

void fuzz_start(void)
{
}

static void expect_time(int64_t wall_ms)
{
    char text[TIME_TEXT_BYTES];
    int64_t again = 0;
    time_text_ms(wall_ms, text);
    /* The last hours of the last year, with an offset, belong to a year of five digits. */
    const bool writable = strcmp(text, "never") != 0;
    FUZZ_DEMAND(wall_ms > 0, "a time before 1970", text);
    FUZZ_DEMAND(!writable || (time_read(text, &again) && again == wall_ms),
        "a time is read as another one", text);
    time_text_up(wall_ms, text);
    FUZZ_DEMAND(strcmp(text, "never") == 0 ||
            (time_read(text, &again) && again >= wall_ms && again - wall_ms < 1000),
        "a time is rounded down", text);
    time_text(wall_ms, text);
    /* The first second of all is no time: 0 says "none". */
    FUZZ_DEMAND(!writable || wall_ms < 1000 ||
            (time_read(text, &again) && again <= wall_ms && wall_ms - again < 1000),
        "a time is rounded up", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_DEMAND(text != NULL, "memory for a text", NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    int64_t value = 0;
    if (time_read(text, &value)) {
        expect_time(value);
    }
    if (age_read(text, &value)) {
        FUZZ_DEMAND(value >= 1 && value <= DEED_DURATION_MS_MAX, "an age out of range", text);
    }
    if (size >= sizeof value) { /* any number at all can be written */
        char written[TIME_TEXT_BYTES];
        memcpy(&value, data, sizeof value);
        time_text(value, written);
        time_text_up(value, written);
        time_text_ms(value, written);
        FUZZ_DEMAND(strlen(written) < TIME_TEXT_BYTES, "a text without an end", NULL);
    }
    free(text);
    return 0;
}
