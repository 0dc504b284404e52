/* SPDX-License-Identifier: MIT
 *
 * A line of a world as JSON, and back. Only worlds that have a file need it.
 */
#include "world_impl.h"

#include <string.h>

/* ---- writing ----------------------------------------------------------------------------- */

static json_t *waiting_json(const struct deed_mock__waiting *waiting)
{
    if (waiting->copies == 0) {
        return NULL;
    }
    json_t *due_ms = waiting->landing.due_ms != DEED_FOREVER
        ? json_integer((json_int_t)waiting->landing.due_ms)
        : NULL;
    json_t *due_looks = waiting->landing.due_looks != UINT64_MAX
        ? json_integer((json_int_t)waiting->landing.due_looks)
        : NULL;
    return json_pack("{s:I, s:b, s:b, s:b, s:b, s:I, s:b, s:o*, s:o*}", "copies",
        (json_int_t)waiting->copies, "accepted", (int)waiting->accepted, "rejects",
        (int)waiting->rejects, "never", (int)waiting->never, "keyed", (int)waiting->keyed,
        "window_ms", (json_int_t)waiting->window_ms, "ignores_close", (int)waiting->ignores_close,
        "due_ms", due_ms, "due_looks", due_looks);
}

static json_t *keeps_json(const struct deed_mock__keeping *keeps)
{
    if (!keeps->given) {
        return NULL;
    }
    json_t *verdict = keeps->is_error ? json_string(deed_verdict_name(keeps->verdict)) : NULL;
    return json_pack("{s:I, s:o*}", "window_ms", (json_int_t)keeps->window_ms, "verdict", verdict);
}

static json_t *request_json(const struct deed_mock__line *line)
{
    return json_pack("{s:s, s:I, s:I, s:s, s:s, s:s, s:s, s:I, s:s, s:I, s:s, s:s, s:I, s:I, s:I,"
                     " s:o*, s:o*}",
        "what", "request", "at_ms", (json_int_t)line->at_ms, "request", (json_int_t)line->request,
        "key", line->key, "provider_key", line->place.provider_key, "account", line->place.account,
        "endpoint", line->place.endpoint, "attempt", (json_int_t)line->attempt, "digest",
        line->digest, "bytes", (json_int_t)line->bytes_count, "step", line->step, "fate",
        deed_world_fate_name(line->fate), "effects", (json_int_t)line->effects, "absorbed",
        (json_int_t)line->absorbed, "copies", (json_int_t)line->copies, "waiting",
        waiting_json(&line->waiting), "keeps", keeps_json(&line->keeps));
}

static json_t *land_json(const struct deed_mock__line *line)
{
    return json_pack("{s:s, s:I, s:I, s:s, s:I, s:I, s:o*}", "what", "land", "at_ms",
        (json_int_t)line->at_ms, "request", (json_int_t)line->request, "fate",
        deed_world_fate_name(line->fate), "effects", (json_int_t)line->effects, "absorbed",
        (json_int_t)line->absorbed, "keeps", keeps_json(&line->keeps));
}

static json_t *question_json(const char *what, const struct deed_mock__line *line)
{
    json_t *stale = line->is_stale ? json_true() : NULL;
    json_t *closed = line->closes ? json_true() : NULL;
    return json_pack("{s:s, s:I, s:s, s:s, s:s, s:s, s:s, s:o*, s:o*}", "what", what, "at_ms",
        (json_int_t)line->at_ms, "key", line->key, "provider_key", line->place.provider_key,
        "account", line->place.account, "endpoint", line->place.endpoint, "saw", line->saw, "stale",
        stale, "closed", closed);
}

/* In the order of enum deed_mock__happening. */
static const char *const happening_words[] = {NULL, "request", "land", "look", "poll", "cancel"};

json_t *deed_world__line_write(const struct deed_mock__line *line)
{
    switch (line->what) {
    case DEED_MOCK__REQUEST:
        return request_json(line);
    case DEED_MOCK__LAND:
        return land_json(line);
    case DEED_MOCK__LOOK:
    case DEED_MOCK__POLL:
    case DEED_MOCK__CANCEL:
        break;
    }
    return question_json(happening_words[line->what], line);
}

