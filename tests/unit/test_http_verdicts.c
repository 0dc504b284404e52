/* SPDX-License-Identifier: MIT
 *
 * What the executor mock-http makes of an answer, of half of one, and of none.
 */
#define RIG_OVER_HTTP
#include "test_mock_rig.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define HELLO_DIGEST "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

/* ---- the provider's own faults ------------------------------------------------------------ */

static void test_cut__is_unknown_wherever_it_is(void **state)
{
    (void)state;
    static const struct {
        const char *step;
        uint64_t sends;
        uint64_t effects;
    } cuts[] = {
        {"{\"do\":\"answer\",\"cut\":\"drop\"}", 1, 1},
        {"{\"do\":\"answer\",\"cut\":\"reset\"}", 1, 1},
        {"{\"do\":\"answer\",\"cut\":\"header\"}", 1, 1},
        {"{\"do\":\"answer\",\"cut\":\"body\"}", 1, 1},
        {"{\"do\":\"reject\",\"cut\":\"header\"}", 1, 0},
        {"{\"do\":\"reject\",\"cut\":\"body\"}", 1, 0},
        {"{\"do\":\"refuse\",\"cut\":\"body\"}", 1, 0},
        {"{\"do\":\"error\",\"effect\":true}", 1, 1}, {"{\"do\":\"garbage\"}", 1, 1},
        {"{\"do\":\"unreachable\"}", 0, 0}, /* it was sent, as far as we can tell */
    };
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        struct rig rig;
        char options[200];
        (void)snprintf(
            options, sizeof(options), "{\"class\":\"keyed\",\"script\":%s}", cuts[i].step);
        rig_open(&rig, options);
        print_message("%s\n", options);
        assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_UNKNOWN);
        assert_string_equal(rig.answer.reference, "");
        assert_false(rig.answer.pending);
        assert_int_equal(rig.asked, 1);
        rig_expect(&rig, "pay-1", cuts[i].sends, cuts[i].effects);
        rig_close(&rig);
    }
}

static void test_cut__of_a_look_up_is_nothing(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"closable\",\"lookup\":{},\"cancel_script\":\"lose\"}");
    assert_int_equal(rig_cancel(&rig, "pay-1")->kind, DEED_FOUND_NOTHING);
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_NOT_APPLIED);
    rig_expect(&rig, "pay-1", 1, 0);
    rig_close(&rig);
}

static void test_send__is_refused_by_the_gate_before_the_first_byte(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"blind\"}");
    rig.too_late = true;
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_NOT_APPLIED);
    assert_int_equal(rig.asked, 1);
    rig_expect(&rig, "pay-1", 0, 0);
    rig_close(&rig);
}

static void test_send__to_nobody_is_not_applied_and_asks_nobody(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"keyed+lookup\"}");
    /* The provider's thread waits and is stopped first: it is nobody's while it runs. */
    struct deed__http_provider *gone = rig.http.provider;
    assert_int_equal(eventfd_write(rig.http.stop, 1), 0);
    assert_int_equal(pthread_join(rig.http.thread, NULL), 0);
    assert_int_equal(deed__http_provider_listen(gone, false, NULL), DEED_OK);
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_NOT_APPLIED);
    assert_int_equal(rig.asked, 0);
    assert_int_equal(rig_look(&rig, "pay-1")->kind, DEED_FOUND_NOTHING);
    rig_expect(&rig, "pay-1", 0, 0);
    rig.executor->destroy(rig.executor->self);
    (void)close(rig.http.stop);
    deed__http_provider_stop(gone);
    deed_world_close(rig.world);
    deed_sim_clock_free(rig.clock);
}

/* ---- a stranger at the other end ----------------------------------------------------------- */

/* Answers one request with what it was given, whatever was asked. */
struct stranger {
    int fd;
    uint16_t port;
    const char *says;
    char heard[4000];
    pthread_t thread;
};

static void *stranger_run(void *context)
{
    struct stranger *stranger = context;
    size_t heard = 0;
    int fd = accept(stranger->fd, NULL, NULL);
    while (strstr(stranger->heard, "hello") == NULL && strncmp(stranger->heard, "GET", 3) != 0) {
        ssize_t got = recv(fd, stranger->heard + heard, sizeof(stranger->heard) - 1 - heard, 0);
        if (got <= 0) {
            break;
        }
        heard += (size_t)got;
    }
    (void)send(fd, stranger->says, strlen(stranger->says), MSG_NOSIGNAL);
    (void)close(fd);
    return NULL;
}

