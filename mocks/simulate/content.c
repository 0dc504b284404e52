/* SPDX-License-Identifier: MIT
 *
 * What SQLite makes of a disk after a crash, as one number: the pages of the database, each from
 * the last frame of the log that belongs to a whole transaction, and otherwise from the file. Two
 * disks that differ only in what SQLite throws away have the same.
 *
 * To ask SQLite itself costs ten times as much (it reads the whole schema), so the log is read
 * here, as https://www.sqlite.org/fileformat2.html#the_write_ahead_log describes it; and whenever a
 * program is started again, SQLite is asked as well, and has to tell the same contents apart.
 */
#include "simulate/explore.h"

#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "mix.h"

#define LOG_MAGIC    0x377f0682U
#define HEADER_BYTES 32U
#define FRAME_BYTES  24U

struct log {
    const unsigned char *bytes;
    size_t count;
    uint32_t page_bytes;
    bool big_endian; /* its checksums read numbers so */
    uint32_t sum[2];
    uint32_t pages;           /* of the database, after the last commit; 0: none */
    const unsigned char **at; /* by number of the page; NULL: it is that of the file */
    size_t room;
};

static uint32_t number_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t word_at(const struct log *log, const unsigned char *bytes)
{
    uint32_t word = 0;
    if (log->big_endian) {
        return number_at(bytes);
    }
    for (size_t i = 0; i < 4; i++) {
        word |= (uint32_t)bytes[i] << (8 * i);
    }
    return word;
}

static void add_up(struct log *log, const unsigned char *bytes, size_t count)
{
    uint32_t first = log->sum[0];
    uint32_t second = log->sum[1];
    for (size_t i = 0; i < count; i += 8) {
        first += word_at(log, bytes + i) + second;
        second += word_at(log, bytes + i + 4) + first;
    }
    log->sum[0] = first;
    log->sum[1] = second;
}

static bool sums_to(const struct log *log, const unsigned char *sums)
{
    return log->sum[0] == number_at(sums) && log->sum[1] == number_at(sums + 4);
}

/* False: it is no log that SQLite would read. */
static bool read_header(struct log *log)
{
    if (log->count < HEADER_BYTES || (number_at(log->bytes) & ~1U) != LOG_MAGIC) {
        return false;
    }
    log->big_endian = (number_at(log->bytes) & 1U) != 0;
    log->page_bytes = number_at(log->bytes + 8);
    add_up(log, log->bytes, 24);
    return sums_to(log, log->bytes + 24) && log->page_bytes >= 512 && log->page_bytes <= 65536;
}

/* The frame at `offset`; false: the log ends before it. */
static bool read_frame(struct log *log, size_t offset)
{
    const unsigned char *frame = log->bytes + offset;
    if (log->count - offset < FRAME_BYTES + log->page_bytes || number_at(frame) == 0 ||
        memcmp(frame + 8, log->bytes + 16, 8) != 0) { /* the salts */
        return false;
    }
    add_up(log, frame, 8);
    add_up(log, frame + FRAME_BYTES, log->page_bytes);
    return sums_to(log, frame + 16);
}

static bool take_page(struct log *log, uint32_t page, const unsigned char *bytes)
{
    if (page >= log->room) {
        size_t room = (size_t)page * 2 + 64;
        const unsigned char **more = realloc(log->at, room * sizeof(*more));
        if (more == NULL) {
            return false;
        }
        memset(more + log->room, 0, (room - log->room) * sizeof(*more));
        log->at = more;
        log->room = room;
    }
    log->at[page] = bytes;
    return true;
}

/* Where the last whole transaction ends; 0: there is none. */
static size_t find_end(struct log *log)
{
    size_t end = 0;
    size_t step = FRAME_BYTES + log->page_bytes;
    for (size_t at = HEADER_BYTES; at < log->count && read_frame(log, at); at += step) {
        uint32_t pages = number_at(log->bytes + at + 4);
        if (pages != 0) {
            log->pages = pages;
            end = at + step;
        }
    }
    return end;
}

