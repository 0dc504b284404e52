/* SPDX-License-Identifier: MIT
 *
 * Numbers and texts on paper. One description of a row serves both directions, so that what is
 * written and what is read cannot drift apart: each function takes the value, writes it when
 * saving, and returns what was read when loading.
 */
#ifndef DEED_STORES_REFERENCE_CODEC_H
#define DEED_STORES_REFERENCE_CODEC_H

#include <deed/payload.h>

struct codec {
    bool loading;
    bool damaged; /* when loading: what stood there can not be; all else read is zero */
    const unsigned char *in;
    unsigned char *out; /* what is beyond `bytes` is counted and not written */
    size_t bytes;       /* of either */
    size_t at;
};

int64_t deed__reference_codec_i64(struct codec *codec, int64_t value);
uint32_t deed__reference_codec_u32(struct codec *codec, uint32_t value);
bool deed__reference_codec_bool(struct codec *codec, bool value);
void deed__reference_codec_raw(struct codec *codec, void *data, size_t bytes);
/* When loading, texts stand in the buffer; each ends with NUL. */
void deed__reference_codec_text(struct codec *codec, struct deed_text *text);
void deed__reference_codec_string(struct codec *codec, const char **text);
void deed__reference_codec_instant(struct codec *codec, struct deed_instant *instant);

#endif
