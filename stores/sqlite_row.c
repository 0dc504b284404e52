/* SPDX-License-Identifier: MIT
 *
 * Values into and out of a statement. Digests and tokens are lower-case hex in the file.
 */
#include "sqlite_row.h"

#include "sqlite_impl.h"

#include <string.h>

static void bound(struct binder *binder, int code)
{
    if (binder->code == SQLITE_OK) {
        binder->code = code;
    }
}

void deed__param_int(struct binder *binder, int64_t value)
{
    bound(binder, sqlite3_bind_int64(binder->stmt, ++binder->index, value));
}

void deed__param_null(struct binder *binder)
{
    bound(binder, sqlite3_bind_null(binder->stmt, ++binder->index));
}

void deed__param_string(struct binder *binder, const char *text)
{
    bound(binder, sqlite3_bind_text(binder->stmt, ++binder->index, text, -1, SQLITE_STATIC));
}

void deed__param_string_or_empty(struct binder *binder, const char *text)
{
    deed__param_string(binder, text == NULL ? "" : text);
}

void deed__param_text(struct binder *binder, struct deed_text text)
{
    bound(binder,
        sqlite3_bind_text64(
            binder->stmt, ++binder->index, text.data, text.bytes, SQLITE_STATIC, SQLITE_UTF8));
}

void deed__param_blob(struct binder *binder, struct deed_text bytes)
{
    bound(binder,
        sqlite3_bind_blob64(binder->stmt, ++binder->index, bytes.data, bytes.bytes, SQLITE_STATIC));
}

void deed__param_hex(struct binder *binder, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    char *text = binder->hex + binder->hex_used;
    if (2 * count > sizeof(binder->hex) - binder->hex_used) {
        bound(binder, SQLITE_TOOBIG);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 0x0f];
    }
    binder->hex_used += 2 * count;
    bound(binder,
        sqlite3_bind_text(binder->stmt, ++binder->index, text, (int)(2 * count), SQLITE_STATIC));
}

int64_t deed__column_int(struct reader *reader)
{
    return sqlite3_column_int64(reader->stmt, reader->index++);
}

uint32_t deed__column_u32(struct reader *reader)
{
    const int64_t value = deed__column_int(reader);
    if (value < 0 || value > UINT32_MAX) {
        reader->damaged = true;
        return 0;
    }
    return (uint32_t)value;
}

int64_t deed__column_count(struct reader *reader)
{
    const int64_t value = deed__column_int(reader);
    reader->damaged = reader->damaged || value < 0;
    return value;
}

uint32_t deed__column_enum(struct reader *reader, uint32_t most)
{
    const uint32_t value = deed__column_u32(reader);
    if (value > most) { /* it would be used as an index, or met by no case of a switch */
        reader->damaged = true;
        return 0;
    }
    return value;
}

bool deed__column_bool(struct reader *reader)
{
    return deed__column_enum(reader, 1) != 0;
}

/* The bounds of the schema's constraints: sums of two of these never overflow. */
int64_t deed__column_wall(struct reader *reader)
{
    const int64_t value = deed__column_int(reader);
    if (value != 0 && (value < DEED_WALL_MS_MIN || value > DEED_WALL_MS_MAX)) {
        reader->damaged = true;
        return 0;
    }
    return value;
}

int64_t deed__column_duration(struct reader *reader)
{
    const int64_t value = deed__column_int(reader);
    if (value != DEED_FOREVER && (value < 0 || value > DEED_DURATION_MS_MAX)) {
        reader->damaged = true;
        return 0;
    }
    return value;
}

bool deed__column_is_null(const struct reader *reader)
{
    return sqlite3_column_type(reader->stmt, reader->index) == SQLITE_NULL;
}

struct deed_text deed__column_text(struct reader *reader)
{
    const struct deed_text none = {.data = NULL, .bytes = 0};
    const int index = reader->index++;
    const int type = sqlite3_column_type(reader->stmt, index);
    if (type == SQLITE_NULL) {
        return none;
    }
    const void *data = type == SQLITE_BLOB ? sqlite3_column_blob(reader->stmt, index)
                                           : sqlite3_column_text(reader->stmt, index);
    const size_t bytes = (size_t)sqlite3_column_bytes(reader->stmt, index);
    if (data == NULL && bytes > 0) {
        reader->no_memory = true;
        return none;
    }
    struct deed_text text = {.data = deed__pool_copy(reader->pool, data, bytes), .bytes = bytes};
    if (text.data == NULL) {
        reader->no_memory = true;
        return none;
    }
    return text;
}

const char *deed__column_string(struct reader *reader)
{
    const struct deed_text text = deed__column_text(reader);
    if (text.data != NULL && strlen(text.data) != text.bytes) {
        reader->damaged = true; /* what stands behind a NUL would be there and never be seen */
    }
    return text.data;
}

const char *deed__column_needed(struct reader *reader)
{
    const char *text = deed__column_string(reader);
    if (text == NULL) {
        reader->damaged = true;
        return "";
    }
    return text;
}

const char *deed__column_key(struct reader *reader)
{
    const char *key = deed__column_needed(reader);
    reader->damaged = reader->damaged || deed_key_check(key, NULL) != DEED_OK;
    return key;
}

static int hex_value(unsigned char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    if (digit >= 'a' && digit <= 'f') {
        return digit - 'a' + 10;
    }
    return -1;
}

static const unsigned char *text_of(struct reader *reader, int index)
{
    int code = SQLITE_OK;
    const char *text = deed__sqlite_text(reader->stmt, index, &code);
    reader->no_memory = reader->no_memory || code != SQLITE_OK;
    return (const unsigned char *)text;
}

void deed__column_hex(struct reader *reader, uint8_t *bytes_out, size_t count)
{
    memset(bytes_out, 0, count);
    const int index = reader->index++;
    const unsigned char *text = text_of(reader, index);
    if (text == NULL || (size_t)sqlite3_column_bytes(reader->stmt, index) != 2 * count) {
        reader->damaged = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const int high = hex_value(text[2 * i]);
        const int low = hex_value(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            reader->damaged = true;
            return;
        }
        bytes_out[i] = (uint8_t)(high << 4 | low);
    }
}

void deed__column_instant(struct reader *reader, struct deed_instant *instant_out)
{
    memset(instant_out, 0, sizeof(*instant_out));
    instant_out->wall_ms = deed__column_wall(reader);
    instant_out->mono_ms = deed__column_int(reader);
    const int index = reader->index++;
    const unsigned char *boot = text_of(reader, index);
    const size_t bytes = (size_t)sqlite3_column_bytes(reader->stmt, index);
    if (boot == NULL || bytes >= sizeof(instant_out->boot)) {
        reader->damaged = true;
        return;
    }
    memcpy(instant_out->boot, boot, bytes);
}
