/* SPDX-License-Identifier: MIT
 *
 * stop.h - SIGINT and SIGTERM in commands that send.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdbool.h>
#include <stdint.h>

/* From here on the first signal only asks: no new work is begun, the running attempt reaches its
 * end. A second one leaves at once; what was being sent is then uncertain, and the ledger says so. */
void stop_listen(void);
bool stop_asked(void);

/* Sleeps that long, by a clock nobody sets; a signal ends it at once. False: a stop was asked. */
bool stop_sleep(int64_t sleep_ms);
/* What that clock says. */
int64_t stop_clock_ms(void);

#endif
