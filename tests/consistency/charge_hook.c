/* SPDX-License-Identifier: MIT
 *
 * Linked beside docs/examples/charge.c, which knows nothing of it: kills the process at the n-th
 * seam it crosses (CHARGE_DIE=n) and sets every clock forward (CHARGE_LATER_MS), so that the example
 * as it is printed can be killed anywhere and found again later.
 */
#define _GNU_SOURCE
#include <deed/seam.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long number_of(const char *name)
{
    const char *text = getenv(name);
    return text == NULL ? 0 : strtol(text, NULL, 10);
}

static void die_at_last(void *context, deed_seam seam)
{
    static long crossed;
    (void)context;
    crossed++;
    if (crossed == number_of("CHARGE_DIE")) {
        (void)fprintf(stderr, "dies at %s\n", deed_seam_name(seam));
        (void)raise(SIGKILL);
    }
}

__attribute__((constructor)) static void hook(void)
{
    deed_seam_hook_set(die_at_last, NULL);
}

/* Before that of the C library, for the library that is linked as well. Its header uses names that are
 * reserved for it. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *now)
{
    const long later_ms = number_of("CHARGE_LATER_MS");
    const int code = (int)syscall(SYS_clock_gettime, id, now);
    now->tv_sec += later_ms / 1000;
    return code;
}
