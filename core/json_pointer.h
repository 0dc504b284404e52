/* SPDX-License-Identifier: MIT
 *
 * json_pointer.h - a place in a JSON document (RFC 6901).
 */
#ifndef DEED_CORE_JSON_POINTER_H
#define DEED_CORE_JSON_POINTER_H

#include <deed/base.h>

/* jansson's value, by the tag it has there. */
struct json_t;

#define DEED__POINTER_BYTES_MAX 255

bool deed__is_json_pointer(const char *pointer);

/* What stands at a pointer that is one. NULL: there is no such place. */
const struct json_t *deed__json_follow(const struct json_t *value, const char *pointer);

#endif /* DEED_CORE_JSON_POINTER_H */
