/* SPDX-License-Identifier: MIT
 *
 * sqlite_row.h - values into and out of a statement, one after the other.
 *
 * Neither side stops at the first failure: it is remembered, and asked for once at the end.
 */
#ifndef DEED_STORES_SQLITE_ROW_H
#define DEED_STORES_SQLITE_ROW_H

#include "pool.h"

#include <deed/payload.h>

#include <sqlite3.h>

#define BINDER_HEX_BYTES 192 /* two digests and a token, as text */

/* Binds parameters 1, 2, ... in order. Texts are borrowed until the statement was run and its bindings
 * are gone; so is the room of the binder itself. */
struct binder {
    sqlite3_stmt *stmt;
    int index;
    int code; /* the first SQLite error */
    size_t hex_used;
    char hex[BINDER_HEX_BYTES];
};

void deed__param_int(struct binder *binder, int64_t value);
void deed__param_string(struct binder *binder, const char *text); /* NULL: NULL */
void deed__param_string_or_empty(struct binder *binder, const char *text);
void deed__param_text(struct binder *binder, struct deed_text text);  /* data == NULL: NULL */
void deed__param_blob(struct binder *binder, struct deed_text bytes); /* data == NULL: NULL */
void deed__param_hex(struct binder *binder, const uint8_t *bytes, size_t count);
void deed__param_null(struct binder *binder);

/* Reads columns 0, 1, ... of the current row in order; texts are copied into the pool. */
struct reader {
    sqlite3_stmt *stmt;
    int index;
    struct pool *pool;
    bool no_memory;
    bool damaged; /* a value that our schema does not allow */
};

int64_t deed__column_int(struct reader *reader);
int64_t deed__column_count(struct reader *reader); /* zero or more */
uint32_t deed__column_u32(struct reader *reader);
uint32_t deed__column_enum(struct reader *reader, uint32_t most);
bool deed__column_bool(struct reader *reader);
int64_t deed__column_wall(struct reader *reader);       /* 0, or a time from 1973 to 5138 */
int64_t deed__column_duration(struct reader *reader);   /* DEED_FOREVER is one */
const char *deed__column_string(struct reader *reader); /* NULL for NULL */
const char *deed__column_needed(struct reader *reader); /* never NULL */
const char *deed__column_key(struct reader *reader);    /* an action key */
struct deed_text deed__column_text(
    struct reader *reader); /* also of a blob; data == NULL for NULL */
void deed__column_hex(struct reader *reader, uint8_t *bytes_out, size_t count);
void deed__column_instant(struct reader *reader, struct deed_instant *instant_out);
bool deed__column_is_null(const struct reader *reader);

#endif
