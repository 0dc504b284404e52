/* SPDX-License-Identifier: MIT
 *
 * Goal: wherever a process dies that keeps orders in a database of its own and moves its outbox into
 * the ledger, each order it committed becomes one effect, without anybody recording anything again.
 *
 * Method: as tests/crash/test_seams.c, with a host's database beside the ledger. A life takes orders,
 * drains and runs, and is killed at each seam it crosses; the next one drains again and is killed at
 * each of its own; then the outbox is drained to its end, what is due is run, and the ledger, the
 * outbox, the orders and the world are compared.
 */
#include "support/test.h"

#include "recovery.h"
#include "site.h"
#include "support/outbox_host.h"
#include "support/sqlite_pool.h"

#define ORDERS 4

static struct site site;
static uint64_t kills[DEED_SEAM_COUNT];
static const char *mode; /* the journal mode of the host's file */

struct life {
    uint64_t kill_at; /* 0: to the end */
    bool orders;      /* takes orders; or only drains what was left */
};

static sqlite3 *open_host(void)
{
    char path[192];
    (void)snprintf(path, sizeof(path), "%s/shop", site.folder);
    sqlite3 *host = host_open(path, mode);
    if (host == NULL) {
        (void)site_fail(&site, "the host's database does not open");
    }
    return host;
}

static bool drain_all(void)
{
    char path[192];
    struct deed_drain drain = {.size = sizeof(drain)};
    (void)snprintf(path, sizeof(path), "%s/shop", site.folder);
    if (deed_outbox_drain(site.ledger, path, NULL, NULL, &drain, &site.err) != DEED_OK) {
        return site_fail(&site, "the outbox cannot be drained: %s", site.err.text);
    }
    return drain.refused == 0 && drain.waiting == 0
        ? true
        : site_fail(&site, "%llu rows were refused and %llu wait",
              (unsigned long long)drain.refused, (unsigned long long)drain.waiting);
}

static bool take_order(sqlite3 *host, int number)
{
    char key[32];
    char body[SITE_BODY_BYTES];
    (void)snprintf(key, sizeof(key), "order-%d", number);
    struct deed_payload payload = site_payload(&site, key, body);
    return host_order(host, key, &payload) || site_fail(&site, "%s cannot be taken", key);
}

static bool take_orders(sqlite3 *host)
{
    bool taken = true;
    for (int i = 0; taken && i < ORDERS; i++) {
        taken = take_order(host, i) && (i % 2 == 0 || (drain_all() && site_run_due(&site)));
    }
    return taken;
}

static bool live(struct site *place, void *context)
{
    const struct life *life = context;
    sqlite3 *host = open_host();
    bool lived = host != NULL && site_open(place);
    site_arm(place, life->kill_at);
    lived = lived && (life->orders ? take_orders(host) : drain_all() && site_run_due(place));
    site_close(place);
    (void)sqlite3_close(host);
    return lived;
}

/* ---- what is compared --------------------------------------------------------------------- */

static bool look_at_order(sqlite3_stmt *order)
{
    const char *key = (const char *)sqlite3_column_text(order, 0);
    if (!site_get(&site, key)) {
        return false; /* lost */
    }
    uint64_t effects = deed_world_effects(site.world, key);
    return (site.result.outcome == DEED_APPLIED && effects == 1) ||
        site_fail(&site, "%s is %s, with %llu effects", key, deed_outcome_name(site.result.outcome),
            (unsigned long long)effects);
}

static bool look_at_orders(sqlite3 *host)
{
    sqlite3_stmt *orders = NULL;
    bool fine = sqlite3_prepare_v2(host, "SELECT name FROM orders", -1, &orders, NULL) == SQLITE_OK;
    int64_t count = 0;
    while (fine && sqlite3_step(orders) == SQLITE_ROW) {
        fine = look_at_order(orders);
        count++;
    }
    (void)sqlite3_finalize(orders);
    return fine &&
        ((int64_t)deed_world_effects(site.world, NULL) == count ||
            site_fail(&site, "there are more effects than orders"));
}

