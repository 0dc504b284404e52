/* SPDX-License-Identifier: MIT
 *
 * utf8.h - strict UTF-8: one code point at a time, nothing repaired.
 */
#ifndef DEED_CORE_UTF8_H
#define DEED_CORE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the code point that starts at data[0]. Returns the bytes it takes, 1 to 4, or 0 where no
 * valid one starts: a stray or missing continuation, an overlong form, a surrogate, a value above
 * U+10FFFF, or no bytes at all. `code_point_out` is written on success only. */
size_t deed__utf8_next(const char *data, size_t bytes, uint32_t *code_point_out);

/* Counts code points up to the end or the first invalid byte; `*valid_bytes_out` says where that
 * is, and equals `bytes` when all of it is valid. */
size_t deed__utf8_count(const char *data, size_t bytes, size_t *valid_bytes_out);

#endif /* DEED_CORE_UTF8_H */