static bool read_log(struct log *log)
{
    if (!read_header(log)) {
        return true;
    }
    size_t end = find_end(log);
    size_t step = FRAME_BYTES + log->page_bytes;
    for (size_t at = HEADER_BYTES; at < end; at += step) {
        if (!take_page(log, number_at(log->bytes + at), log->bytes + at + FRAME_BYTES)) {
            return false;
        }
    }
    return true;
}

static uint64_t hash_pages(const struct log *log, const unsigned char *file, size_t file_bytes)
{
    uint64_t hash = log->pages;
    if (log->pages == 0) {
        return deed__hash(hash, file, file_bytes);
    }
    for (uint32_t page = 1; page <= log->pages; page++) {
        const size_t offset = (size_t)(page - 1) * log->page_bytes;
        if (page < log->room && log->at[page] != NULL) {
            hash = deed__hash(hash, log->at[page], log->page_bytes);
        } else if (offset + log->page_bytes <= file_bytes) {
            hash = deed__hash(hash, file + offset, log->page_bytes);
        } else {
            hash = deed__mix(hash);
        }
    }
    return hash;
}

static uint64_t hash_file(const struct deed_crash__stage *stage, const char *path, uint64_t hash)
{
    size_t bytes = 0;
    const void *file = deed_disk_get(stage->disk, path, &bytes);
    return file == NULL ? deed__mix(hash) : deed__hash(hash + 1, file, bytes);
}

/* A copy: what the disk lends lasts only until it is asked again. NULL with `count` 0: no log. */
static unsigned char *copy_log(const struct deed_crash__stage *stage, size_t *count_out)
{
    const void *bytes = deed_disk_get(stage->disk, DEED_CRASH__LOG, count_out);
    if (bytes == NULL || *count_out == 0) {
        *count_out = 0;
        return NULL;
    }
    unsigned char *copy = malloc(*count_out);
    if (copy != NULL) {
        memcpy(copy, bytes, *count_out);
    }
    return copy;
}

/* 0: it cannot be said. */
static uint64_t hash_ledger(const struct deed_crash__stage *stage)
{
    struct log log = {.bytes = NULL};
    size_t file_bytes = 0;
    uint64_t hash = 0;
    unsigned char *copy = copy_log(stage, &log.count);
    log.bytes = copy;
    const unsigned char *file = deed_disk_get(stage->disk, DEED_CRASH__LEDGER, &file_bytes);
    bool is_read = copy != NULL ? read_log(&log) : log.count == 0;
    if (file != NULL && is_read) {
        hash = hash_pages(&log, file, file_bytes);
    }
    free(log.at);
    free(copy);
    return hash;
}

uint64_t deed_crash__content(
    const struct deed_crash__stage *stage, const struct deed_crash__files *files, uint64_t image)
{
    if (files->count > DEED_CRASH__FILES_MAX) {
        return image;
    }
    uint64_t hash = hash_ledger(stage);
    if (hash == 0) {
        return image;
    }
    hash = hash_file(stage, DEED_CRASH__LEDGER "-journal", hash);
    for (size_t i = 0; i < files->count; i++) {
        hash = hash_file(stage, files->paths[i], hash);
    }
    return hash;
}

uint64_t deed_crash__sqlite_content(struct deed_crash__stage *stage)
{
    sqlite3 *db = NULL;
    sqlite3_int64 bytes = 0;
    uint64_t hash = 1;
    deed_disk_enter(stage->disk, DEED_CRASH__PROCESS_KIT);
    int code = sqlite3_open_v2(DEED_CRASH__LEDGER, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
        deed_disk_vfs(stage->disk));
    if (code == SQLITE_OK) {
        (void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        unsigned char *image = sqlite3_serialize(db, "main", &bytes, 0);
        hash = image == NULL ? hash : deed__hash(2, image, (size_t)bytes);
        sqlite3_free(image);
    }
    (void)sqlite3_close(db);
    return hash;
}
