/* SPDX-License-Identifier: MIT */
#include "versioned.h"

#include <string.h>

#include <deed/ext/error.h>

/* NOLINTBEGIN(bugprone-sizeof-expression): a member that is a pointer is as large as a pointer */
#define DEED__SHAPE_DEFINE(type, needed)                                                           \
    const struct deed_shape deed__shape_##type = DEED_SHAPE(type, needed);
DEED__SHAPE_LIST(DEED__SHAPE_DEFINE)
#undef DEED__SHAPE_DEFINE
/* NOLINTEND(bugprone-sizeof-expression) */

const struct deed_shape deed__shape_deed_clock = DEED_CLOCK_SHAPE();
const struct deed_shape deed__shape_deed_random = DEED_RANDOM_SHAPE();
const struct deed_shape deed__shape_deed_allocator = DEED_ALLOCATOR_SHAPE();

/* No struct will ever be so large: a `size` that was not set is found before memory is read that is
 * not there. */
#define SIZE_LIMIT 65536

static size_t size_of(const void *given)
{
    size_t size = 0;
    memcpy(&size, given, sizeof(size)); /* an array may hold structs at another stride than ours */
    return size;
}

static bool is_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

deed_rc deed_size_room(const struct deed_shape *shape, const void *place, struct deed_error *err)
{
    if (place == NULL) {
        return DEED_OK;
    }
    size_t size = size_of(place);
    if (size >= shape->least && size <= SIZE_LIMIT) {
        return DEED_OK;
    }
    return deed_error_set(err, DEED_E_MISUSE, "core",
        "a struct %s came with size %zu, which it never had: set .size = sizeof(struct %s) before "
        "it "
        "is passed",
        shape->name, size, shape->name);
}

deed_rc deed_size_check(const struct deed_shape *shape, const void *given, struct deed_error *err)
{
    deed_rc rc = deed_size_room(shape, given, err);
    if (rc != DEED_OK || given == NULL) {
        return rc;
    }
    size_t size = size_of(given);
    if (size > shape->whole &&
        !is_zero((const unsigned char *)given + shape->whole, size - shape->whole)) {
        return deed_error_set(err, DEED_E_MISUSE, "core",
            "a struct %s uses members that this library, %s, does not know: the program was built "
            "with newer headers; install the library that belongs to them",
            shape->name, DEED_VERSION);
    }
    return DEED_OK;
}

deed_rc deed_size_take(
    const struct deed_shape *shape, const void *given, void *mine_out, struct deed_error *err)
{
    deed_rc rc = deed_size_check(shape, given, err);
    if (rc != DEED_OK) {
        return rc;
    }
    size_t size = given == NULL ? 0 : size_of(given);
    size_t known = size < shape->whole ? size : shape->whole;
    if (known > 0) {
        memcpy(mine_out, given, known);
    }
    memset((char *)mine_out + known, 0, shape->whole - known);
    memcpy(mine_out, &shape->whole, sizeof(shape->whole));
    return DEED_OK;
}

void deed_size_give(const struct deed_shape *shape, void *place, const void *mine)
{
    if (place == NULL) {
        return;
    }
    size_t size = size_of(place);
    size_t known = size < shape->whole ? size : shape->whole;
    if (known > sizeof(size)) {
        memcpy(
            (char *)place + sizeof(size), (const char *)mine + sizeof(size), known - sizeof(size));
    }
}
