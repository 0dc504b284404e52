/* SPDX-License-Identifier: MIT
 *
 * preload.c - counts crossings of deed's seams in programs of any language, and kills their process
 * group at the chosen one. Loaded by LD_PRELOAD of `deed crashtest`; nothing else reads its variable.
 *
 * It is not linked with libdeed, so that a program without libdeed does not get one. A program that
 * is linked with libdeed has its hook set before main. Where libdeed comes later, by dlopen, the
 * dynamic linker binds its deed_seam_cross to the one below, since a preloaded library stands before
 * it; so each crossing is counted once either way. A libdeed that was linked statically is not seen.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deed/seam.h>

#include "crashtest/seam_file.h"

static struct seam_file *file; /* NULL: this process is not part of a trial */
static void (*cross)(deed_seam);

static void count(void *context, deed_seam seam)
{
    (void)context;
    const uint64_t crossing = atomic_fetch_add(&file->crossings, 1) + 1;
    if (crossing <= SEAM_FILE_NAMES) {
        atomic_store(&file->seams[crossing - 1], (uint8_t)(seam + 1));
    }
    if (crossing == file->kill_at) {
        atomic_store(&file->fired, 1);
        (void)kill(0, SIGKILL);
    }
}

static void map_file(void)
{
    const char *path = getenv(SEAM_FILE_VARIABLE);
    const int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct stat is;
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &is) == 0 && is.st_size == (off_t)sizeof *file) {
        void *at = mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        file = at == MAP_FAILED ? NULL : at;
    }
    (void)close(fd);
    if (file && file->version != SEAM_FILE_VERSION) {
        (void)munmap(file, sizeof *file);
        file = NULL;
    }
}

__attribute__((constructor)) static void start(void)
{
    map_file();
    void (*hook_set)(deed_seam_hook, void *) = NULL;
    if (file) {
        *(void **)&hook_set = dlsym(RTLD_DEFAULT, "deed_seam_hook_set");
        *(void **)&cross = dlsym(RTLD_NEXT, "deed_seam_cross");
    }
    if (hook_set && cross) {
        hook_set(count, NULL);
    }
}

DEED_API void deed_seam_cross(deed_seam seam)
{
    if (cross) {
        cross(seam); /* libdeed's own: it calls the hook */
    } else if (file) {
        count(NULL, seam);
    }
}
