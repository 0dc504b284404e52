/* SPDX-License-Identifier: MIT
 *
 * deed/mock/http.h - an executor that acts at an HTTP provider on loopback, as `deed mock-provider`
 * is one. Accepted by test ledgers only.
 *
 * An attempt is POST /effects/KEY with the provider key in Idempotency-Key; a look-up is GET, a cancel
 * DELETE of the same; a handle is polled at GET /operations/HANDLE. Each is one connection and one
 * request: nothing is sent twice, nothing is followed. docs/reference/mock-provider.md has the rules by
 * which an answer becomes a verdict; whatever is not whole after the first byte went out is unknown.
 *
 * The options are one JSON object; a member that is unknown or of the wrong type is refused with its
 * place.
 *
 *   "url"        needed: http://127.0.0.1:PORT, or localhost, or [::1]; nothing that is not loopback
 *   "class"      needed: "blind", "lookup", "keyed", "keyed+lookup" or "closable", as the provider's
 *   "lookup"     true: a closable provider can be asked too; default false
 *   "account"    default "acct-1"; stored with each attempt
 *   "name", "version"   of the executor; default "mock-http" and the library's version
 *   "ask_ms"     time for the answer to a question; default 10000
 */
#ifndef DEED_MOCK_HTTP_H
#define DEED_MOCK_HTTP_H

#include <deed/base.h>
#include <deed/ext/executor.h>

DEED_BEGIN_DECLS

/* Makes the executor. It connects to nobody before it is told to act. `clock` is not used: time limits
 * are those of the network. A ledger that takes the executor frees it (its member `destroy` does);
 * otherwise deed_mock_http_executor_free. */
DEED_API DEED_MUST_CHECK deed_rc deed_mock_http_executor_new(const char *options_json,
    const struct deed_clock *clock, deed_executor **executor_out, struct deed_error *err);
DEED_API void deed_mock_http_executor_free(deed_executor *executor); /* NULL is allowed */

DEED_END_DECLS
#endif /* DEED_MOCK_HTTP_H */
