/* SPDX-License-Identifier: MIT
 *
 * input.c - files and standard input, read whole within a limit.
 */
#include "input.h"

#include "error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

deed_rc input_open(const char *path, FILE **stream_out, struct deed_error *err)
{
    if (strcmp(path, "-") == 0) {
        *stream_out = stdin;
        return DEED_OK;
    }
    FILE *stream = fopen(path, "re");
    if (!stream) {
        return cli_error(
            err, DEED_E_INVALID, NULL, "%.200s cannot be read: %s", path, strerror(errno));
    }
    *stream_out = stream;
    return DEED_OK;
}

void input_close(FILE *stream)
{
    if (stream && stream != stdin) {
        (void)fclose(stream);
    }
}

deed_rc input_read(FILE *stream, const char *name, size_t bytes_max, char **data_out,
    size_t *bytes_out, struct deed_error *err)
{
    const char *shown = strcmp(name, "-") == 0 ? "standard input" : name;
    char *data = malloc(bytes_max + 2);
    if (!data) {
        return cli_no_memory(err);
    }
    errno = 0;
    const size_t bytes = fread(data, 1, bytes_max + 1, stream);
    deed_rc rc = DEED_OK;
    if (ferror(stream)) {
        rc = cli_error(
            err, DEED_E_INVALID, NULL, "%.200s cannot be read: %s", shown, strerror(errno));
    } else if (bytes > bytes_max) {
        rc = cli_error(err, DEED_E_INVALID, NULL,
            "%.200s is longer than %zu bytes, which is more than is read of it", shown, bytes_max);
    }
    if (rc != DEED_OK) {
        free(data);
        return rc;
    }
    data[bytes] = '\0';
    *data_out = data;
    *bytes_out = bytes;
    return DEED_OK;
}
