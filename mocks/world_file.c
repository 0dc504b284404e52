/* SPDX-License-Identifier: MIT
 *
 * Being alone with a world, and the file of one that has a file: one write() for each line, appended under flock.
 *
 * A process may be killed between any two instructions. Either its line is there with its newline,
 * and what it tells happened; or it is not, and nothing happened. Nothing is flushed to the disk: a
 * world outlives processes, and the machine that loses power in a test is never the one it is on.
 */
#include "world_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deed/ext/error.h>

static const char line_start[] = "{\"what\":\"";

static deed_rc system_error(
    const struct deed_world *world, const char *what, struct deed_error *err)
{
    int native = errno;
    (void)deed_error_set(err, DEED_E_SYSTEM, DEED_MOCK__ORIGIN_WORLD, "%s %s: %s", what,
        world->path,
        strerror(native)); /* NOLINT(concurrency-mt-unsafe): glibc's is safe for known numbers */
    deed_error_native(err, native);
    return DEED_E_SYSTEM;
}

static deed_rc file_open(struct deed_world *world, const char *path, struct deed_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
        return system_error(world, "cannot open", err);
    }
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        (void)close(fd);
        return deed_error_set(err, DEED_E_SYSTEM, DEED_MOCK__ORIGIN_WORLD,
            "%s is no regular file; a world needs one of its own", world->path);
    }
    if (world->fd >= 0) {
        (void)close(world->fd);
    }
    world->fd = fd;
    world->pid = getpid();
    return DEED_OK;
}

/* A lock of flock() belongs to the open file, which a child shares with its parent; with it, the two
 * would not exclude each other, and a killed child would leave its lock behind. */
static deed_rc file_open_after_fork(struct deed_world *world, struct deed_error *err)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", world->fd);
    return file_open(world, path, err);
}

static deed_rc file_lock(struct deed_world *world, struct deed_error *err)
{
    if (world->pid != getpid()) {
        deed_rc rc = file_open_after_fork(world, err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    while (flock(world->fd, LOCK_EX) != 0) {
        if (errno != EINTR) {
            return system_error(world, "cannot lock", err);
        }
    }
    return DEED_OK;
}

static deed_rc read_fully(
    struct deed_world *world, char *buffer, size_t bytes, struct deed_error *err)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = pread(world->fd, buffer + done, bytes - done, world->read_to + (off_t)done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return system_error(world, "cannot read", err);
        }
        done += (size_t)got;
    }
    return DEED_OK;
}

static deed_rc fold_text(
    struct deed_world *world, const char *text, size_t bytes, struct deed_error *err)
{
    json_t *line = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    deed_rc rc = DEED_OK;
    if (line != NULL) {
        const struct deed_mock__line read = deed_world__line_read(line);
        rc = deed_world__fold(world, &read, err);
    } else {
        rc = deed_error_set(
            err, DEED_E_SYSTEM, DEED_MOCK__ORIGIN_WORLD, "this is no line of a world");
    }
    json_decref(line);
    if (rc != DEED_OK) {
        char context[96];
        (void)snprintf(context, sizeof(context), "line %llu", (unsigned long long)world->lines + 1);
        deed_error_context(err, context);
        deed_error_context(err, world->path);
        return rc;
    }
    world->lines++;
    world->read_to += (off_t)bytes + 1;
    return DEED_OK;
}

/* The tail after the last newline: a line whose writer was killed. Something else is left alone,
 * because then this is somebody else's file. */
static deed_rc cut_tail(
    struct deed_world *world, const char *tail, size_t bytes, struct deed_error *err)
{
    size_t compared = bytes < sizeof(line_start) - 1 ? bytes : sizeof(line_start) - 1;
    if (memcmp(tail, line_start, compared) != 0) {
        return deed_error_set(err, DEED_E_SYSTEM, DEED_MOCK__ORIGIN_WORLD,
            "%s is not the file of a world", world->path);
    }
    if (ftruncate(world->fd, world->read_to) != 0) {
        return system_error(world, "cannot cut", err);
    }
    return DEED_OK;
}

static deed_rc fold_lines(
    struct deed_world *world, const char *text, size_t bytes, struct deed_error *err)
{
    while (bytes > 0) {
        const char *end = memchr(text, '\n', bytes);
        if (end == NULL) {
            return cut_tail(world, text, bytes, err);
        }
        size_t line_bytes = (size_t)(end - text);
        deed_rc rc = fold_text(world, text, line_bytes, err);
        if (rc != DEED_OK) {
            return rc;
        }
        text = end + 1;
        bytes -= line_bytes + 1;
    }
    return DEED_OK;
}

