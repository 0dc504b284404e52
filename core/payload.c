/* SPDX-License-Identifier: MIT
 *
 * payload.c - a payload from JSON: exactly kind, target and body, three bounded strings.
 *
 * What two parsers could read in two ways is refused, so that the digest, the policy and the bytes
 * that go out never see different values. Errors name the member and the place, never the text.
 */
#include <deed/payload.h>

#include "canonical.h"
#include "json_text.h"
#include "utf8.h"

#include <deed/ext/error.h>

#include <jansson.h>
#include <string.h>

/* The texts stay where jansson put them; the view points there. */
struct deed_payload_buffer {
    struct deed_payload view;
    json_t *root;
};

/* One row a member, so that parsing and checking treat the three alike. */
static const struct member {
    const char *name;
    size_t offset;
} members[] = {
    {"kind", offsetof(struct deed_payload, kind)},
    {"target", offsetof(struct deed_payload, target)},
    {"body", offsetof(struct deed_payload, body)},
};
#define MEMBER_COUNT (sizeof(members) / sizeof(members[0]))

static const struct deed_text *member_text(const struct deed_payload *payload, size_t i)
{
    return (const struct deed_text *)(const void *)((const char *)payload + members[i].offset);
}

static void member_set(struct deed_payload *payload, size_t i, const json_t *string)
{
    struct deed_text *text = (struct deed_text *)(void *)((char *)payload + members[i].offset);
    text->data = json_string_value(string);
    text->bytes = json_string_length(string);
}

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        return "null";
    }
    return "of no type";
}

static deed_rc refuse_duplicate(
    const char *json, size_t json_bytes, size_t end, struct deed_error *err)
{
    char quoted[DEED__QUOTED_BYTES] = "";
    size_t start = end;
    size_t bytes = 0;
    if (deed__json_string_before(json, end, &start, &bytes)) {
        /* Decoded, because "\u006bind" is the name "kind" too. */
        json_t *name = json_loadb(json + start, bytes, JSON_DECODE_ANY, NULL);
        if (name != NULL) {
            deed__canonical_quote(json_string_value(name), json_string_length(name), quoted);
        }
        json_decref(name);
    }
    struct deed__json_place place = deed__json_place_of(json, json_bytes, start);
    return deed_error_set(err, DEED_E_INVALID, "core",
        "line %zu, column %zu: the member %s was there before; give each member once", place.line,
        place.column, quoted);
}

/* jansson calls a string a bad token when there was no memory to keep it. Every string passed
 * deed__json_text_check, so a string that is a bad token can mean nothing else. */
static bool is_memory_failure(const char *json, size_t end, const json_error_t *error)
{
    static const char bad_value[] = "invalid token";
    static const char bad_name[] = "string or '}' expected";
    enum json_error_code code = json_error_code(error);

    if (code == json_error_out_of_memory || code == json_error_unknown) {
        return true;
    }
    return code == json_error_invalid_syntax && end > 0 && json[end - 1] == '"' &&
        (strncmp(error->text, bad_value, sizeof(bad_value) - 1) == 0 ||
            strncmp(error->text, bad_name, sizeof(bad_name) - 1) == 0);
}

/* jansson's own text is left out: it quotes what stands at the place. */
static deed_rc refuse_syntax(
    const char *json, size_t json_bytes, const json_error_t *error, struct deed_error *err)
{
    size_t end = error->position > 0 ? (size_t)error->position : 0;
    const char *what = "this is not valid JSON";
    enum json_error_code code = json_error_code(error);

    if (is_memory_failure(json, end, error)) {
        return deed_error_set(err, DEED_E_NOMEM, "core", "out of memory");
    }
    if (code == json_error_duplicate_key) {
        return refuse_duplicate(json, json_bytes, end, err);
    }
    if (code == json_error_premature_end_of_input) {
        what = "the text ends here, before the object does";
    } else if (code == json_error_end_of_input_expected) {
        what = "something follows after the object; give one payload at a time";
    } else if (code == json_error_null_byte_in_key) {
        what = "a member's name holds a NUL; the names are kind, target and body";
    } else if (code == json_error_numeric_overflow) {
        what = "a number no machine can hold; a payload has strings only";
    }
    struct deed__json_place place = deed__json_place_of(json, json_bytes, end > 0 ? end - 1 : 0);
    return deed_error_set(
        err, DEED_E_INVALID, "core", "line %zu, column %zu: %s", place.line, place.column, what);
}

static bool is_member_name(const char *name, size_t name_bytes)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        if (strlen(members[i].name) == name_bytes &&
            memcmp(members[i].name, name, name_bytes) == 0) {
            return true;
        }
    }
    return false;
}

static deed_rc refuse_strangers(json_t *root, struct deed_error *err)
{
    for (void *at = json_object_iter(root); at != NULL; at = json_object_iter_next(root, at)) {
        const char *name = json_object_iter_key(at);
        size_t name_bytes = json_object_iter_key_len(at);
        if (!is_member_name(name, name_bytes)) {
            char quoted[DEED__QUOTED_BYTES];
            deed__canonical_quote(name, name_bytes, quoted);
            return deed_error_set(err, DEED_E_INVALID, "core",
                "the member %s is unknown; a payload has exactly kind, target and body", quoted);
        }
    }
    return DEED_OK;
}

