/* SPDX-License-Identifier: MIT
 *
 * The bytes of a file, in pages that are shared until one side writes: a snapshot of a disk costs a
 * reference for each file, whatever its size. One thread.
 */
#ifndef DEED_MOCKS_DISK_IMAGE_H
#define DEED_MOCKS_DISK_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image; /* NULL: empty */

struct image *deed__image_ref(struct image *image);
void deed__image_unref(struct image *image);

uint64_t deed__image_bytes(const struct image *image);
/* Copies what is there, and says how much; the rest of `buffer` becomes zero. */
size_t deed__image_read(
    const struct image *image, uint64_t offset, void *buffer, size_t buffer_bytes);
/* These change *image only: whoever shares it keeps what he had. Holes are zero. false: no memory,
 * and the bytes are as before, or in part. */
bool deed__image_write(
    struct image **image, uint64_t offset, const void *bytes, size_t bytes_count);
bool deed__image_resize(struct image **image, uint64_t bytes_count);

/* Of the bytes and nothing else. Remembered by each page. */
uint64_t deed__image_hash(const struct image *image);

#endif /* DEED_MOCKS_DISK_IMAGE_H */