/* Reads what others have written since. */
static deed_rc file_catch_up(struct deed_world *world, struct deed_error *err)
{
    struct stat info;
    if (fstat(world->fd, &info) != 0) {
        return system_error(world, "cannot read", err);
    }
    if (info.st_size == world->read_to) {
        return DEED_OK;
    }
    if (info.st_size < world->read_to) {
        return deed_error_set(err, DEED_E_SYSTEM, DEED_MOCK__ORIGIN_WORLD,
            "%s has become shorter; what happened cannot be taken back", world->path);
    }
    size_t bytes = (size_t)(info.st_size - world->read_to);
    char *text = malloc(bytes);
    if (text == NULL) {
        return deed_error_set(
            err, DEED_E_NOMEM, DEED_MOCK__ORIGIN_WORLD, "no memory to read a world");
    }
    deed_rc rc = read_fully(world, text, bytes, err);
    if (rc == DEED_OK) {
        rc = fold_lines(world, text, bytes, err);
        if (rc != DEED_OK) {
            deed_world__forget(world); /* a line may be half folded in: the next one starts anew */
        }
    }
    free(text);
    return rc;
}

void deed_world__leave(struct deed_world *world)
{
    if (world->path != NULL) {
        (void)flock(world->fd, LOCK_UN);
    }
    (void)pthread_mutex_unlock(&world->mutex);
}

deed_rc deed_world__enter(struct deed_world *world, struct deed_error *err)
{
    (void)pthread_mutex_lock(&world->mutex);
    if (world->path == NULL && !world->is_lost) {
        return DEED_OK;
    }
    deed_rc rc = world->path != NULL
        ? file_lock(world, err)
        : deed_error_set(err, DEED_E_NOMEM, DEED_MOCK__ORIGIN_WORLD,
              "there was no memory for what happened in this world; it is of no use any more");
    if (rc != DEED_OK) {
        (void)pthread_mutex_unlock(&world->mutex);
        return rc;
    }
    rc = file_catch_up(world, err);
    if (rc != DEED_OK) {
        deed_world__leave(world);
    }
    return rc;
}

static deed_rc write_line(
    struct deed_world *world, const char *text, size_t bytes, struct deed_error *err)
{
    ssize_t written = write(world->fd, text, bytes);
    if (written == (ssize_t)bytes) {
        return DEED_OK;
    }
    /* Whoever enters next cuts what is there of it. */
    return system_error(world, "cannot write", err);
}

static deed_rc append_to_file(
    struct deed_world *world, const struct deed_mock__line *line, struct deed_error *err)
{
    json_t *json = deed_world__line_write(line);
    char *text = json != NULL ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    deed_rc rc = DEED_OK;
    if (text == NULL) {
        rc = deed_error_set(err, DEED_E_NOMEM, DEED_MOCK__ORIGIN_WORLD, "no memory for a line");
        goto done;
    }
    size_t bytes = strlen(text);
    text[bytes] = '\n'; /* where the NUL was: the text is not used as a string any more */
    rc = write_line(world, text, bytes + 1, err);
    if (rc != DEED_OK) {
        goto done;
    }
    rc = deed_world__fold(world, line, err);
    if (rc != DEED_OK) {
        deed_world__forget(world); /* it did happen; memory catches up from the file */
        goto done;
    }
    world->lines++;
    world->read_to += (off_t)bytes + 1;
done:
    free(text);
    json_decref(json);
    return rc;
}

deed_rc deed_world__append(
    struct deed_world *world, const struct deed_mock__line *line, struct deed_error *err)
{
    if (world->path != NULL) {
        return append_to_file(world, line, err);
    }
    deed_rc rc = deed_world__fold(world, line, err);
    world->is_lost = rc != DEED_OK; /* half a line may be folded in */
    world->lines++;
    return rc;
}

static struct deed_world *world_made(const char *path, struct deed_error *err)
{
    struct deed_world *world = calloc(1, sizeof(*world));
    if (world != NULL) {
        world->fd = -1;
        (void)pthread_mutex_init(&world->mutex, NULL);
        world->path = path != NULL ? strdup(path) : NULL;
    }
    if (world == NULL || (path != NULL && world->path == NULL)) {
        deed_world_close(world);
        (void)deed_error_set(err, DEED_E_NOMEM, DEED_MOCK__ORIGIN_WORLD, "no memory for a world");
        return NULL;
    }
    return world;
}

deed_rc deed_world_new(deed_world **world_out, struct deed_error *err)
{
    if (world_out == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, DEED_MOCK__ORIGIN_WORLD,
            "world_out is NULL: there is nowhere to put the world");
    }
    *world_out = world_made(NULL, err);
    return *world_out != NULL ? DEED_OK : DEED_E_NOMEM;
}

deed_rc deed_world_open(const char *path, deed_world **world_out, struct deed_error *err)
{
    if (path == NULL || path[0] == '\0' || world_out == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, DEED_MOCK__ORIGIN_WORLD, "a world needs the name of a file");
    }
    struct deed_world *world = world_made(path, err);
    if (world == NULL) {
        return DEED_E_NOMEM;
    }
    deed_rc rc = file_open(world, path, err);
    if (rc == DEED_OK) {
        rc = deed_world__enter(world, err); /* refuses a file that holds something else, now */
    }
    if (rc != DEED_OK) {
        deed_world_close(world);
        return rc;
    }
    deed_world__leave(world);
    *world_out = world;
    return DEED_OK;
}

void deed_world_close(deed_world *world)
{
    if (world == NULL) {
        return;
    }
    if (world->fd >= 0) {
        (void)close(world->fd);
    }
    deed_world__forget(world);
    (void)pthread_mutex_destroy(&world->mutex);
    free(world->path);
    free(world);
}
