/* SPDX-License-Identifier: MIT
 *
 * Reading the heads of messages, line by line, without ever passing the bytes that were given.
 */
#include "http/http_message.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HEADERS_MAX 100

/* Some bytes of a head; no NUL behind them. */
struct span {
    const char *at;
    size_t bytes;
};

static bool span_is(struct span span, const char *text)
{
    return strlen(text) == span.bytes && memcmp(span.at, text, span.bytes) == 0;
}

/* Names of headers, and their words, in any case of letters. */
static bool span_is_word(struct span span, const char *word)
{
    return strlen(word) == span.bytes && strncasecmp(span.at, word, span.bytes) == 0;
}

/* The next line up to CR LF, which is passed. False: there is no whole line. */
static bool next_line(struct span *rest, struct span *line_out)
{
    const char *end = memmem(rest->at, rest->bytes, "\r\n", 2);
    if (end == NULL) {
        return false;
    }
    *line_out = (struct span){rest->at, (size_t)(end - rest->at)};
    rest->at += line_out->bytes + 2;
    rest->bytes -= line_out->bytes + 2;
    return true;
}

/* Up to the first `mark`, which is passed. False: it is not there. */
static bool cut_at(struct span *rest, char mark, struct span *part_out)
{
    const char *end = rest->bytes > 0 ? memchr(rest->at, mark, rest->bytes) : NULL;
    if (end == NULL) {
        return false;
    }
    *part_out = (struct span){rest->at, (size_t)(end - rest->at)};
    rest->at += part_out->bytes + 1;
    rest->bytes -= part_out->bytes + 1;
    return true;
}

static struct span trimmed(struct span span)
{
    while (span.bytes > 0 && (span.at[0] == ' ' || span.at[0] == '\t')) {
        span.at++;
        span.bytes--;
    }
    while (span.bytes > 0 && (span.at[span.bytes - 1] == ' ' || span.at[span.bytes - 1] == '\t')) {
        span.bytes--;
    }
    return span;
}

static bool is_printable(struct span span)
{
    for (size_t i = 0; i < span.bytes; i++) {
        if (span.at[i] <= ' ' || span.at[i] > '~') {
            return false;
        }
    }
    return span.bytes > 0;
}

/* Digits only, as the standard says: no sign, no blank, nothing that wraps. */
static bool read_number(struct span span, uint64_t *number_out)
{
    uint64_t number = 0;
    if (span.bytes == 0 || span.bytes > 12) {
        return false;
    }
    for (size_t i = 0; i < span.bytes; i++) {
        if (span.at[i] < '0' || span.at[i] > '9') {
            return false;
        }
        number = number * 10 + (uint64_t)(span.at[i] - '0');
    }
    *number_out = number;
    return true;
}

/* ---- headers ----------------------------------------------------------------------------- */

static bool is_name(struct span span)
{
    for (size_t i = 0; i < span.bytes; i++) {
        const char c = span.at[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_letter && (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL)) {
            return false;
        }
    }
    return span.bytes > 0;
}