static bool compare(void)
{
    sqlite3 *host = open_host();
    bool fine = host != NULL && site_open(&site) && look_at_orders(host) &&
        (host_number(host, HOST_ROWS) == 0 || site_fail(&site, "the outbox is not empty"));
    site_close(&site);
    (void)sqlite3_close(host);
    return fine;
}

static void recover_and_compare(uint64_t kill_at, uint64_t then_at)
{
    struct recovery recovery = {.asked = NULL}; /* nobody records again: the outbox must do */
    bool recovered = site_open(&site) && drain_all();
    site_close(&site);
    if (!recovered || !recover(&site, &recovery) || !compare()) {
        fail_msg("%s, at a %s provider, killed at crossing %llu (%s) then %llu: %s", mode,
            deed_provider_class_name(site.provider_class), (unsigned long long)kill_at,
            kill_at == 0 ? "none" : deed_seam_name(site.shared->killed_at),
            (unsigned long long)then_at, site.shared->failure);
    }
}

/* ---- sweeps ------------------------------------------------------------------------------- */

static uint64_t live_until(uint64_t kill_at)
{
    struct life life = {kill_at, true};
    site_clear(&site);
    assert_true(site_make_ledger(&site));
    enum site_end end = site_fork(&site, live, &life);
    if (end != (kill_at == 0 ? SITE_DONE : SITE_KILLED)) {
        fail_msg("killed at %llu: %s", (unsigned long long)kill_at, site.shared->failure);
    }
    if (kill_at != 0) {
        kills[site.shared->killed_at]++;
    }
    return site.shared->crossed;
}

/* The next life drains what this one left, and dies at each of its crossings too. */
static void die_twice(uint64_t kill_at)
{
    for (uint64_t then_at = 1;; then_at++) {
        struct life life = {then_at, false};
        assert_true(then_at < 200);
        (void)live_until(kill_at);
        enum site_end end = site_fork(&site, live, &life);
        assert_int_not_equal(end, SITE_FAILED);
        recover_and_compare(kill_at, then_at);
        if (end == SITE_DONE) {
            return;
        }
        kills[site.shared->killed_at]++;
    }
}

static void sweep(deed_provider_class provider_class, const char *host_mode)
{
    site.provider_class = provider_class;
    mode = host_mode;
    uint64_t crossed = live_until(0);
    recover_and_compare(0, 0);
    for (uint64_t kill_at = 1; kill_at <= crossed; kill_at++) {
        (void)live_until(kill_at);
        deed_seam seam = site.shared->killed_at;
        recover_and_compare(kill_at, 0);
        bool drains = seam == DEED_SEAM_RECORD_WRITTEN || seam == DEED_SEAM_OUTBOX_RECORDED ||
            seam == DEED_SEAM_OUTBOX_REMOVED;
        if (drains && provider_class == DEED_CLASS_KEYED) {
            die_twice(kill_at);
        }
    }
}

static void test_outbox__a_death_anywhere_loses_and_doubles_no_order(void **state)
{
    (void)state;
    sweep(DEED_CLASS_KEYED, "DELETE");
    sweep(DEED_CLASS_BLIND, "WAL");
    sweep(DEED_CLASS_LOOKUP, "TRUNCATE");
    static const deed_seam met[] = {DEED_SEAM_RECORD_WRITTEN, DEED_SEAM_RECORD_COMMITTED,
        DEED_SEAM_ATTEMPT_WRITTEN, DEED_SEAM_ATTEMPT_DURABLE, DEED_SEAM_SEND_EFFECT,
        DEED_SEAM_FINISH_COMMITTED, DEED_SEAM_OUTBOX_RECORDED, DEED_SEAM_OUTBOX_REMOVED};
    for (size_t i = 0; i < sizeof(met) / sizeof(met[0]); i++) {
        print_message(
            "%-20s %4llu deaths\n", deed_seam_name(met[i]), (unsigned long long)kills[met[i]]);
        assert_true(kills[met[i]] > 0);
    }
}

static int set_up(void **state)
{
    (void)state;
    return sqlite_pool_install() && site_new(&site) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    site_close(&site);
    site_free(&site);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outbox__a_death_anywhere_loses_and_doubles_no_order),
    };
    return cmocka_run_group_tests_name("outbox", tests, set_up, tear_down);
}
