/* SPDX-License-Identifier: MIT
 *
 * A trail in a file. Its first lines are words and values, one a line, up to an empty line; the rest
 * is what deed_choices_replay reads.
 */
#include "programs/simulate_trail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <deed/ext/error.h>
#include <deed/machine.h>
#include <deed/sqlite.h>

#define PROGRAM        "simulate"
#define MAGIC          "deed-trail 1\n"
#define FILE_BYTES_MAX 65536
#define PATH_BYTES     4096

static deed_rc cannot(const char *what, const char *path, struct deed_error *err)
{
    return deed_error_set(err, DEED_E_SYSTEM, PROGRAM, "the trail %.200s cannot be %s: %s", path,
        what, strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
}

deed_rc simulate_trail_write(
    const struct simulate_trail *trail, const char *path, struct deed_error *err)
{
    char beside[PATH_BYTES];
    const int bytes = snprintf(beside, sizeof(beside), "%s.new", path);
    FILE *file = bytes > 0 && (size_t)bytes < sizeof(beside) ? fopen(beside, "we") : NULL;
    if (file == NULL) {
        return cannot("written", path, err);
    }
    (void)fprintf(file,
        MAGIC "scenario %s\nclass %s\ndeed %s\nsqlite %s\ntrace %016" PRIx64 "\nimage %016" PRIx64
              "\n\n%s",
        trail->scenario, deed_provider_class_name(trail->provider_class), deed_version(),
        deed_sqlite_version(), trail->trace_hash, trail->image_hash, trail->text);
    bool whole = ferror(file) == 0;
    whole = fclose(file) == 0 && whole;
    if (!whole || rename(beside, path) != 0) {
        deed_rc rc = cannot("written", path, err);
        (void)unlink(beside);
        return rc;
    }
    return DEED_OK;
}

/* ---- reading ------------------------------------------------------------------------------ */

static deed_rc read_file(const char *path, char **text_out, struct deed_error *err)
{
    FILE *file = fopen(path, "re");
    char *text = file != NULL ? calloc(1, FILE_BYTES_MAX + 1) : NULL;
    if (file == NULL) {
        return cannot("read", path, err);
    }
    const size_t bytes = text != NULL ? fread(text, 1, FILE_BYTES_MAX, file) : 0;
    const bool whole = feof(file) != 0 || fgetc(file) == EOF;
    const bool good = ferror(file) == 0;
    (void)fclose(file);
    if (text == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, PROGRAM, "no memory for a trail");
    }
    if (!good || !whole || strlen(text) != bytes) {
        free(text);
        return deed_error_set(err, DEED_E_INVALID, PROGRAM,
            "%.200s is no trail: `deed simulate` writes them, as text of a few kilobytes", path);
    }
    *text_out = text;
    return DEED_OK;
}

static bool read_class(const char *word, deed_provider_class *provider_class_out)
{
    for (int i = DEED_CLASS_BLIND; i <= DEED_CLASS_CLOSABLE; i++) {
        if (strcmp(word, deed_provider_class_name((deed_provider_class)i)) == 0) {
            *provider_class_out = (deed_provider_class)i;
            return true;
        }
    }
    return false;
}

/* One line of the head; false: it is none. */
static bool read_line(struct simulate_trail *trail, const char *line, bool *class_here)
{
    char word[16];
    char value[64];
    if (sscanf(line, "%15s %63s", word, value) != 2) { /* NOLINT(cert-err34-c): texts only */
        return false;
    }
    if (strcmp(word, "scenario") == 0) {
        (void)snprintf(trail->scenario, sizeof(trail->scenario), "%s", value);
        return true;
    }
    if (strcmp(word, "class") == 0) {
        *class_here = read_class(value, &trail->provider_class);
        return *class_here;
    }
    if (strcmp(word, "deed") == 0) {
        (void)snprintf(trail->written_by, sizeof(trail->written_by), "%s", value);
        return true;
    }
    char *end = value;
    const uint64_t hash = strtoull(value, &end, 16);
    if (strcmp(word, "trace") == 0) {
        trail->trace_hash = hash;
    } else if (strcmp(word, "image") == 0) {
        trail->image_hash = hash;
    } else {
        return strcmp(word, "sqlite") == 0; /* for people */
    }
    return *end == '\0';
}

static deed_rc read_head(
    struct simulate_trail *trail, char *text, const char *path, struct deed_error *err)
{
    bool class_here = false;
    bool good = strncmp(text, MAGIC, strlen(MAGIC)) == 0;
    char *line = good ? text + strlen(MAGIC) : text;
    while (good && *line != '\0' && *line != '\n') {
        char *end = strchr(line, '\n');
        good = end != NULL;
        if (good) {
            *end = '\0';
            good = read_line(trail, line, &class_here);
            line = end + 1;
        }
    }
    if (!good || *line != '\n' || trail->scenario[0] == '\0' || !class_here) {
        return deed_error_set(err, DEED_E_INVALID, PROGRAM,
            "%.200s is no trail: it must begin with `deed-trail 1`, a scenario and a class", path);
    }
    trail->text = strdup(line + 1);
    return trail->text != NULL
        ? DEED_OK
        : deed_error_set(err, DEED_E_NOMEM, PROGRAM, "no memory for a trail");
}

deed_rc simulate_trail_read(struct simulate_trail *trail, const char *path, struct deed_error *err)
{
    char *text = NULL;
    *trail = (struct simulate_trail){.text = NULL};
    deed_rc rc = read_file(path, &text, err);
    if (rc == DEED_OK && text != NULL) {
        rc = read_head(trail, text, path, err);
    }
    free(text);
    return rc;
}
