/* SPDX-License-Identifier: MIT
 *
 * provider_see.h - what there is to see of a provider's world, before anybody tells it.
 */
#ifndef DEED_MOCKS_PROVIDER_SEE_H
#define DEED_MOCKS_PROVIDER_SEE_H

#include "provider.h"

struct deed_mock__sight {
    deed_finding_kind kind;
    uint32_t count;
    uint64_t effect; /* number; 0: none */
    size_t request;  /* index, or DEED_MOCK__NONE */
    bool stale;      /* a replica answered that has not caught up */
};

/* What a question is about: one provider key, or an action key under whatever key it was sent. */
struct deed_mock__scope {
    const struct deed_mock__provider *provider;
    const char *provider_key; /* the looks count at; of the newest request, if none was asked for */
    size_t slot;              /* of that key; DEED_MOCK__NONE: nothing is known of it */
    bool wide;
    size_t action; /* where wide; DEED_MOCK__NONE: nothing is known of it */
    char keyless[DEED_MOCK__KEYLESS_BYTES];
};

void deed_mock__scope_of(const struct deed_world *world, const struct deed_mock__provider *provider,
    const struct deed_question *question, struct deed_mock__scope *scope_out);

/* The newest one, and the one before `index`; DEED_MOCK__NONE after the oldest. */
size_t deed_mock__last_request(
    const struct deed_world *world, const struct deed_mock__scope *scope);
size_t deed_mock__previous_request(
    const struct deed_world *world, const struct deed_mock__scope *scope, size_t index);

/* As a look-up sees it: an effect is told before what is pending, and that before what was rejected. */
struct deed_mock__sight deed_mock__see(const struct deed_world *world,
    const struct deed_mock__scope *scope, int64_t now_ms, bool fresh);
/* Without lag and without reach: whoever can bar an effect is the one that knows of all of them. */
struct deed_mock__sight deed_mock__see_all(
    const struct deed_world *world, const struct deed_mock__scope *scope);
/* By handle alone, as providers do; whose it is the caller finds out by the marker. */
struct deed_mock__sight deed_mock__see_operation(
    const struct deed_world *world, const struct deed_mock__provider *provider, const char *handle);

#endif /* DEED_MOCKS_PROVIDER_SEE_H */