static bool is_value(struct span span)
{
    for (size_t i = 0; i < span.bytes; i++) {
        unsigned char c = (unsigned char)span.at[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

/* One header; false: the lines are no headers. */
static bool read_header(struct span line, struct span *name_out, struct span *value_out)
{
    struct span rest = line;
    if (!cut_at(&rest, ':', name_out) || !is_name(*name_out)) {
        return false;
    }
    *value_out = trimmed(rest);
    return is_value(*value_out);
}

/* The bytes of a head with the empty line at its end; 0: it is not there yet. */
static size_t head_size(const char *bytes, size_t bytes_count)
{
    size_t looked =
        bytes_count < DEED__HTTP_HEAD_BYTES_MAX ? bytes_count : DEED__HTTP_HEAD_BYTES_MAX;
    const char *end = looked > 0 ? memmem(bytes, looked, "\r\n\r\n", 4) : NULL;
    return end == NULL ? 0 : (size_t)(end - bytes) + 4;
}

/* ---- requests ---------------------------------------------------------------------------- */

static enum deed__http_progress refuse(
    struct deed__http_refusal *refusal_out, int status, const char *text)
{
    *refusal_out = (struct deed__http_refusal){status, text};
    return DEED__HTTP_WRONG;
}

static enum deed__http_method method_of(struct span word)
{
    if (span_is(word, "GET")) {
        return DEED__HTTP_GET;
    }
    if (span_is(word, "POST")) {
        return DEED__HTTP_POST;
    }
    return span_is(word, "DELETE") ? DEED__HTTP_DELETE : DEED__HTTP_OTHER;
}

static void copy(char *out, struct span span)
{
    memcpy(out, span.at, span.bytes);
    out[span.bytes] = '\0';
}

static enum deed__http_progress read_request_line(
    struct span line, struct deed__http_request *request, struct deed__http_refusal *refusal)
{
    struct span method;
    struct span target;
    struct span path;
    if (!cut_at(&line, ' ', &method) || !cut_at(&line, ' ', &target) || !is_name(method)) {
        return refuse(refusal, 400, "this is no request of HTTP/1.1");
    }
    if (!span_is(line, "HTTP/1.1") && !span_is(line, "HTTP/1.0")) {
        return refuse(refusal, 505, "only HTTP/1.1 is spoken here");
    }
    if (target.bytes > DEED__HTTP_PATH_BYTES_MAX) {
        return refuse(refusal, 414, "the path is too long");
    }
    if (!is_printable(target) || target.at[0] != '/') {
        return refuse(refusal, 400, "the target must be a path, in printable ASCII");
    }
    request->method = method_of(method);
    if (cut_at(&target, '?', &path)) {
        copy(request->query, target);
    } else {
        path = target;
    }
    copy(request->path, path);
    return DEED__HTTP_WHOLE;
}

/* Raw, as most providers have it, or a quoted string, as the draft of the IETF does. */
static enum deed__http_progress read_key(
    struct span value, struct deed__http_request *request, struct deed__http_refusal *refusal)
{
    if (request->key[0] != '\0') {
        return refuse(refusal, 400, "there are two headers Idempotency-Key");
    }
    if (value.bytes >= 2 && value.at[0] == '"' && value.at[value.bytes - 1] == '"') {
        value = (struct span){value.at + 1, value.bytes - 2};
    }
    if (value.bytes > DEED__HTTP_KEY_BYTES_MAX || !is_printable(value)) {
        return refuse(refusal, 400,
            "Idempotency-Key must be 1 to 255 printable ASCII characters without blanks");
    }
    copy(request->key, value);
    return DEED__HTTP_WHOLE;
}

static enum deed__http_progress read_length(struct span value, bool *seen,
    struct deed__http_request *request, struct deed__http_refusal *refusal)
{
    uint64_t length = 0;
    if (*seen || !read_number(value, &length)) {
        return refuse(refusal, 400, "Content-Length must be one whole number");
    }
    if (length > DEED__HTTP_BODY_BYTES_MAX) {
        return refuse(refusal, 413, "the body is larger than one mebibyte");
    }
    *seen = true;
    request->body_bytes = (size_t)length;
    return DEED__HTTP_WHOLE;
}

static enum deed__http_progress read_headers(
    struct span lines, struct deed__http_request *request, struct deed__http_refusal *refusal)
{
    enum deed__http_progress progress = DEED__HTTP_WHOLE;
    bool length_seen = false;
    struct span line;
    size_t count = 0;
    while (progress == DEED__HTTP_WHOLE && next_line(&lines, &line) && line.bytes > 0) {
        struct span name;
        struct span value;
        if (++count > HEADERS_MAX) {
            return refuse(refusal, 431, "there are more than 100 headers");
        }
        if (!read_header(line, &name, &value)) {
            return refuse(refusal, 400, "this is no header");
        }
        if (span_is_word(name, "Content-Length")) {
            progress = read_length(value, &length_seen, request, refusal);
        } else if (span_is_word(name, "Transfer-Encoding")) {
            progress = refuse(refusal, 411, "a body needs a Content-Length here");
        } else if (span_is_word(name, "Idempotency-Key")) {
            progress = read_key(value, request, refusal);
        } else if (span_is_word(name, "Expect")) {
            request->expects_continue = span_is_word(value, "100-continue");
        }
    }
    return progress;
}

enum deed__http_progress deed__http_request_read(const char *bytes, size_t bytes_count,
    struct deed__http_request *request_out, struct deed__http_refusal *refusal_out)
{
    struct span rest;
    struct span line;
    *request_out = (struct deed__http_request){.method = DEED__HTTP_OTHER};
    *refusal_out = (struct deed__http_refusal){.status = 0};
    request_out->head_bytes = head_size(bytes, bytes_count);
    if (request_out->head_bytes == 0) {
        return bytes_count < DEED__HTTP_HEAD_BYTES_MAX
            ? DEED__HTTP_MORE
            : refuse(refusal_out, 431, "the headers are longer than 16 KiB");
    }
    rest = (struct span){bytes, request_out->head_bytes};
    if (!next_line(&rest, &line)) {
        return refuse(refusal_out, 400, "this is no request of HTTP/1.1");
    }
    enum deed__http_progress progress = read_request_line(line, request_out, refusal_out);
    return progress == DEED__HTTP_WHOLE ? read_headers(rest, request_out, refusal_out) : progress;
}

/* ---- answers ----------------------------------------------------------------------------- */

/* "HTTP/1.1 201 Created" */
static bool read_status_line(struct span line, int *status_out)
{
    struct span version;
    uint64_t status = 0;
    if (!cut_at(&line, ' ', &version) ||
        (!span_is(version, "HTTP/1.1") && !span_is(version, "HTTP/1.0"))) {
        return false;
    }
    struct span number = {line.at, line.bytes < 3 ? line.bytes : 3};
    if (number.bytes < 3 || (line.bytes > 3 && line.at[3] != ' ') ||
        !read_number(number, &status)) {
        return false;
    }
    *status_out = (int)status;
    return status >= 100;
}

static bool read_answer_header(
    struct span name, struct span value, bool *length_seen, struct deed__http_answer_head *head)
{
    uint64_t number = 0;
    if (span_is_word(name, "Content-Length")) {
        if (*length_seen || !read_number(value, &number)) {
            return false;
        }
        *length_seen = true;
        head->body_bytes = (size_t)number;
    } else if (span_is_word(name, "Idempotency-Replayed")) {
        head->replayed = span_is_word(value, "true");
    } else if (span_is_word(name, "Retry-After") && read_number(value, &number)) {
        head->retry_after = (int64_t)number;
    }
    return true;
}

enum deed__http_progress deed__http_answer_read(
    const char *bytes, size_t bytes_count, struct deed__http_answer_head *head_out)
{
    struct span line;
    bool length_seen = false;
    *head_out = (struct deed__http_answer_head){.head_bytes = head_size(bytes, bytes_count)};
    if (head_out->head_bytes == 0) {
        return bytes_count < DEED__HTTP_HEAD_BYTES_MAX ? DEED__HTTP_MORE : DEED__HTTP_WRONG;
    }
    struct span rest = {bytes, head_out->head_bytes};
    if (!next_line(&rest, &line) || !read_status_line(line, &head_out->status)) {
        return DEED__HTTP_WRONG;
    }
    while (next_line(&rest, &line) && line.bytes > 0) {
        struct span name;
        struct span value;
        if (!read_header(line, &name, &value) ||
            !read_answer_header(name, value, &length_seen, head_out)) {
            return DEED__HTTP_WRONG;
        }
    }
    return length_seen ? DEED__HTTP_WHOLE : DEED__HTTP_WRONG;
}

bool deed__http_is_name(const char *text)
{
    size_t bytes =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~:@-");
    return bytes > 0 && bytes <= DEED__HTTP_NAME_BYTES_MAX && text[bytes] == '\0';
}

const char *deed__http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {{200, "OK"}, {201, "Created"}, {202, "Accepted"}, {206, "Partial Content"},
        {400, "Bad Request"}, {402, "Payment Required"}, {404, "Not Found"},
        {405, "Method Not Allowed"}, {408, "Request Timeout"}, {409, "Conflict"}, {410, "Gone"},
        {411, "Length Required"}, {413, "Content Too Large"}, {414, "URI Too Long"},
        {422, "Unprocessable Content"}, {424, "Failed Dependency"}, {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"}, {500, "Internal Server Error"},
        {503, "Service Unavailable"}, {505, "HTTP Version Not Supported"}};
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (reasons[i].status == status) {
            return reasons[i].reason;
        }
    }
    return "Unknown";
}
