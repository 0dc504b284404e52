/* SPDX-License-Identifier: MIT
 *
 * The machine's clocks, randomness and memory: the only place of the library that asks for them,
 * so that `core` can be run in any other time.
 */
#include <deed/system.h>

#include <errno.h>
#include <fcntl.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool read_ms(clockid_t id, int64_t *ms_out)
{
    struct timespec time;
    if (clock_gettime(id, &time) != 0) {
        return false;
    }
    *ms_out = (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
    return true;
}

static pthread_once_t boot_once = PTHREAD_ONCE_INIT;
static char boot_text[DEED_BOOT_BYTES]; /* "" if it cannot be read */

/* Once for a process: it cannot outlive its boot. */
static void read_boot(void)
{
    int fd = (int)TEMP_FAILURE_RETRY(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    if (fd < 0) {
        return;
    }
    char text[DEED_BOOT_BYTES] = {0};
    ssize_t got = TEMP_FAILURE_RETRY(read(fd, text, sizeof(text) - 1));
    (void)close(fd);
    if (got > 0) {
        text[strcspn(text, "\n")] = '\0';
        memcpy(boot_text, text, sizeof(boot_text));
    }
}

static bool system_now(void *self, struct deed_instant *now_out)
{
    (void)self;
    memset(now_out, 0, sizeof(*now_out));
    (void)pthread_once(&boot_once, read_boot);
    memcpy(now_out->boot, boot_text, sizeof(boot_text));
    return boot_text[0] != '\0' && read_ms(CLOCK_REALTIME, &now_out->wall_ms) &&
        read_ms(CLOCK_BOOTTIME, &now_out->mono_ms);
}

static bool system_fill(void *self, void *buffer, size_t buffer_bytes)
{
    (void)self;
    return buffer_bytes <= INT32_MAX && RAND_bytes(buffer, (int)buffer_bytes) == 1;
}

static void *system_resize(void *self, void *memory, size_t old_bytes, size_t new_bytes)
{
    (void)self;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, new_bytes);
}

/* ---- the process -------------------------------------------------------------------------- */

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static _Atomic uint32_t forks; /* between this process and the first one that asked */

static void count_fork(void)
{
    forks++;
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, count_fork);
}

/* Both halves are needed: a process id is given again once its process has ended, and a raw clone or
 * _Fork runs no handler. */
uint64_t deed_system_process(void)
{
    (void)pthread_once(&fork_once, watch_forks);
    return (uint64_t)forks << 32 | (uint32_t)getpid();
}

/* ---- what stands in ----------------------------------------------------------------------- */

const struct deed_clock *deed_system_clock(void)
{
    static const struct deed_clock clock = {sizeof(clock), NULL, system_now};
    return &clock;
}

const struct deed_random *deed_system_random(void)
{
    static const struct deed_random random = {sizeof(random), NULL, system_fill};
    return &random;
}

const struct deed_allocator *deed_system_memory(void)
{
    static const struct deed_allocator memory = {sizeof(memory), NULL, system_resize};
    return &memory;
}
