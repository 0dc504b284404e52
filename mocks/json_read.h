/* SPDX-License-Identifier: MIT
 *
 * json_read.h - reading JSON options strictly: what is unknown or of the wrong type is refused, and
 * the error names the place ("scripts.pay-1[0].land.after_ms").
 *
 * The first refusal sticks to the reader, and what is read afterwards changes nothing; so a function
 * reads all its members in a row and looks once at the end.
 */
#ifndef DEED_MOCKS_JSON_READ_H
#define DEED_MOCKS_JSON_READ_H

#include <jansson.h>

#include <deed/base.h>

/* Copies, steps, looks: more than this is a slip, and each copy becomes an effect in memory. */
#define DEED_MOCK__COUNT_MAX 1000

struct deed_mock__reader {
    deed_rc rc;
    struct deed_error *err;
    const char *origin;
};

/* A value and where it stands. */
struct deed_mock__node {
    struct deed_mock__reader *reader;
    json_t *value; /* NULL: absent; not const, because jansson's loops are not; only read */
    const struct deed_mock__node *parent;
    const char *name; /* in an object; NULL in an array */
    size_t index;     /* in an array */
};

void deed_mock__refuse(const struct deed_mock__node *node, const char *format, ...)
    DEED_PRINTF(2, 3);
void deed_mock__refuse_memory(const struct deed_mock__node *node);

/* A member; its value is NULL where it is absent. */
struct deed_mock__node deed_mock__member(const struct deed_mock__node *object, const char *name);
struct deed_mock__node deed_mock__item(const struct deed_mock__node *array, size_t index);
/* Refuses what is no object, and members that are not in `names`, which ends with NULL. */
void deed_mock__only(const struct deed_mock__node *object, const char *const *names);

/* Each leaves `*out` alone where the member is absent. Text is copied, freed by the caller. */
void deed_mock__read_text(const struct deed_mock__node *object, const char *name, char **out);
/* Where none was given; false: no memory. */
bool deed_mock__default_text(char **text, const char *value);
void deed_mock__read_flag(const struct deed_mock__node *object, const char *name, bool *out);
void deed_mock__read_count(const struct deed_mock__node *object, const char *name, uint64_t *out);
/* Milliseconds, zero or more, or "forever". */
void deed_mock__read_duration(const struct deed_mock__node *object, const char *name, int64_t *out);
/* One of `words`, which ends with NULL; `*out` becomes its place in the list. */
void deed_mock__read_word(
    const struct deed_mock__node *object, const char *name, const char *const *words, int *out);
/* The same for a value that is not a member. */
void deed_mock__read_word_here(
    const struct deed_mock__node *node, const char *const *words, int *out);

#endif /* DEED_MOCKS_JSON_READ_H */
