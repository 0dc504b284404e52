/* SPDX-License-Identifier: MIT
 *
 * A client of the mock provider that sends any bytes, in pieces, to either of its ports: it is answered
 * or dropped, and the provider goes on. The first byte says which port, and how large the pieces are.
 */
#include "fuzz.h"

#include "http/http_impl.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define INPUT_MAX   65536 /* what a socket holds, so that nothing waits */
#define RESET_AFTER 200   /* inputs in one world */
#define STEPS_MAX   (INPUT_MAX / 64)

static struct deed__http_provider *provider;

void fuzz_start(void)
{
    static const char options[] =
        "{\"world\":\"http.world\",\"class\":\"closable\",\"window_ms\":1000,\"lookup\":{},"
        "\"scripts\":"
        "{\"cut*\":{\"do\":\"answer\",\"cut\":\"body\"},\"hang*\":{\"do\":\"hang\"},"
        "\"late*\":{\"do\":\"late\"},\"op*\":{\"do\":\"pending\"}}}";
    const struct deed__http_options wanted = {.options_json = options, .controlled = true};
    struct deed_error err = {.text = ""};
    (void)unlink("http.world");
    FUZZ_DEMAND(deed__http_provider_start(&wanted, &provider, &err) == DEED_OK,
        "the provider does not start", err.text);
}

/* A client that is connected already: the ports of the machine would run out. */
static int connect_client(bool is_control)
{
    int ends[2];
    struct deed_instant now;
    FUZZ_DEMAND(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0 &&
            deed__http_now(provider, &now),
        "no connection", NULL);
    provider->connections[0] = (struct deed__http_connection){.phase = DEED__HTTP_READING,
        .fd = ends[1],
        .is_control = is_control,
        .deadline_ms = now.mono_ms + DEED__HTTP_REQUEST_MS};
    return ends[0];
}

static void step(void)
{
    struct deed_error err = {.text = ""};
    FUZZ_DEMAND(deed__http_provider_step(provider, 0, NULL, 0, &err) == DEED_OK,
        "a client made a step fail", err.text);
}

static void send_pieces(int client, const uint8_t *data, size_t size, size_t piece)
{
    for (size_t sent = 0; sent < size; sent += piece) {
        size_t bytes = size - sent < piece ? size - sent : piece;
        (void)send(client, data + sent, bytes, MSG_NOSIGNAL); /* it may be closed already */
        step();
    }
    (void)shutdown(client, SHUT_WR);
}

static void see_answer(int client)
{
    char start[9] = "";
    ssize_t got = recv(client, start, sizeof(start), 0);
    FUZZ_DEMAND(
        got <= 0 || memcmp(start, "HTTP/1.1 ", (size_t)got) == 0, "an answer that is none", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned inputs;
    if (size == 0 || size > INPUT_MAX) {
        return 0;
    }
    size_t piece = (size_t)(data[0] >> 1) * 64;
    int client = connect_client((data[0] & 1U) != 0);
    send_pieces(client, data + 1, size - 1, piece > 0 ? piece : INPUT_MAX);
    for (size_t i = 0; i < STEPS_MAX && deed__http_provider_open_count(provider) > 0; i++) {
        char dropped[4096];
        step();
        if (i == 0) {
            see_answer(client);
        }
        (void)recv(client, dropped, sizeof(dropped), 0);
    }
    FUZZ_DEMAND(deed__http_provider_open_count(provider) == 0, "a client that is never done", NULL);
    (void)close(client);
    if (++inputs % RESET_AFTER == 0) {
        FUZZ_DEMAND(deed__http_provider_reset(provider, NULL) == DEED_OK, "no new world", NULL);
    }
    return 0;
}
