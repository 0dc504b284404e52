/* SPDX-License-Identifier: MIT
 *
 * schema.h - a small JSON Schema checker (draft 2020-12) for our own schemas.
 */
#ifndef TESTS_CLI_SCHEMA_H
#define TESTS_CLI_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Does `value` meet `schema`, a part of `root`? `why` gets the first reason why not. A keyword the
 * checker does not know makes it say no, so that nothing in a schema is silently not checked. */
bool schema_meets(
    const json_t *root, const json_t *schema, const json_t *value, char *why, size_t why_bytes);

#endif