static deed_rc view_members(json_t *root, struct deed_payload *view_out, struct deed_error *err)
{
    struct deed_payload view = {0};
    if (!json_is_object(root)) {
        return deed_error_set(err, DEED_E_INVALID, "core",
            "it is %s; give an object with the strings kind, target and body", type_name(root));
    }
    deed_rc rc = refuse_strangers(root, err);
    if (rc != DEED_OK) {
        return rc;
    }
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        const json_t *value = json_object_get(root, members[i].name);
        if (value == NULL) {
            return deed_error_set(err, DEED_E_INVALID, "core",
                "the member \"%s\" is missing; an empty string is allowed", members[i].name);
        }
        if (!json_is_string(value)) {
            return deed_error_set(err, DEED_E_INVALID, "core",
                "the member \"%s\" is %s; it must be a string", members[i].name, type_name(value));
        }
        member_set(&view, i, value);
    }
    *view_out = view;
    return DEED_OK;
}

static deed_rc check_text(const char *name, const struct deed_text *text, struct deed_error *err)
{
    if (text->data == NULL) {
        return deed_error_set(err, DEED_E_INVALID, "core",
            "the member \"%s\" is missing; an empty string is allowed", name);
    }
    size_t valid_bytes = 0;
    size_t code_points = deed__utf8_count(text->data, text->bytes, &valid_bytes);
    if (valid_bytes != text->bytes) {
        return deed_error_set(err, DEED_E_INVALID, "core",
            "the member \"%s\" is not valid UTF-8 from byte %zu on", name, valid_bytes + 1);
    }
    if (code_points > DEED_TEXT_CODE_POINTS_MAX) {
        return deed_error_set(err, DEED_E_INVALID, "core",
            "the member \"%s\" has %zu characters, at most %d are allowed; shorten it, or let it "
            "name where the text is kept",
            name, code_points, DEED_TEXT_CODE_POINTS_MAX);
    }
    return DEED_OK;
}

/* deed_payload_check without the context. */
static deed_rc check_members(const struct deed_payload *payload, struct deed_error *err)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        deed_rc rc = check_text(members[i].name, member_text(payload, i), err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return DEED_OK;
}

static deed_rc in_payload(deed_rc rc, struct deed_error *err)
{
    if (rc != DEED_OK) {
        deed_error_context(err, "payload");
    }
    return rc;
}

deed_rc deed_payload_check(const struct deed_payload *payload, struct deed_error *err)
{
    if (payload == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core", "payload: NULL is none");
    }
    return in_payload(check_members(payload, err), err);
}

/* No ledger is here whose allocator could serve, so the buffer comes from where jansson takes the
 * texts: one source, which a host can replace with json_set_alloc_funcs. */
static deed_rc buffer_new(json_t *root, const struct deed_payload *view,
    deed_payload_buffer **buffer_out, struct deed_error *err)
{
    json_malloc_t allocate = NULL;
    json_get_alloc_funcs(&allocate, NULL);
    deed_payload_buffer *buffer = allocate(sizeof(*buffer));
    if (buffer == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, "core", "out of memory");
    }
    *buffer = (deed_payload_buffer){.view = *view, .root = root};
    *buffer_out = buffer;
    return DEED_OK;
}

deed_rc deed_payload_parse(
    const char *json, size_t json_bytes, deed_payload_buffer **buffer_out, struct deed_error *err)
{
    json_t *root = NULL;
    json_error_t error = {0}; /* jansson leaves the code as it is where it says nothing */
    struct deed_payload view = {0};

    if (buffer_out == NULL || (json == NULL && json_bytes > 0)) {
        return deed_error_set(err, DEED_E_MISUSE, "core", "payload: NULL for a text or a result");
    }
    const char *text = json == NULL ? "" : json;
    deed_rc rc = deed__json_text_check(text, json_bytes, err);
    if (rc != DEED_OK) {
        goto done;
    }
    root = json_loadb(
        text, json_bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
    if (root == NULL) {
        rc = refuse_syntax(text, json_bytes, &error, err);
        goto done;
    }
    rc = view_members(root, &view, err);
    if (rc != DEED_OK) {
        goto done;
    }
    rc = check_members(&view, err);
    if (rc != DEED_OK) {
        goto done;
    }
    rc = buffer_new(root, &view, buffer_out, err);
done:
    if (rc != DEED_OK) {
        json_decref(root);
    }
    return in_payload(rc, err);
}

const struct deed_payload *deed_payload_view(const deed_payload_buffer *buffer)
{
    return buffer == NULL ? NULL : &buffer->view;
}

void deed_payload_free(deed_payload_buffer *buffer)
{
    if (buffer != NULL) {
        json_free_t release = NULL;
        json_get_alloc_funcs(NULL, &release);
        json_decref(buffer->root);
        release(buffer);
    }
}
