/* SPDX-License-Identifier: MIT
 *
 * The bytes a mock sends, whatever the road.
 */
#include "mock_request.h"

#include <stdio.h>

#include <jansson.h>

#include <deed/ext/error.h>

#define ORIGIN "executor.mock"

static int write_chunk(const char *bytes, size_t bytes_count, void *context)
{
    const struct deed_preparation *preparation = context;
    return preparation->write(preparation->sink, bytes, bytes_count) ? 0 : -1;
}

static json_t *text_json(struct deed_text text)
{
    return json_stringn(text.data, text.bytes); /* escapes a NUL inside; NULL if it is no UTF-8 */
}

deed_rc deed_mock__prepare(const struct deed_request *request, const struct deed_mock__place *place,
    struct deed_preparation *preparation_out, struct deed_error *err)
{
    const struct deed_payload *payload = request->payload;
    deed_rc rc = DEED_OK;
    json_t *text = json_pack("{s:s, s:s, s:o, s:o, s:o}", "key", request->key, "provider_key",
        request->provider_key, "kind", text_json(payload->kind), "target",
        text_json(payload->target), "body", text_json(payload->body));
    if (text == NULL) {
        return deed_error_set(err, DEED_E_INVALID, ORIGIN, "the payload is no UTF-8");
    }
    /* In the order given above: the same request gives the same bytes. */
    if (json_dump_callback(text, write_chunk, preparation_out, JSON_COMPACT) != 0) {
        rc = deed_error_set(err, DEED_E_NOMEM, ORIGIN, "no room for the bytes of the request");
        goto done;
    }
    (void)snprintf(
        preparation_out->endpoint, sizeof(preparation_out->endpoint), "%s", place->endpoint);
    (void)snprintf(preparation_out->account_scope, sizeof(preparation_out->account_scope), "%s",
        place->account);
done:
    json_decref(text);
    return rc;
}