static void stranger_start(struct stranger *stranger, const char *says)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof(address);
    *stranger = (struct stranger){.says = says};
    stranger->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(stranger->fd, (const struct sockaddr *)&address, bytes), 0);
    assert_int_equal(listen(stranger->fd, 1), 0);
    assert_int_equal(getsockname(stranger->fd, (struct sockaddr *)&address, &bytes), 0);
    stranger->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&stranger->thread, NULL, stranger_run, stranger), 0);
}

static void stranger_end(struct stranger *stranger)
{
    assert_int_equal(pthread_join(stranger->thread, NULL), 0);
    (void)close(stranger->fd);
}

static deed_executor *executor_at(uint16_t port)
{
    char options[100];
    struct deed_error err = {.text = ""};
    deed_executor *executor = NULL;
    (void)snprintf(options, sizeof(options),
        "{\"url\":\"http://127.0.0.1:%u/\",\"class\":\"keyed+lookup\"}", (unsigned)port);
    if (deed_mock_http_executor_new(options, NULL, &executor, &err) != DEED_OK) {
        fail_msg("%s", err.text);
    }
    return executor;
}

/* An answer with its length in front of it. */
static void answer_text(char *text, size_t bytes, const char *status, const char *body)
{
    (void)snprintf(
        text, bytes, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n%s", status, strlen(body), body);
}

static deed_verdict verdict_of(const char *says, struct rig *rig)
{
    struct stranger stranger;
    stranger_start(&stranger, says);
    *rig = (struct rig){.bytes = "hello"};
    rig->executor = executor_at(stranger.port);
    deed_verdict verdict = rig_send(rig, "pay-1", 1)->verdict;
    stranger_end(&stranger);
    deed_mock_http_executor_free(rig->executor);
    assert_non_null(strstr(stranger.heard, "POST /effects/pay-1 HTTP/1.1\r\n"));
    assert_non_null(strstr(stranger.heard, "\r\nIdempotency-Key: pk-pay-1\r\n"));
    return verdict;
}

#define DONE(reference, key, digest)                                                               \
    "{\"status\":\"applied\",\"reference\":" reference ",\"key\":" key ",\"digest\":" digest "}"
#define OURS DONE("\"fx-1\"", "\"pk-pay-1\"", "\"" HELLO_DIGEST "\"")

static void test_answer__is_worth_what_it_says_of_us(void **state)
{
    (void)state;
    static const struct {
        const char *status;
        const char *body;
        deed_verdict verdict;
    } answers[] = {
        {"201 Created", OURS, DEED_VERDICT_APPLIED},
        {"200 OK", OURS, DEED_VERDICT_APPLIED},
        {"200", OURS, DEED_VERDICT_APPLIED},
        {"204 No Content", OURS, DEED_VERDICT_UNKNOWN},
        {"302 Found", OURS, DEED_VERDICT_UNKNOWN},
        {"500 Internal Server Error", OURS, DEED_VERDICT_UNKNOWN},
        {"503 Service Unavailable", "{\"status\":\"refused\"}", DEED_VERDICT_UNKNOWN},
        {"200 OK", "{}", DEED_VERDICT_UNKNOWN},
        {"200 OK", "", DEED_VERDICT_UNKNOWN},
        {"200 OK", "OK", DEED_VERDICT_UNKNOWN},
        {"200 OK", "[]", DEED_VERDICT_UNKNOWN},
        {"200 OK", "{\"status\":\"rejected\"}", DEED_VERDICT_UNKNOWN},
        {"201 Created", DONE("null", "\"pk-pay-1\"", "\"" HELLO_DIGEST "\""), DEED_VERDICT_UNKNOWN},
        {"201 Created", DONE("\"fx-1\"", "\"pk-pay-2\"", "\"" HELLO_DIGEST "\""),
            DEED_VERDICT_UNKNOWN},
        {"201 Created", DONE("\"fx-1\"", "null", "\"" HELLO_DIGEST "\""), DEED_VERDICT_UNKNOWN},
        {"201 Created", DONE("\"fx-1\"", "\"pk-pay-1\"", "\"00\""), DEED_VERDICT_UNKNOWN},
        {"402 Payment Required", "{\"status\":\"rejected\"}", DEED_VERDICT_REJECTED},
        {"402 Payment Required", "{\"error\":\"pay for the proxy\"}", DEED_VERDICT_UNKNOWN},
        {"410 Gone", "{\"status\":\"closed\"}", DEED_VERDICT_NOT_APPLIED},
        {"410 Gone", "{}", DEED_VERDICT_UNKNOWN},
        {"424 Failed Dependency", "{\"status\":\"failed\"}", DEED_VERDICT_NOT_APPLIED},
        {"429 Too Many Requests", "{\"status\":\"refused\"}", DEED_VERDICT_NOT_APPLIED},
        {"429 Too Many Requests", "{}", DEED_VERDICT_UNKNOWN},
        {"404 Not Found", "{\"status\":\"refused\"}", DEED_VERDICT_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct rig rig;
        char text[1000];
        answer_text(text, sizeof(text), answers[i].status, answers[i].body);
        print_message("%s %s\n", answers[i].status, answers[i].body);
        assert_int_equal(verdict_of(text, &rig), answers[i].verdict);
        assert_string_equal(
            rig.answer.reference, answers[i].verdict == DEED_VERDICT_APPLIED ? "fx-1" : "");
    }
}

static void test_answer__that_is_no_whole_one_is_unknown(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "H", "HTTP/1.1 201 Created\r\n",
        "HTTP/1.1 201 Created\r\n\r\n" OURS, /* it does not say where it ends */
        "HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n" OURS,
        "HTTP/1.1 201 Created\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n" OURS,
        "HTTP/1.1 201 Created\r\nContent-Length: 99999999\r\n\r\n" OURS,
        "HTTP/1.1 20 Created\r\nContent-Length: 5\r\n\r\n" OURS,
        "HTTP/1.1 2010 Created\r\nContent-Length: 5\r\n\r\n" OURS,
        "HTTP/2 201\r\nContent-Length: 5\r\n\r\n" OURS, "{\"status\":\"applied\"}\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct rig rig;
        print_message("%s\n", texts[i]);
        assert_int_equal(verdict_of(texts[i], &rig), DEED_VERDICT_UNKNOWN);
        assert_int_equal(rig.answer.excerpt_bytes, 0);
    }
}

/* What a look-up cannot prove is nothing, or at least not ours. */
static void test_look__is_worth_what_it_says_of_us(void **state)
{
    (void)state;
    static const struct {
        const char *status;
        const char *body;
        deed_finding_kind kind;
        bool complete;
        bool is_ours;
    } looks[] = {
        {"404 Not Found", "{\"status\":\"absent\",\"complete\":true}", DEED_FOUND_ABSENT, true,
            false},
        {"206 Partial Content", "{\"status\":\"absent\",\"complete\":false}", DEED_FOUND_ABSENT,
            false, false},
        {"404 Not Found", "{\"error\":\"no such page\"}", DEED_FOUND_NOTHING, false, false},
        {"500 Oh", "{\"status\":\"absent\",\"complete\":true}", DEED_FOUND_NOTHING, false, false},
        {"200 OK",
            "{\"status\":\"present\",\"complete\":true,\"count\":1,\"reference\":\"fx-1\","
            "\"key\":\"pk-pay-1\",\"digest\":\"" HELLO_DIGEST "\"}",
            DEED_FOUND_PRESENT, true, true},
        {"200 OK",
            "{\"status\":\"present\",\"complete\":true,\"count\":1,\"reference\":\"fx-1\","
            "\"key\":\"pk-pay-2\",\"digest\":\"00\"}",
            DEED_FOUND_PRESENT, true, false},
    };
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        struct rig rig = {.bytes = "hello"};
        struct stranger stranger;
        char text[1000];
        answer_text(text, sizeof(text), looks[i].status, looks[i].body);
        stranger_start(&stranger, text);
        rig.executor = executor_at(stranger.port);
        print_message("%s %s\n", looks[i].status, looks[i].body);
        const struct deed_finding *finding = rig_look(&rig, "pay-1");
        assert_int_equal(finding->kind, looks[i].kind);
        assert_int_equal(finding->complete, looks[i].complete);
        assert_int_equal(finding->marker_matches, looks[i].is_ours);
        assert_int_equal(finding->digest_matches, looks[i].is_ours);
        stranger_end(&stranger);
        deed_mock_http_executor_free(rig.executor);
    }
}

