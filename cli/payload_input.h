/* SPDX-License-Identifier: MIT
 *
 * payload_input.h - payloads as people and programs hand them in.
 */
#ifndef CLI_PAYLOAD_INPUT_H
#define CLI_PAYLOAD_INPUT_H

#include <deed/payload.h>

/* JSON can take six bytes for each UTF-16 unit of three texts of 4000 code points. */
#define PAYLOAD_JSON_BYTES_MAX (3 * DEED_TEXT_CODE_POINTS_MAX * 12 + 4096)

/* Reads one payload from a file or from standard input ("-"). Freed by deed_payload_free. */
DEED_MUST_CHECK deed_rc payload_read(
    const char *path, deed_payload_buffer **buffer_out, struct deed_error *err);

#endif
