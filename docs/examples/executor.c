/* SPDX-License-Identifier: MIT
 *
 * executor.c - a small executor, whole: it puts notices on a board.
 *
 *   executor LEDGER BOARD KEY TEXT [lose]
 *
 * The board is a folder; each notice is a file in it, named by the provider key, and stays. So the
 * provider honours our key (a name exists once) and can be asked (look for the name). With "lose" the
 * answer is thrown away, as a network would: the notice is then found by looking.
 */
#include <deed/ext/error.h>
#include <deed/ext/executor.h>
#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/sqlite.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct board {
    deed_executor face; /* what the ledger sees; `self` of it is this struct */
    char folder[DEED_ADDRESS_BYTES_MAX + 1];
    bool loses_answers;
};

/* Pure: the same request gives the same bytes, for ever. No clock, no random number, no counter. The
 * digest goes along, so that a look-up can tell our notice from another's. */
static deed_rc board_prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation, struct deed_error *err)
{
    const struct board *board = self;
    char digest[DEED_DIGEST_TEXT_BYTES];
    deed_digest_text(request->digest, digest);
    (void)snprintf(preparation->endpoint, sizeof preparation->endpoint, "%s", board->folder);
    (void)snprintf(preparation->account_scope, sizeof preparation->account_scope, "board");
    if (!preparation->write(preparation->sink, digest, strlen(digest)) ||
        !preparation->write(preparation->sink, "\n", 1) ||
        !preparation->write(
            preparation->sink, request->payload->body.data, request->payload->body.bytes)) {
        return deed_error_set(err, DEED_E_NOMEM, "executor.board", "the notice does not fit");
    }
    return DEED_OK;
}

/* Everything that can fail before anybody could see it. */
static bool write_draft(const char *draft, const uint8_t *bytes, size_t count)
{
    int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool whole = file >= 0 && write(file, bytes, count) == (ssize_t)count && fsync(file) == 0;
    return file >= 0 && close(file) == 0 && whole;
}

static bool sync_folder(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool synced = file >= 0 && fsync(file) == 0;
    return file >= 0 && close(file) == 0 && synced;
}

/* The order that matters: prepare everything, ask may_send, and only then let the first byte out. */
static void board_attempt(void *self, const struct deed_call *call, struct deed_answer *answer)
{
    const struct board *board = self;
    char draft[2 * DEED_ADDRESS_BYTES_MAX];
    char notice[2 * DEED_ADDRESS_BYTES_MAX];
    (void)snprintf(draft, sizeof draft, "%s/.%s.%u", call->endpoint, call->provider_key,
        (unsigned)call->attempt);
    (void)snprintf(notice, sizeof notice, "%s/%s", call->endpoint, call->provider_key);
    if (!write_draft(draft, call->bytes, call->bytes_count) || !call->may_send(call->gate)) {
        answer->verdict = DEED_VERDICT_NOT_APPLIED; /* certain: nobody can have seen anything */
        (void)unlink(draft);
        return;
    }
    bool there = link(draft, notice) == 0;
    bool before = !there && errno == EEXIST; /* our key was honoured: one notice, not two */
    bool durable = (there || before) && sync_folder(call->endpoint);
    (void)unlink(draft);
    if (durable && !board->loses_answers) {
        answer->verdict = DEED_VERDICT_APPLIED;
        (void)snprintf(answer->reference, sizeof answer->reference, "%s", call->provider_key);
    }
    /* Any other error of link or fsync says nothing definite. The verdict stays unknown: zero. */
}

/* Asks, and changes nothing. What it cannot see whole it does not report. */
static void board_lookup(
    void *self, const struct deed_question *question, struct deed_finding *finding)
{
    (void)self;
    char notice[2 * DEED_ADDRESS_BYTES_MAX];
    char wanted[DEED_DIGEST_TEXT_BYTES];
    char found[DEED_DIGEST_TEXT_BYTES] = "";
    (void)snprintf(notice, sizeof notice, "%s/%s", question->endpoint, question->provider_key);
    deed_digest_text(question->digest, wanted);
    FILE *file = fopen(notice, "rb");
    if (file == NULL) {
        /* Only "no such file" is an absence. That the folder is gone, or may not be read, is not. */
        bool absent = errno == ENOENT && access(question->endpoint, R_OK | X_OK) == 0;
        finding->kind = absent ? DEED_FOUND_ABSENT : DEED_FOUND_NOTHING;
        finding->complete = absent;
        return;
    }
    if (fgets(found, sizeof found, file) != NULL) {
        finding->kind = DEED_FOUND_PRESENT;
        finding->complete = true;
        finding->count = 1;
        finding->marker_matches = true; /* the name is our provider key */
        finding->digest_matches = strcmp(found, wanted) == 0;
        (void)snprintf(finding->reference, sizeof finding->reference, "%s", question->provider_key);
    }
    (void)fclose(file);
}

static void board_destroy(void *self)
{
    free(self);
}

static deed_executor *board_new(const char *folder, bool loses_answers)
{
    struct board *board = calloc(1, sizeof *board);
    if (board == NULL) {
        return NULL;
    }
    (void)snprintf(board->folder, sizeof board->folder, "%s", folder);
    board->loses_answers = loses_answers;
    board->face = (deed_executor){.size = sizeof board->face,
        .name = "board",
        .version = "1",
        .self = board,
        .prepare = board_prepare,
        .attempt = board_attempt,
        .lookup = board_lookup,
        .destroy = board_destroy};
    return &board->face;
}

/* The numbers are promises. Here each is true because of the file system: a link is seen at once
 * (lag 0), stays (reach and window without end), and a worker that was told it may send takes
 * effect within a second, or this machine has stopped (landing). */
static const struct deed_profile board_profile = {.size = sizeof board_profile,
    .send_ms = 5000,
    .answer_ms = 5000,
    .landing_ms = 1000,
    .window_ms = DEED_FOREVER,
    .reach_ms = DEED_FOREVER,
    .consistency = DEED_CONSISTENCY_STRONG};

int main(int argc, char **argv)
{
    struct deed_error err = {0};
    struct deed_result result = {.size = sizeof result};
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    if (argc < 5) {
        (void)fprintf(stderr, "executor LEDGER BOARD KEY TEXT [lose]\n");
        return 2;
    }
    const struct deed_payload payload = {
        .kind = {"notice", 6}, .target = {"board", 5}, .body = {argv[4], strlen(argv[4])}};
    const struct deed_record record = {.size = sizeof record, .key = argv[3], .payload = &payload};
    deed_executor *board = board_new(argv[2], argc > 5);

    deed_rc rc = board != NULL ? DEED_OK : DEED_E_NOMEM;
    rc = rc ? rc : deed_sqlite_open(argv[1], NULL, &store, &err);
    rc = rc ? rc : deed_ledger_open(store, NULL, &ledger, &err);
    if (rc != DEED_OK) {
        free(board); /* nobody has taken it yet */
    }
    rc = rc ? rc : deed_ledger_register(ledger, "notice", board, &board_profile, &err);
    rc = rc ? rc : deed_record(ledger, &record, &result, &err);
    rc = rc ? rc : deed_run(ledger, argv[3], 0, &result, &err);
    if (rc == DEED_OK && result.uncertain) {
        rc = deed_reconcile(ledger, argv[3], &result, &err);
    }
    printf("%s is %s, %s %s\n", argv[3], deed_state_name(result.state),
        deed_outcome_name(result.outcome), err.text);
    deed_ledger_close(ledger);
    return deed_exit_status(rc, DEED_EXIT_ACTING, &result);
}
