/* SPDX-License-Identifier: MIT
 *
 * json_text.c - a look at a JSON text before a parser sees it.
 *
 * One pass, no recursion. Errors tell the place and never the text: what stands there may be a body.
 */
#include "json_text.h"

#include "utf8.h"

#include <deed/ext/error.h>

#include <string.h>

struct scan {
    const char *json;
    size_t bytes;
    size_t at;
    size_t depth;
    struct deed_error *err;
};

struct deed__json_place deed__json_place_of(const char *json, size_t json_bytes, size_t offset)
{
    struct deed__json_place place = {1, 1};
    for (size_t i = 0; i < offset && i < json_bytes; i++) {
        if (json[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)json[i] & 0xC0) != 0x80) { /* not a continuation byte */
            place.column++;
        }
    }
    return place;
}

static deed_rc refuse_at(const struct scan *scan, size_t offset, const char *what)
{
    struct deed__json_place place = deed__json_place_of(scan->json, scan->bytes, offset);
    return deed_error_set(scan->err, DEED_E_INVALID, "core", "line %zu, column %zu: %s", place.line,
        place.column, what);
}

/* The value of four hex digits at `at`, or -1. */
static int32_t hex_unit(const struct scan *scan, size_t at)
{
    int32_t unit = 0;
    if (at + 4 > scan->bytes) {
        return -1;
    }
    for (size_t i = at; i < at + 4; i++) {
        char c = scan->json[i];
        int32_t digit = 0;
        if (c >= '0' && c <= '9') {
            digit = c - '0';
        } else if (c >= 'a' && c <= 'f') {
            digit = c - 'a' + 10;
        } else if (c >= 'A' && c <= 'F') {
            digit = c - 'A' + 10;
        } else {
            return -1;
        }
        unit = unit * 16 + digit;
    }
    return unit;
}

/* At the `u` of an escape; `start` is its backslash. */
static deed_rc scan_unicode_escape(struct scan *scan, size_t start)
{
    int32_t unit = hex_unit(scan, scan->at + 1);
    if (unit < 0) {
        return refuse_at(scan, start, "\\u needs four hex digits");
    }
    scan->at += 5;
    if (unit < 0xD800 || unit > 0xDFFF) {
        return DEED_OK;
    }
    int32_t low = -1;
    if (unit <= 0xDBFF && scan->bytes - scan->at >= 6 && scan->json[scan->at] == '\\' &&
        scan->json[scan->at + 1] == 'u') {
        low = hex_unit(scan, scan->at + 2);
    }
    if (low < 0xDC00 || low > 0xDFFF) {
        return refuse_at(scan, start,
            "half of a surrogate pair stands alone: write both halves, or the character itself");
    }
    scan->at += 6;
    return DEED_OK;
}

/* At a backslash. */
static deed_rc scan_escape(struct scan *scan)
{
    size_t start = scan->at;
    scan->at++;
    if (scan->at == scan->bytes) {
        return DEED_OK; /* an end in the middle is the parser's to report */
    }
    char letter = scan->json[scan->at];
    if (letter == 'u') {
        return scan_unicode_escape(scan, start);
    }
    if (letter == '\0' || strchr("\"\\/bfnrt", letter) == NULL) {
        return refuse_at(
            scan, start, "JSON has no such escape; a backslash itself is written \\\\");
    }
    scan->at++;
    return DEED_OK;
}

/* At an opening quote; ends behind the closing one. */
static deed_rc scan_string(struct scan *scan)
{
    scan->at++;
    while (scan->at < scan->bytes) {
        unsigned char c = (unsigned char)scan->json[scan->at];
        if (c == '"') {
            scan->at++;
            return DEED_OK;
        }
        if (c < 0x20) {
            return refuse_at(scan, scan->at,
                "a control character stands raw in a string: write it as an escape, \\n or "
                "\\u0000");
        }
        if (c != '\\') {
            scan->at++;
            continue;
        }
        deed_rc rc = scan_escape(scan);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return DEED_OK;
}

/* At anything that is not in a string; ends behind it. */
static deed_rc scan_outside(struct scan *scan)
{
    char c = scan->json[scan->at];
    if (c == '\0') { /* to jansson this looks like the end */
        return refuse_at(scan, scan->at, "a NUL byte stands outside of any string");
    }
    if (c == '{' || c == '[') {
        scan->depth++;
    } else if ((c == '}' || c == ']') && scan->depth > 0) {
        scan->depth--;
    }
    if (scan->depth > DEED__JSON_DEPTH_MAX) {
        return refuse_at(scan, scan->at, "nested deeper than 16 levels");
    }
    scan->at++;
    return DEED_OK;
}

static deed_rc scan_all(struct scan *scan)
{
    deed_rc rc = DEED_OK;
    while (rc == DEED_OK && scan->at < scan->bytes) {
        rc = scan->json[scan->at] == '"' ? scan_string(scan) : scan_outside(scan);
    }
    return rc;
}

deed_rc deed__json_text_check(const char *json, size_t json_bytes, struct deed_error *err)
{
    struct scan scan = {.json = json, .bytes = json_bytes, .err = err};
    size_t first = 0;
    while (first < json_bytes && json[first] != '\0' && strchr(" \t\r\n", json[first]) != NULL) {
        first++;
    }
    if (first == json_bytes) {
        return deed_error_set(err, DEED_E_INVALID, "core", "the text is empty");
    }
    if (json_bytes >= 3 && memcmp(json, "\xEF\xBB\xBF", 3) == 0) {
        return refuse_at(&scan, 0, "a byte order mark: save the text as UTF-8 without one");
    }
    size_t valid_bytes = 0;
    (void)deed__utf8_count(json, json_bytes, &valid_bytes);
    if (valid_bytes != json_bytes) {
        return refuse_at(&scan, valid_bytes, "the text is not valid UTF-8 from here on");
    }
    return scan_all(&scan);
}

bool deed__json_string_before(const char *json, size_t end, size_t *start_out, size_t *bytes_out)
{
    if (end < 2 || json[end - 1] != '"') {
        return false;
    }
    for (size_t start = end - 1; start > 0; start--) {
        size_t backslashes = 0;
        if (json[start - 1] != '"') {
            continue;
        }
        while (backslashes < start - 1 && json[start - 2 - backslashes] == '\\') {
            backslashes++;
        }
        if (backslashes % 2 == 0) { /* an odd number makes it a quote inside the string */
            *start_out = start - 1;
            *bytes_out = end - (start - 1);
            return true;
        }
    }
    return false;
}
