/* SPDX-License-Identifier: MIT
 *
 * waiting.c - --wait: goes on with the keys that are named until each is settled.
 *
 * A key is stepped only when it is due, so a provider is not asked more often than its numbers allow;
 * between, the ledger is read, as somebody else may settle it.
 */
#include "waiting.h"

#include "stop.h"

#include <deed/system.h>

#include <stdlib.h>

#define TIME_OVER_STATUS 124

struct key {
    const char *name;
    bool told;
    deed_rc rc;
    struct deed_result result;
    struct deed_error err;
};

struct waiting {
    struct acting *acting;
    const struct pace *pace;
    const struct waiting_ways *ways;
    struct key *keys;
    size_t count;
    int64_t end_ms;
};

static int64_t wall_ms(void)
{
    const struct deed_clock *clock = deed_system_clock();
    struct deed_instant now = {0};
    return clock->now(clock->self, &now) ? now.wall_ms : 0;
}

static bool is_over(const struct waiting *waiting, const struct key *key)
{
    switch (key->rc) {
    case DEED_OK:
        return key->result.needs_person || waiting->ways->settled(&key->result);
    case DEED_E_UNCERTAIN:
    case DEED_E_IN_FLIGHT:
    case DEED_E_NOT_YET:
    case DEED_E_BUSY:
        return key->result.needs_person;
    case DEED_E_INVALID:
    case DEED_E_MISUSE:
    case DEED_E_NOMEM:
    case DEED_E_STORE:
    case DEED_E_SYSTEM:
    case DEED_E_CONFLICT:
    case DEED_E_NOT_FOUND:
    case DEED_E_NEEDS_PERSON:
    case DEED_E_SCHEMA:
    case DEED_E_NO_EXECUTOR:
    case DEED_E_NO_STEP:
    case DEED_E_CHECK:
    case DEED_E_TOO_LATE:
    case DEED_E_INTERRUPTED:
        break;
    }
    return true;
}

static bool tell(struct waiting *waiting, struct key *key)
{
    key->told = true;
    return acting_visit(waiting->acting, key->rc, &key->result, &key->err);
}

static bool take(struct waiting *waiting, struct key *key, acting_step step)
{
    key->err = (struct deed_error){0};
    key->result = (struct deed_result){.size = sizeof key->result};
    key->rc = step(waiting->acting->cli->ledger, key->name, &key->result, &key->err);
    return !is_over(waiting, key) || tell(waiting, key);
}

/* Time from now until the key is worth another look; never longer than --every. */
static int64_t pause_ms(const struct waiting *waiting, const struct key *key)
{
    const int64_t due_ms = key->result.due_ms - wall_ms();
    const bool acts = waiting->ways->can_act(&key->result);
    return acts && due_ms > 0 && due_ms < waiting->pace->every_ms ? due_ms
                                                                  : waiting->pace->every_ms;
}

static bool sleep_until_next(const struct waiting *waiting)
{
    int64_t sleep_ms = waiting->end_ms - stop_clock_ms();
    for (size_t i = 0; i < waiting->count; i++) {
        if (!waiting->keys[i].told && pause_ms(waiting, &waiting->keys[i]) < sleep_ms) {
            sleep_ms = pause_ms(waiting, &waiting->keys[i]);
        }
    }
    return stop_sleep(sleep_ms);
}

static bool any_left(const struct waiting *waiting)
{
    for (size_t i = 0; i < waiting->count; i++) {
        if (!waiting->keys[i].told) {
            return true;
        }
    }
    return false;
}

static bool look_again(struct waiting *waiting)
{
    bool go_on = true;
    for (size_t i = 0; i < waiting->count && go_on && !stop_asked(); i++) {
        struct key *key = &waiting->keys[i];
        if (!key->told) {
            const bool due =
                waiting->ways->can_act(&key->result) && key->result.due_ms <= wall_ms();
            go_on = take(waiting, key, due ? waiting->ways->again : deed_get);
        }
    }
    return go_on;
}

/* What is not settled is told as it stands. */
static void tell_rest(struct waiting *waiting)
{
    size_t left = 0;
    for (size_t i = 0; i < waiting->count; i++) {
        if (!waiting->keys[i].told && waiting->keys[i].name) {
            left++;
            (void)tell(waiting, &waiting->keys[i]);
        }
    }
    if (left == 0 || stop_asked() || waiting->acting->cli->out.failed) {
        return;
    }
    struct deed_error err;
    (void)cli_error(&err, DEED_E_NOT_YET, "deed status",
        "the time of --wait is over, and %zu of %zu are not settled; nothing is lost, and the same "
        "command goes on",
        left, waiting->count);
    output_error(&waiting->acting->cli->out, &err, 0);
    waiting->acting->status = deed_exit_worst(waiting->acting->status, TIME_OVER_STATUS);
}

void waiting_keys(struct acting *acting, const struct pace *pace, const struct waiting_ways *ways)
{
    const struct arguments *arguments = &acting->cli->arguments;
    struct waiting waiting = {
        .acting = acting, .pace = pace, .ways = ways, .end_ms = stop_clock_ms() + pace->wait_ms};
    waiting.keys = calloc(arguments->operand_count, sizeof *waiting.keys);
    if (!waiting.keys) {
        struct deed_error err;
        acting->status = cli_fail(acting->cli, cli_no_memory(&err), &err);
        return;
    }
    bool go_on = true;
    for (size_t i = 0; i < arguments->operand_count && go_on && !stop_asked(); i++) {
        waiting.keys[i].name = arguments->operands[i];
        waiting.count++;
        go_on = take(&waiting, &waiting.keys[i], ways->first);
    }
    while (go_on && any_left(&waiting) && stop_clock_ms() < waiting.end_ms) {
        go_on = sleep_until_next(&waiting) && look_again(&waiting);
    }
    tell_rest(&waiting);
    free(waiting.keys);
}
