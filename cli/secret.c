/* SPDX-License-Identifier: MIT
 *
 * secret.c - secrets, which the configuration only refers to: env:NAME or file:PATH.
 */
#include "secret.h"

#include "error.h"
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECRET_BYTES_MAX 4096

bool secret_is_reference(const char *reference)
{
    return (strncmp(reference, "env:", 4) == 0 || strncmp(reference, "file:", 5) == 0) &&
        strchr(reference, ':')[1] != '\0';
}

static deed_rc read_file(const char *path, const char *place, char *buffer, struct deed_error *err)
{
    errno = 0;
    FILE *file = fopen(path, "re");
    if (!file) {
        return cli_error(err, DEED_E_INVALID, NULL, "%.100s: %.200s cannot be read: %s", place,
            path, strerror(errno));
    }
    const size_t bytes = fread(buffer, 1, SECRET_BYTES_MAX + 1, file);
    const int saved = errno;
    const bool failed = ferror(file) != 0;
    (void)fclose(file);
    if (failed) {
        return cli_error(err, DEED_E_INVALID, NULL, "%.100s: %.200s cannot be read: %s", place,
            path, strerror(saved));
    }
    if (bytes > SECRET_BYTES_MAX || memchr(buffer, '\0', bytes)) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "%.100s: %.200s holds no secret: it is longer than %d bytes, or no text", place, path,
            SECRET_BYTES_MAX);
    }
    buffer[bytes] = '\0';
    /* An editor ends a file with a line end; no secret ends so. */
    buffer[strcspn(buffer, "\r\n")] = '\0';
    return DEED_OK;
}

static deed_rc read_environment(
    const char *name, const char *place, char *buffer, struct deed_error *err)
{
    const char *value = getenv(name);
    if (!value) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "%.100s: the environment has no variable %.100s", place, name);
    }
    if (strlen(value) > SECRET_BYTES_MAX) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "%.100s: the variable %.100s is longer than %d bytes", place, name, SECRET_BYTES_MAX);
    }
    memcpy(buffer, value, strlen(value) + 1);
    return DEED_OK;
}

static deed_rc read_place(const char *reference, const char *folder, const char *place,
    char *buffer, struct deed_error *err)
{
    if (strncmp(reference, "file:", 5) != 0) {
        return read_environment(reference + 4, place, buffer, err);
    }
    char *path = path_below(folder, reference + 5);
    deed_rc rc = path ? read_file(path, place, buffer, err) : cli_no_memory(err);
    free(path);
    return rc;
}

deed_rc secret_read(const char *reference, const char *folder, const char *place, char **secret_out,
    struct deed_error *err)
{
    char *buffer = calloc(1, SECRET_BYTES_MAX + 2);
    if (!buffer) {
        return cli_no_memory(err);
    }
    deed_rc rc = read_place(reference, folder, place, buffer, err);
    if (rc == DEED_OK && buffer[0] == '\0') {
        rc = cli_error(
            err, DEED_E_INVALID, NULL, "%.100s: the secret at %.100s is empty", place, reference);
    }
    if (rc != DEED_OK) {
        secret_free(buffer);
        return rc;
    }
    *secret_out = buffer;
    return DEED_OK;
}

void secret_free(char *secret)
{
    if (secret) {
        explicit_bzero(secret, strlen(secret));
        free(secret);
    }
}
