/* SPDX-License-Identifier: MIT
 *
 * What can become of so many units: all of it where that is few, and else a set that is known to find
 * most of what there is to find.
 */
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "disk/disk.h"
#include "mix.h"

#define MIXTURES              64U
#define MIXTURES_WITH_SUBSETS 16U

struct deed_disk_fates {
    uint32_t units;
    uint64_t seed;
    uint64_t count;
    uint64_t at;
    uint8_t bytes[];
};

deed_rc deed_disk_fates_new(
    uint32_t units, uint64_t seed, deed_disk_fates **fates_out, struct deed_error *err)
{
    deed_disk_fates *fates = calloc(1, sizeof(*fates) + units + 1);
    if (fates == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, DISK_ORIGIN, "no memory for fates");
    }
    fates->units = units;
    fates->seed = seed;
    if (units == 0) {
        fates->count = 1;
    } else if (units <= DEED_DISK_SUBSETS_MAX) {
        fates->count = (UINT64_C(1) << units) + units + MIXTURES_WITH_SUBSETS;
    } else { /* none; prefixes, the longest of which is all; omissions; survivors; torn prefixes */
        fates->count = 1 + UINT64_C(4) * units + MIXTURES;
    }
    *fates_out = fates;
    return DEED_OK;
}

void deed_disk_fates_free(deed_disk_fates *fates)
{
    free(fates);
}

uint64_t deed_disk_fates_count(const deed_disk_fates *fates)
{
    return fates->count;
}

/* Lost and kept far above torn and noise: where checksums throw everything away, an error of order
 * does not show. */
static void mix(deed_disk_fates *fates, uint64_t number)
{
    static const deed_disk_fate weights[16] = {DEED_DISK_KEPT, DEED_DISK_KEPT, DEED_DISK_KEPT,
        DEED_DISK_KEPT, DEED_DISK_KEPT, DEED_DISK_KEPT, DEED_DISK_KEPT, DEED_DISK_LOST,
        DEED_DISK_LOST, DEED_DISK_LOST, DEED_DISK_LOST, DEED_DISK_LOST, DEED_DISK_LOST,
        DEED_DISK_TORN, DEED_DISK_NOISE, DEED_DISK_GROWN};
    uint64_t stream = deed__mix(fates->seed ^ deed__mix(number));
    for (uint32_t i = 0; i < fates->units; i++) {
        fates->bytes[i] = (uint8_t)weights[deed__draw(&stream) >> 60];
    }
}

static void tear(deed_disk_fates *fates, size_t unit)
{
    memset(fates->bytes, DEED_DISK_KEPT, unit);
    fates->bytes[unit] = DEED_DISK_TORN;
}

static void fill_subset(deed_disk_fates *fates, uint64_t number)
{
    const uint64_t subsets = UINT64_C(1) << fates->units;
    if (number < subsets) {
        for (uint32_t i = 0; i < fates->units; i++) {
            fates->bytes[i] = (number >> i & 1) != 0 ? DEED_DISK_KEPT : DEED_DISK_LOST;
        }
    } else if (number - subsets < fates->units) {
        tear(fates, (size_t)(number - subsets));
    } else {
        mix(fates, number);
    }
}

/* The `number`-th of the bounded set, 1 or more. */
static void fill_bounded(deed_disk_fates *fates, uint64_t number)
{
    const uint64_t family = (number - 1) / fates->units;
    const size_t unit = (size_t)((number - 1) % fates->units);
    switch (family) {
    case 0: /* a prefix */
        memset(fates->bytes, DEED_DISK_KEPT, unit + 1);
        break;
    case 1: /* all but one */
        memset(fates->bytes, DEED_DISK_KEPT, fates->units);
        fates->bytes[unit] = DEED_DISK_LOST;
        break;
    case 2: /* one */
        fates->bytes[unit] = DEED_DISK_KEPT;
        break;
    case 3: /* a prefix whose last one is torn */
        tear(fates, unit);
        break;
    default:
        mix(fates, number);
        break;
    }
}

const uint8_t *deed_disk_fates_next(deed_disk_fates *fates)
{
    if (fates->at == fates->count) {
        return NULL;
    }
    const uint64_t number = fates->at++;
    memset(fates->bytes, DEED_DISK_LOST, fates->units);
    if (fates->units <= DEED_DISK_SUBSETS_MAX) {
        fill_subset(fates, number);
    } else if (number > 0) {
        fill_bounded(fates, number);
    }
    return fates->bytes;
}
