/* SPDX-License-Identifier: MIT */
#include "damage.h"

#include <stdlib.h>
#include <string.h>

#define ORDERS_MAX 64
#define PAGE_BYTES 4096

enum order {
    ORDER_WRITE, /* some bytes of the input */
    ORDER_FLIP,  /* one bit */
    ORDER_ZERO,
    ORDER_CUT, /* what follows is lost */
    ORDER_MOVE,
    ORDER_PAGE, /* one page is written in the place of another */
    ORDER_COUNT
};

void damage_copy(struct damage_file *file, const uint8_t *data, size_t bytes)
{
    file->bytes = bytes;
    file->data = malloc(bytes + 1);
    FUZZ_DEMAND(file->data != NULL, "memory for a file", NULL);
    if (bytes > 0) {
        memcpy(file->data, data, bytes);
    }
}

void damage_free(struct damage_file *file)
{
    free(file->data);
    file->data = NULL;
    file->bytes = 0;
}

/* A place in the file, and at most `length` bytes from there. */
static size_t place(struct fuzz_reader *reader, const struct damage_file *file, size_t *length)
{
    const size_t at = fuzz_take(reader, 3) % file->bytes;
    if (*length > file->bytes - at) {
        *length = file->bytes - at;
    }
    return at;
}

static void move(struct fuzz_reader *reader, struct damage_file *file)
{
    size_t length = fuzz_take(reader, 2);
    const size_t from = place(reader, file, &length);
    const size_t to = place(reader, file, &length);
    memmove(file->data + to, file->data + from, length);
}

static void copy_page(struct fuzz_reader *reader, struct damage_file *file)
{
    const size_t pages = file->bytes / PAGE_BYTES;
    if (pages > 0) {
        const size_t from = fuzz_take(reader, 1) % pages;
        const size_t to = fuzz_take(reader, 1) % pages;
        memmove(file->data + to * PAGE_BYTES, file->data + from * PAGE_BYTES, PAGE_BYTES);
    }
}

static void do_order(struct fuzz_reader *reader, struct damage_file *file, uint32_t order)
{
    size_t length = 1;
    switch ((enum order)(order % ORDER_COUNT)) {
    case ORDER_WRITE:
        length = 1 + fuzz_take(reader, 1) % 32;
        for (size_t at = place(reader, file, &length), end = at + length; at < end; at++) {
            file->data[at] = (uint8_t)fuzz_take(reader, 1);
        }
        break;
    case ORDER_FLIP: {
        const size_t at = place(reader, file, &length);
        file->data[at] ^= (uint8_t)(1U << fuzz_take(reader, 1) % 8);
        break;
    }
    case ORDER_ZERO: {
        length = fuzz_take(reader, 2);
        const size_t at = place(reader, file, &length);
        memset(file->data + at, 0, length);
        break;
    }
    case ORDER_CUT:
        file->bytes = place(reader, file, &length);
        break;
    case ORDER_MOVE:
        move(reader, file);
        break;
    case ORDER_PAGE:
        copy_page(reader, file);
        break;
    case ORDER_COUNT:
        break;
    }
}

void damage_do(struct fuzz_reader *reader, struct damage_file *files, size_t count)
{
    for (int i = 0; i < ORDERS_MAX && reader->left > 0; i++) {
        const uint32_t order = fuzz_take(reader, 1);
        struct damage_file *file = &files[order / ORDER_COUNT % count];
        if (file->bytes > 0) {
            do_order(reader, file, order);
        }
    }
}

/* ---- https://www.sqlite.org/fileformat2.html#checksum_algorithm ---------------------------- */

#define WAL_HEADER_BYTES   32
#define FRAME_HEADER_BYTES 24

struct sums {
    uint32_t first;
    uint32_t second;
    bool big_endian;
};

static uint32_t word(const uint8_t *bytes, bool big_endian)
{
    return big_endian
        ? (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3]
        : (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static void put_word(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static void sum_up(struct sums *sums, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i + 8 <= count; i += 8) {
        sums->first += word(bytes + i, sums->big_endian) + sums->second;
        sums->second += word(bytes + i + 4, sums->big_endian) + sums->first;
    }
}

void damage_mend_wal(struct damage_file *wal)
{
    if (wal->bytes < WAL_HEADER_BYTES) {
        return;
    }
    uint8_t *data = wal->data;
    struct sums sums = {.big_endian = (word(data, true) & 1) != 0};
    sum_up(&sums, data, 24);
    put_word(data + 24, sums.first);
    put_word(data + 28, sums.second);
    const size_t frame_bytes = FRAME_HEADER_BYTES + PAGE_BYTES;
    for (size_t at = WAL_HEADER_BYTES; at + frame_bytes <= wal->bytes; at += frame_bytes) {
        if (memcmp(data + at + 8, data + 16, 8) != 0) {
            return; /* another salt: from here on it was written before, and is no part of it */
        }
        sum_up(&sums, data + at, 8);
        sum_up(&sums, data + at + FRAME_HEADER_BYTES, PAGE_BYTES);
        put_word(data + at + 16, sums.first);
        put_word(data + at + 20, sums.second);
    }
}
