/* SPDX-License-Identifier: MIT
 *
 * http_options.h - the options of the executor mock-http.
 */
#ifndef DEED_MOCKS_HTTP_OPTIONS_H
#define DEED_MOCKS_HTTP_OPTIONS_H

#include "http/http_client.h"

struct deed__http_executor_options {
    char *url;
    char *account;
    char *name;
    char *version;
    bool looks;
    bool closes;
    int64_t ask_ms;
    struct deed__http_peer peer;
};

/* Finish them whatever comes back. */
deed_rc deed__http_executor_options_read(const char *options_json,
    struct deed__http_executor_options *options_out, struct deed_error *err);
void deed__http_executor_options_finish(struct deed__http_executor_options *options);

#endif /* DEED_MOCKS_HTTP_OPTIONS_H */