/* A handle is somebody else's word: it must not become a request of its own. */
static void test_poll__asks_for_no_handle_that_is_more_than_one(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"blind\",\"script\":{\"do\":\"pending\"}}");
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_UNKNOWN);
    assert_int_equal(rig_poll(&rig, "pay-1", "op-1 HTTP/1.1\r\nX: y")->kind, DEED_FOUND_NOTHING);
    assert_int_equal(rig_poll(&rig, "pay-1", "../effects/pay-1")->kind, DEED_FOUND_NOTHING);
    assert_int_equal(rig_counts(&rig, NULL).polls, 0);
    assert_int_equal(rig_poll(&rig, "pay-1", "op-1")->kind, DEED_FOUND_PENDING);
    rig_close(&rig);
}

/* ---- options ------------------------------------------------------------------------------- */

static void test_options__name_a_loopback_and_a_class(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *says;
    } refused[] = {
        {"{", "no JSON"},
        {"{\"class\":\"blind\"}", "url: is missing"},
        {"{\"url\":\"http://127.0.0.1:80\"}", "class: is missing"},
        {"{\"url\":\"http://127.0.0.1:80\",\"class\":\"lying\"}", "class: must be one of"},
        {"{\"url\":\"http://10.0.0.1:80\",\"class\":\"blind\"}", "url: must be loopback"},
        {"{\"url\":\"https://127.0.0.1:80\",\"class\":\"blind\"}", "url: must be loopback"},
        {"{\"url\":\"http://localhost.example:80\",\"class\":\"blind\"}", "url: must be loopback"},
        {"{\"url\":\"http://127.0.0.1:80@example.org\",\"class\":\"blind\"}", "url: must end with"},
        {"{\"url\":\"http://127.0.0.1\",\"class\":\"blind\"}", "url: must be loopback"},
        {"{\"url\":\"http://127.0.0.1:\",\"class\":\"blind\"}", "url: must end with a port"},
        {"{\"url\":\"http://127.0.0.1:65536\",\"class\":\"blind\"}", "url: must end with a port"},
        {"{\"url\":\"http://127.0.0.1:80/x\",\"class\":\"blind\"}", "url: must end with a port"},
        {"{\"url\":\"http://127.0.0.1:80\",\"class\":\"blind\",\"world\":\"w\"}",
            "world: there is"},
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        deed_executor *executor = NULL;
        struct deed_error err = {.text = ""};
        assert_int_equal(
            deed_mock_http_executor_new(refused[i].options, NULL, &executor, &err), DEED_E_INVALID);
        assert_null(executor);
        if (strstr(err.text, refused[i].says) == NULL) {
            fail_msg("%s: %s", refused[i].options, err.text);
        }
    }
    static const char *const taken[] = {
        "http://127.0.0.1:1", "http://localhost:65535/", "http://[::1]:8080"};
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        char options[100];
        deed_executor *executor = NULL;
        (void)snprintf(
            options, sizeof(options), "{\"url\":\"%s\",\"class\":\"closable\"}", taken[i]);
        assert_int_equal(deed_mock_http_executor_new(options, NULL, &executor, NULL), DEED_OK);
        assert_true(executor->lookup == NULL && executor->cancel != NULL);
        assert_int_equal(executor->flags, DEED_EXECUTOR_MOCK);
        assert_string_equal(executor->name, "mock-http");
        deed_mock_http_executor_free(executor);
    }
    deed_mock_http_executor_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut__is_unknown_wherever_it_is),
        cmocka_unit_test(test_cut__of_a_look_up_is_nothing),
        cmocka_unit_test(test_send__is_refused_by_the_gate_before_the_first_byte),
        cmocka_unit_test(test_send__to_nobody_is_not_applied_and_asks_nobody),
        cmocka_unit_test(test_answer__is_worth_what_it_says_of_us),
        cmocka_unit_test(test_answer__that_is_no_whole_one_is_unknown),
        cmocka_unit_test(test_look__is_worth_what_it_says_of_us),
        cmocka_unit_test(test_poll__asks_for_no_handle_that_is_more_than_one),
        cmocka_unit_test(test_options__name_a_loopback_and_a_class),
    };
    return cmocka_run_group_tests_name("http_verdicts", tests, NULL, NULL);
}
