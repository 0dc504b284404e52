/* SPDX-License-Identifier: MIT
 *
 * schema.c - a small JSON Schema checker (draft 2020-12) for our own schemas.
 *
 * Method: one function for each keyword, called in turn with the keyword's own value. Paths in
 * reasons are built on the way back out.
 */
#include "schema.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

struct check {
    const json_t *root;
    char *why;
    size_t why_bytes;
};

/* What one keyword is checked with. */
struct place {
    const json_t *schema;
    const json_t *keyword;
    const json_t *value;
};

static bool meets(struct check *check, const json_t *schema, const json_t *value);

static bool no(struct check *check, const char *reason, const char *what)
{
    (void)snprintf(check->why, check->why_bytes, "%s%s", reason, what);
    return false;
}

static bool in_member(struct check *check, const char *name)
{
    char inner[400];
    (void)snprintf(inner, sizeof inner, "%s", check->why);
    (void)snprintf(check->why, check->why_bytes, "%s: %s", name, inner);
    return false;
}

static const json_t *resolve(struct check *check, const char *reference)
{
    static const char prefix[] = "#/$defs/";
    if (strncmp(reference, prefix, sizeof prefix - 1) != 0) {
        return NULL;
    }
    return json_object_get(json_object_get(check->root, "$defs"), reference + sizeof prefix - 1);
}

static bool check_ref(struct check *check, const struct place *place)
{
    const char *reference = json_string_value(place->keyword);
    const json_t *target = resolve(check, reference);
    return target ? meets(check, target, place->value) : no(check, "no such $ref: ", reference);
}