/* ---- reading ----------------------------------------------------------------------------- */

static const char *text_of(const json_t *line, const char *member)
{
    const char *text = json_string_value(json_object_get(line, member));
    return text != NULL ? text : "";
}

static int64_t number_of(const json_t *line, const char *member)
{
    return (int64_t)json_integer_value(json_object_get(line, member));
}

static uint64_t count_of(const json_t *line, const char *member)
{
    int64_t number = number_of(line, member);
    return number > 0 ? (uint64_t)number : 0;
}

static bool flag_of(const json_t *line, const char *member)
{
    return json_is_true(json_object_get(line, member));
}

static deed_world_fate fate_of(const json_t *line)
{
    const char *text = text_of(line, "fate");
    for (deed_world_fate fate = DEED_WORLD_LANDED; deed_world_fate_name(fate) != NULL; fate++) {
        if (strcmp(text, deed_world_fate_name(fate)) == 0) {
            return fate;
        }
    }
    return (deed_world_fate)0;
}

static struct deed_mock__waiting waiting_of(const json_t *waiting)
{
    const json_t *due_ms = json_object_get(waiting, "due_ms");
    const json_t *due_looks = json_object_get(waiting, "due_looks");
    return (struct deed_mock__waiting){
        .copies = count_of(waiting, "copies"),
        .accepted = flag_of(waiting, "accepted"),
        .rejects = flag_of(waiting, "rejects"),
        .never = flag_of(waiting, "never"),
        .keyed = flag_of(waiting, "keyed"),
        .window_ms = number_of(waiting, "window_ms"),
        .ignores_close = flag_of(waiting, "ignores_close"),
        .landing.due_ms = due_ms != NULL ? (int64_t)json_integer_value(due_ms) : DEED_FOREVER,
        .landing.due_looks =
            due_looks != NULL ? (uint64_t)json_integer_value(due_looks) : UINT64_MAX,
    };
}

static deed_verdict verdict_of(const json_t *keeps)
{
    const char *text = text_of(keeps, "verdict");
    if (strcmp(text, "rejected") == 0) {
        return DEED_VERDICT_REJECTED;
    }
    return strcmp(text, "not_applied") == 0 ? DEED_VERDICT_NOT_APPLIED : DEED_VERDICT_UNKNOWN;
}

static struct deed_mock__keeping keeps_of(const json_t *keeps)
{
    if (keeps == NULL) {
        return (struct deed_mock__keeping){.given = false};
    }
    return (struct deed_mock__keeping){
        .given = true,
        .window_ms = number_of(keeps, "window_ms"),
        .is_error = json_object_get(keeps, "verdict") != NULL,
        .verdict = verdict_of(keeps),
    };
}

static enum deed_mock__happening what_of(const json_t *line)
{
    const char *text = text_of(line, "what");
    for (size_t i = 1; i < sizeof(happening_words) / sizeof(happening_words[0]); i++) {
        if (strcmp(text, happening_words[i]) == 0) {
            return (enum deed_mock__happening)i;
        }
    }
    return (enum deed_mock__happening)0;
}

struct deed_mock__line deed_world__line_read(const json_t *json)
{
    return (struct deed_mock__line){
        .what = what_of(json),
        .at_ms = number_of(json, "at_ms"),
        .request = count_of(json, "request"),
        .key = text_of(json, "key"),
        .place = {text_of(json, "endpoint"), text_of(json, "account"),
            text_of(json, "provider_key")},
        .attempt = (uint32_t)count_of(json, "attempt"),
        .digest = text_of(json, "digest"),
        .bytes_count = count_of(json, "bytes"),
        .step = text_of(json, "step"),
        .fate = fate_of(json),
        .effects = count_of(json, "effects"),
        .absorbed = count_of(json, "absorbed"),
        .copies = count_of(json, "copies"),
        .waiting = waiting_of(json_object_get(json, "waiting")),
        .keeps = keeps_of(json_object_get(json, "keeps")),
        .saw = text_of(json, "saw"),
        .is_stale = flag_of(json, "stale"),
        .closes = flag_of(json, "closed"),
    };
}
