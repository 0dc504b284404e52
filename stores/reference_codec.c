/* SPDX-License-Identifier: MIT */
#include "reference_codec.h"

#include <string.h>

/* Where `bytes` more can be read; NULL, and damaged, if they are not there. */
static const unsigned char *read_on(struct codec *codec, size_t bytes)
{
    if (codec->damaged || codec->bytes - codec->at < bytes) {
        codec->damaged = true;
        return NULL;
    }
    const unsigned char *start = codec->in + codec->at;
    codec->at += bytes;
    return start;
}

static void write_on(struct codec *codec, const void *data, size_t bytes)
{
    if (bytes > 0 && codec->at <= codec->bytes && codec->bytes - codec->at >= bytes) {
        memcpy(codec->out + codec->at, data, bytes);
    }
    codec->at += bytes;
}

void deed__reference_codec_raw(struct codec *codec, void *data, size_t bytes)
{
    if (!codec->loading) {
        write_on(codec, data, bytes);
        return;
    }
    const unsigned char *start = read_on(codec, bytes);
    if (start != NULL) {
        memcpy(data, start, bytes);
    } else {
        memset(data, 0, bytes);
    }
}

int64_t deed__reference_codec_i64(struct codec *codec, int64_t value)
{
    unsigned char bytes[8]; /* the lowest first, on every machine */
    uint64_t number = (uint64_t)value;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)(number >> (8 * i));
    }
    deed__reference_codec_raw(codec, bytes, sizeof(bytes));
    number = 0;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        number |= (uint64_t)bytes[i] << (8 * i);
    }
    return (int64_t)number;
}

static int64_t in_range(struct codec *codec, int64_t value, int64_t largest)
{
    if (value < 0 || value > largest) {
        codec->damaged = true;
        return 0;
    }
    return value;
}

uint32_t deed__reference_codec_u32(struct codec *codec, uint32_t value)
{
    return (uint32_t)in_range(codec, deed__reference_codec_i64(codec, (int64_t)value), UINT32_MAX);
}

bool deed__reference_codec_bool(struct codec *codec, bool value)
{
    return in_range(codec, deed__reference_codec_i64(codec, value ? 1 : 0), 1) == 1;
}

/* -1: no text; otherwise its length, the text, and NUL. */
void deed__reference_codec_text(struct codec *codec, struct deed_text *text)
{
    int64_t length =
        deed__reference_codec_i64(codec, text->data == NULL ? -1 : (int64_t)text->bytes);
    if (!codec->loading) {
        if (text->data != NULL) {
            write_on(codec, text->data, text->bytes);
            write_on(codec, "", 1);
        }
        return;
    }
    text->data = NULL;
    text->bytes = 0;
    if (length == -1) {
        return;
    }
    size_t bytes = (size_t)in_range(codec, length, INT32_MAX);
    const unsigned char *start = read_on(codec, bytes + 1);
    if (start == NULL || start[bytes] != '\0') {
        codec->damaged = true;
        return;
    }
    text->data = (const char *)start;
    text->bytes = bytes;
}

void deed__reference_codec_string(struct codec *codec, const char **text)
{
    struct deed_text whole = {*text, *text == NULL ? 0 : strlen(*text)};
    deed__reference_codec_text(codec, &whole);
    if (whole.data != NULL && strlen(whole.data) != whole.bytes) {
        codec->damaged = true;
        whole.data = NULL;
    }
    *text = whole.data;
}

void deed__reference_codec_instant(struct codec *codec, struct deed_instant *instant)
{
    instant->wall_ms = deed__reference_codec_i64(codec, instant->wall_ms);
    instant->mono_ms = deed__reference_codec_i64(codec, instant->mono_ms);
    deed__reference_codec_raw(codec, instant->boot, sizeof(instant->boot));
}
