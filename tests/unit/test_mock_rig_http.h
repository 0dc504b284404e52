/* SPDX-License-Identifier: MIT
 *
 * The rig over HTTP: a provider in a thread of its own, on the world and the clock of the test, and
 * the executor mock-http that talks to it. The tests of the mock executor run on it a second time.
 */
#ifndef DEED_TESTS_TEST_MOCK_RIG_HTTP_H
#define DEED_TESTS_TEST_MOCK_RIG_HTTP_H

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include <jansson.h>

#include "http/http_provider.h"
#include <deed/mock/http.h>

struct rig_http {
    struct deed__http_provider *provider;
    pthread_t thread;
    int stop;
};

static inline void *rig_http_run(void *context)
{
    struct rig_http *http = context;
    struct pollfd stop = {.fd = http->stop, .events = POLLIN};
    while (stop.revents == 0) {
        if (deed__http_provider_step(http->provider, -1, &stop, 1, NULL) != DEED_OK) {
            abort();
        }
    }
    return NULL;
}

/* What the executor has to know of the provider. */
static inline char *rig_http_options(const char *options, const char *url)
{
    json_t *all = json_loads(options, 0, NULL);
    json_t *own = json_pack("{s:s, s:O}", "url", url, "class", json_object_get(all, "class"));
    if (strcmp(json_string_value(json_object_get(all, "class")), "closable") == 0) {
        (void)json_object_set_new(
            own, "lookup", json_boolean(json_object_get(all, "lookup") != NULL));
    }
    char *text = json_dumps(own, JSON_COMPACT);
    json_decref(own);
    json_decref(all);
    return text;
}

static inline deed_rc rig_http_open(struct rig_http *http, deed_world *world, const char *options,
    const struct deed_clock *clock, deed_executor **executor_out, struct deed_error *err)
{
    const struct deed__http_options provider = {
        .options_json = options, .world = world, .clock = clock};
    deed_rc rc = deed__http_provider_start(&provider, &http->provider, err);
    if (rc != DEED_OK) {
        return rc;
    }
    char *own = rig_http_options(options, deed__http_provider_url(http->provider));
    rc = deed_mock_http_executor_new(own, NULL, executor_out, err);
    free(own);
    http->stop = eventfd(0, EFD_CLOEXEC);
    if (pthread_create(&http->thread, NULL, rig_http_run, http) != 0) {
        abort();
    }
    return rc;
}

static inline void rig_http_close(struct rig_http *http)
{
    if (eventfd_write(http->stop, 1) != 0 || pthread_join(http->thread, NULL) != 0) {
        abort();
    }
    (void)close(http->stop);
    deed__http_provider_stop(http->provider);
}

#endif /* DEED_TESTS_TEST_MOCK_RIG_HTTP_H */
