/* SPDX-License-Identifier: MIT
 *
 * image.h - the databases that the ways begin with.
 */
#ifndef DEED_TESTS_WALRESET_IMAGE_H
#define DEED_TESTS_WALRESET_IMAGE_H

#include "play.h"

/* Copies `bytes`; ways_finish frees it. */
bool image_keep(struct way *way, const void *bytes, size_t count);

/* In way_plain.c and way_store.c; false: it could not be made. */
bool plain_prepare(void);
bool store_prepare(void);

#endif
