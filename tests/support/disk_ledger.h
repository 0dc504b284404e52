/* SPDX-License-Identifier: MIT
 *
 * A ledger on a simulated disk. The template is made once, on real files, and put there.
 */
#ifndef DEED_TESTS_DISK_LEDGER_H
#define DEED_TESTS_DISK_LEDGER_H

#include <deed/ledger.h>
#include <deed/mock/clock.h>
#include <deed/mock/disk.h>

#define DISK_LEDGER_PATH "/simulated/ledger"

/* A disk with an empty test ledger under DISK_LEDGER_PATH, durable. */
deed_disk *disk_ledger_new(const struct deed_disk_options *options);

/* What a program has: chance that repeats, and a fixed clock. */
struct disk_ledger {
    deed_sim_random *random;
    deed_sim_clock *clock;
    deed_ledger *ledger; /* NULL: it could not be opened; `rc` and `err` say why */
    deed_rc rc;
    struct deed_error err;
};
void disk_ledger_open(struct disk_ledger *program, deed_disk *disk, uint64_t seed);
void disk_ledger_close(struct disk_ledger *program);

deed_rc disk_ledger_record(struct disk_ledger *program, const char *key);
/* Plans and begins an attempt: afterwards a program sends. */
deed_rc disk_ledger_begin(
    struct disk_ledger *program, const char *key, struct deed_attempt *attempt_out);
deed_rc disk_ledger_finish(
    struct disk_ledger *program, const char *key, const struct deed_attempt *attempt);
/* All of it; the first code that is not DEED_OK. */
deed_rc disk_ledger_cycle(struct disk_ledger *program, const char *key);
/* DEED_E_NOT_FOUND where it is not there. */
deed_rc disk_ledger_get(
    struct disk_ledger *program, const char *key, struct deed_result *result_out);

#endif /* DEED_TESTS_DISK_LEDGER_H */
