/* SPDX-License-Identifier: MIT */
#include "support/sweep.h"

#include "support/disk_ledger.h"
#include "support/test.h"

static deed_disk *fresh; /* an empty ledger, never opened */
static deed_disk *disk;
static deed_disk *left;

deed_disk *sweep_disk(void)
{
    if (disk == NULL) {
        fresh = disk_ledger_new(NULL);
        assert_int_equal(deed_disk_copy(fresh, &disk, NULL), DEED_OK);
        assert_int_equal(deed_disk_copy(fresh, &left, NULL), DEED_OK);
    }
    return disk;
}

void sweep_disk_renew(void)
{
    deed_disk *now = sweep_disk();
    assert_int_equal(deed_disk_become(now, fresh, NULL), DEED_OK);
}

deed_disk *sweep_disk_left(bool power_gone)
{
    assert_int_equal(deed_disk_become(left, disk, NULL), DEED_OK);
    if (power_gone) {
        deed_disk_restart(left, NULL, 0);
    }
    return left;
}

void sweep_disk_free(void)
{
    deed_disk_free(left);
    deed_disk_free(disk);
    deed_disk_free(fresh);
    left = NULL;
    disk = NULL;
    fresh = NULL;
}

/* ---- images that were looked at --------------------------------------------------------------------- */

#define IMAGES_MAX (1U << 14) /* a power of two, many more than one action leaves */

static struct image {
    uint64_t hash;
    char standing[SWEEP_STANDING_BYTES];
} images[IMAGES_MAX];
static uint64_t images_count;
static uint64_t images_before; /* of actions that were forgotten */

char *sweep_disk_known(const deed_disk *of)
{
    const uint64_t hash = deed_disk_hash(of, false);
    uint64_t at = hash % IMAGES_MAX;
    while (images[at].standing[0] != '\0' && images[at].hash != hash) {
        at = (at + 1) % IMAGES_MAX;
    }
    if (images[at].standing[0] == '\0') {
        images[at].hash = hash;
        assert_true(++images_count < IMAGES_MAX / 2);
    }
    return images[at].standing;
}

void sweep_disk_forget(void)
{
    memset(images, 0, sizeof(images));
    images_before += images_count;
    images_count = 0;
}

uint64_t sweep_images(void)
{
    return images_before + images_count;
}
