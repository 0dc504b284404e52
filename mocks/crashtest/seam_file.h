/* SPDX-License-Identifier: MIT
 *
 * seam_file.h - what the driver and the preloaded library share: a file that each process of a trial
 * maps. It counts crossings of seams over all of them, and says at which one the group dies.
 */
#ifndef DEED_MOCKS_CRASHTEST_SEAM_FILE_H
#define DEED_MOCKS_CRASHTEST_SEAM_FILE_H

#include <stdatomic.h>
#include <stdint.h>

#define SEAM_FILE_VARIABLE "DEED_CRASHTEST_SEAMS" /* names the file */
#define SEAM_FILE_VERSION  1U
#define SEAM_FILE_NAMES    16384 /* crossings whose seam is remembered */

struct seam_file {
    uint32_t version;
    _Atomic uint32_t fired; /* the group was killed at `kill_at` */
    uint64_t kill_at;       /* 1, 2, ...; 0: at none */
    _Atomic uint64_t crossings;
    _Atomic uint8_t seams[SEAM_FILE_NAMES]; /* of crossing 1, 2, ...: deed_seam + 1 */
};

#endif /* DEED_MOCKS_CRASHTEST_SEAM_FILE_H */
