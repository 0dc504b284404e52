/* SPDX-License-Identifier: MIT
 *
 * The bytes of an answer, and where they break off. Without memory nothing is said, and the
 * connection is closed: for a client that is an answer that was lost.
 */
#include "http/http_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void deed__http_answer_finish(struct deed__http_answer *answer)
{
    free(answer->bytes);
    *answer = (struct deed__http_answer){.bytes = NULL};
}

static void say(struct deed__http_answer *answer, int status, const char *type, const char *header,
    const char *body)
{
    char *bytes = NULL;
    int bytes_count = asprintf(&bytes,
        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
        "Connection: close\r\n%s\r\n%s",
        status, deed__http_reason(status), type, strlen(body), header, body);
    if (bytes_count < 0) {
        return;
    }
    free(answer->bytes);
    answer->bytes = bytes;
    answer->bytes_count = (size_t)bytes_count;
    answer->head_bytes = answer->bytes_count - strlen(body);
    answer->send_count = answer->bytes_count;
}

void deed__http_say_text(
    struct deed__http_answer *answer, int status, const char *header, const char *text)
{
    say(answer, status, "text/html", header, text);
}

void deed__http_say(struct deed__http_answer *answer, int status, const char *header, json_t *body)
{
    char *line = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
    char *text = NULL;
    if (line != NULL && asprintf(&text, "%s\n", line) >= 0) { /* kind to terminals */
        say(answer, status, "application/json", header, text);
        free(text);
    }
    free(line);
    json_decref(body);
}

void deed__http_say_wrong(struct deed__http_answer *answer, int status, const char *text)
{
    deed__http_say(answer, status, "", json_pack("{s:s}", "error", text));
}

void deed__http_cut(struct deed__http_answer *answer, enum deed_mock__cut cut)
{
    size_t body_bytes = answer->bytes_count - answer->head_bytes;
    switch (cut) {
    case DEED_MOCK__CUT_NOWHERE:
        return;
    case DEED_MOCK__CUT_RESET:
        answer->resets = true;
        answer->send_count = 0;
        return;
    case DEED_MOCK__CUT_DROP:
        answer->send_count = 0;
        return;
    case DEED_MOCK__CUT_HEADER: /* the status is there, and the length of the body is not */
        answer->send_count = answer->head_bytes / 2;
        return;
    case DEED_MOCK__CUT_BODY:
        answer->send_count = answer->head_bytes + body_bytes / 2;
        return;
    }
}
