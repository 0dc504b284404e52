/* SPDX-License-Identifier: MIT
 *
 * times.h - RFC 3339 in UTC, read and written; ages.
 */
#ifndef CLI_TIMES_H
#define CLI_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIME_TEXT_BYTES 40

/* For people: whole seconds, rounded up where an early reader would come too soon. */
void time_text(int64_t wall_ms, char text_out[TIME_TEXT_BYTES]);
void time_text_up(int64_t wall_ms, char text_out[TIME_TEXT_BYTES]);
/* For machines: always with milliseconds. */
void time_text_ms(int64_t wall_ms, char text_out[TIME_TEXT_BYTES]);

/* "2026-03-01T12:00:00Z", with an offset or a fraction if need be. False: it is no such time. */
bool time_read(const char *text, int64_t *wall_ms_out);

/* "500ms", "90s", "15m", "2h", "7d". False: it is no such age. */
bool age_read(const char *text, int64_t *age_ms_out);

#endif
