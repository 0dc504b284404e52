/* SPDX-License-Identifier: MIT
 *
 * mock_request.h - the bytes a mock sends, whatever the road.
 */
#ifndef DEED_MOCKS_MOCK_REQUEST_H
#define DEED_MOCKS_MOCK_REQUEST_H

#include <deed/ext/executor.h>

#include "world_impl.h"

/* The whole of an executor's prepare: one line of JSON, with members in the same order each time. */
deed_rc deed_mock__prepare(const struct deed_request *request, const struct deed_mock__place *place,
    struct deed_preparation *preparation_out, struct deed_error *err);

#endif /* DEED_MOCKS_MOCK_REQUEST_H */