static bool is_type(const json_t *value, const char *type)
{
    return (strcmp(type, "object") == 0 && json_is_object(value)) ||
        (strcmp(type, "array") == 0 && json_is_array(value)) ||
        (strcmp(type, "string") == 0 && json_is_string(value)) ||
        (strcmp(type, "integer") == 0 && json_is_integer(value)) ||
        (strcmp(type, "number") == 0 && json_is_number(value)) ||
        (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
        (strcmp(type, "null") == 0 && json_is_null(value));
}

static bool check_type(struct check *check, const struct place *place)
{
    if (json_is_string(place->keyword)) {
        const char *type = json_string_value(place->keyword);
        return is_type(place->value, type) || no(check, "is no ", type);
    }
    size_t i = 0;
    json_t *type = NULL;
    json_array_foreach(place->keyword, i, type)
    {
        if (is_type(place->value, json_string_value(type))) {
            return true;
        }
    }
    return no(check, "is of none of the types", "");
}

static bool check_const(struct check *check, const struct place *place)
{
    return json_equal(place->keyword, place->value) || no(check, "is another constant", "");
}

static bool check_enum(struct check *check, const struct place *place)
{
    size_t i = 0;
    json_t *item = NULL;
    json_array_foreach(place->keyword, i, item)
    {
        if (json_equal(item, place->value)) {
            return true;
        }
    }
    const char *text = json_string_value(place->value);
    return no(check, "is none of the words: ", text ? text : "(no string)");
}

static bool check_required(struct check *check, const struct place *place)
{
    size_t i = 0;
    json_t *name = NULL;
    json_array_foreach(place->keyword, i, name)
    {
        if (json_is_object(place->value) &&
            !json_object_get(place->value, json_string_value(name))) {
            return no(check, "lacks ", json_string_value(name));
        }
    }
    return true;
}

static bool check_properties(struct check *check, const struct place *place)
{
    const char *name = NULL;
    json_t *schema = NULL;
    json_object_foreach((json_t *)place->keyword, name, schema)
    {
        const json_t *member = json_object_get(place->value, name);
        if (member && !meets(check, schema, member)) {
            return in_member(check, name);
        }
    }
    return true;
}

static bool check_additional(struct check *check, const struct place *place)
{
    const json_t *known = json_object_get(place->schema, "properties");
    const char *name = NULL;
    json_t *member = NULL;
    json_object_foreach((json_t *)place->value, name, member)
    {
        if (json_object_get(known, name)) {
            continue;
        }
        if (json_is_false(place->keyword)) {
            return no(check, "has a member too many: ", name);
        }
        if (!meets(check, place->keyword, member)) {
            return in_member(check, name);
        }
    }
    return true;
}

/* Does `schema`, or what it refers to or is made of, name this member? */
static bool evaluates(struct check *check, const json_t *schema, const char *name)
{
    if (json_object_get(json_object_get(schema, "properties"), name)) {
        return true;
    }
    const json_t *reference = json_object_get(schema, "$ref");
    if (reference && evaluates(check, resolve(check, json_string_value(reference)), name)) {
        return true;
    }
    size_t i = 0;
    json_t *part = NULL;
    json_array_foreach(json_object_get(schema, "allOf"), i, part)
    {
        if (evaluates(check, part, name)) {
            return true;
        }
    }
    return false;
}

static bool check_unevaluated(struct check *check, const struct place *place)
{
    const char *name = NULL;
    json_t *member = NULL;
    json_object_foreach((json_t *)place->value, name, member)
    {
        if (!evaluates(check, place->schema, name)) {
            return no(check, "has a member too many: ", name);
        }
    }
    return json_is_false(place->keyword) || no(check, "unevaluatedProperties other than false", "");
}

static bool check_items(struct check *check, const struct place *place)
{
    size_t i = 0;
    json_t *item = NULL;
    json_array_foreach(place->value, i, item)
    {
        if (!meets(check, place->keyword, item)) {
            return in_member(check, "an item");
        }
    }
    return true;
}

static bool check_item_count(struct check *check, const struct place *place)
{
    const json_int_t least = json_integer_value(json_object_get(place->schema, "minItems"));
    const json_int_t most = json_integer_value(json_object_get(place->schema, "maxItems"));
    const json_int_t count = (json_int_t)json_array_size(place->value);
    return !json_is_array(place->value) || (count >= least && (most == 0 || count <= most)) ||
        no(check, "has too few or too many items", "");
}

static bool check_all_of(struct check *check, const struct place *place)
{
    size_t i = 0;
    json_t *part = NULL;
    json_array_foreach(place->keyword, i, part)
    {
        if (!meets(check, part, place->value)) {
            return false;
        }
    }
    return true;
}

static size_t count_met(struct check *check, const struct place *place)
{
    size_t met = 0;
    size_t i = 0;
    json_t *part = NULL;
    char reasons[4000] = "";
    size_t used = 0;
    json_array_foreach(place->keyword, i, part)
    {
        if (meets(check, part, place->value)) {
            met++;
        } else if (used < sizeof reasons) {
            used += (size_t)snprintf(
                reasons + used, sizeof reasons - used, "\n  alternative %zu %s", i, check->why);
        }
    }
    (void)no(check, "meets none, or more than one, of the alternatives:", reasons);
    return met;
}

static bool check_one_of(struct check *check, const struct place *place)
{
    return count_met(check, place) == 1;
}

static bool check_any_of(struct check *check, const struct place *place)
{
    return count_met(check, place) >= 1;
}

static bool check_minimum(struct check *check, const struct place *place)
{
    return !json_is_integer(place->value) ||
        json_integer_value(place->value) >= json_integer_value(place->keyword) ||
        no(check, "is too small", "");
}

static bool check_maximum(struct check *check, const struct place *place)
{
    return !json_is_integer(place->value) ||
        json_integer_value(place->value) <= json_integer_value(place->keyword) ||
        no(check, "is too large", "");
}

static bool check_min_length(struct check *check, const struct place *place)
{
    return !json_is_string(place->value) ||
        (json_int_t)json_string_length(place->value) >= json_integer_value(place->keyword) ||
        no(check, "is too short", "");
}

static bool check_pattern(struct check *check, const struct place *place)
{
    if (!json_is_string(place->value)) {
        return true;
    }
    regex_t regex;
    if (regcomp(&regex, json_string_value(place->keyword), REG_EXTENDED | REG_NOSUB) != 0) {
        return no(check, "bad pattern: ", json_string_value(place->keyword));
    }
    const int found = regexec(&regex, json_string_value(place->value), 0, NULL, 0);
    regfree(&regex);
    return found == 0 || no(check, "does not look right: ", json_string_value(place->value));
}

static bool check_nothing(struct check *check, const struct place *place)
{
    (void)check;
    (void)place;
    return true;
}

static const struct keyword {
    const char *name;
    bool (*check)(struct check *check, const struct place *place);
} keywords[] = {
    {"$ref", check_ref},
    {"type", check_type},
    {"const", check_const},
    {"enum", check_enum},
    {"required", check_required},
    {"properties", check_properties},
    {"additionalProperties", check_additional},
    {"unevaluatedProperties", check_unevaluated},
    {"items", check_items},
    {"minItems", check_item_count},
    {"maxItems", check_item_count},
    {"allOf", check_all_of},
    {"oneOf", check_one_of},
    {"anyOf", check_any_of},
    {"minimum", check_minimum},
    {"maximum", check_maximum},
    {"minLength", check_min_length},
    {"pattern", check_pattern},
    {"$schema", check_nothing},
    {"$id", check_nothing},
    {"$defs", check_nothing},
    {"title", check_nothing},
    {"description", check_nothing},
    {"default", check_nothing},
};

static bool meets(struct check *check, const json_t *schema, const json_t *value)
{
    const char *name = NULL;
    json_t *keyword = NULL;
    json_object_foreach((json_t *)schema, name, keyword)
    {
        size_t i = 0;
        while (i < sizeof keywords / sizeof keywords[0] && strcmp(keywords[i].name, name) != 0) {
            i++;
        }
        if (i == sizeof keywords / sizeof keywords[0]) {
            return no(check, "the checker does not know the keyword ", name);
        }
        const struct place place = {schema, keyword, value};
        if (!keywords[i].check(check, &place)) {
            return false;
        }
    }
    return true;
}

bool schema_meets(
    const json_t *root, const json_t *schema, const json_t *value, char *why, size_t why_bytes)
{
    why[0] = '\0';
    struct check check = {root, why, why_bytes};
    return meets(&check, schema, value);
}
