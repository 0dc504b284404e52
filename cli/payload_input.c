/* SPDX-License-Identifier: MIT
 *
 * payload_input.c - payloads as people and programs hand them in.
 */
#include "payload_input.h"

#include "input.h"

#include <stdlib.h>

deed_rc payload_read(const char *path, deed_payload_buffer **buffer_out, struct deed_error *err)
{
    FILE *stream = NULL;
    char *json = NULL;
    size_t bytes = 0;
    deed_rc rc = input_open(path, &stream, err);
    if (rc == DEED_OK) {
        rc = input_read(stream, path, PAYLOAD_JSON_BYTES_MAX, &json, &bytes, err);
    }
    if (rc == DEED_OK) {
        rc = deed_payload_parse(json, bytes, buffer_out, err);
    }
    free(json);
    input_close(stream);
    return rc;
}
