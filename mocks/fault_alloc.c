/* SPDX-License-Identifier: MIT
 *
 * Memory in the hands of a test. Each block carries its size in front, so that a caller who gives
 * back another size than it asked for is found out.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>
#include <deed/mock/clock.h>

struct deed_fault_alloc {
    pthread_mutex_t mutex;
    struct deed_allocator source;
    struct deed_fault_alloc_counts counts;
    uint64_t fails_at; /* number of the request; 0: none */
    bool sticky;
};

/* As large as the strictest alignment, so that what follows is aligned. */
union header {
    size_t bytes;
    max_align_t alignment;
};

static bool fails_now(struct deed_fault_alloc *alloc)
{
    alloc->counts.requests++;
    if (alloc->fails_at == 0 || alloc->counts.requests < alloc->fails_at) {
        return false;
    }
    if (alloc->counts.requests > alloc->fails_at && !alloc->sticky) {
        return false;
    }
    alloc->counts.failed++;
    return true;
}

static void *move_to(union header *old, size_t new_bytes)
{
    if (new_bytes > SIZE_MAX - sizeof(*old)) {
        return NULL;
    }
    union header *made = malloc(sizeof(*made) + new_bytes);
    if (made == NULL) {
        return NULL;
    }
    made->bytes = new_bytes;
    if (old != NULL) { /* always to another place: whoever kept the old one reads freed memory */
        memcpy(made + 1, old + 1, old->bytes < new_bytes ? old->bytes : new_bytes);
        free(old);
    }
    return made + 1;
}

static void *resize_locked(
    struct deed_fault_alloc *alloc, void *memory, size_t old_bytes, size_t new_bytes)
{
    union header *old = memory != NULL ? (union header *)memory - 1 : NULL;
    size_t had_bytes = old != NULL ? old->bytes : 0;
    if (old_bytes != had_bytes) {
        alloc->counts.misused++;
    }
    void *made = NULL;
    if (new_bytes > 0) {
        made = fails_now(alloc) ? NULL : move_to(old, new_bytes);
        if (made == NULL) {
            return NULL; /* `memory` stays as it was */
        }
    } else {
        free(old);
    }
    alloc->counts.live += (made != NULL ? 1U : 0U);
    alloc->counts.live -= (old != NULL ? 1U : 0U);
    alloc->counts.live_bytes += new_bytes;
    alloc->counts.live_bytes -= had_bytes;
    return made;
}

static void *resize(void *self, void *memory, size_t old_bytes, size_t new_bytes)
{
    struct deed_fault_alloc *alloc = self;
    (void)pthread_mutex_lock(&alloc->mutex);
    void *made = resize_locked(alloc, memory, old_bytes, new_bytes);
    (void)pthread_mutex_unlock(&alloc->mutex);
    return made;
}

deed_rc deed_fault_alloc_new(deed_fault_alloc **alloc_out, struct deed_error *err)
{
    struct deed_fault_alloc *alloc = calloc(1, sizeof(*alloc));
    if (alloc == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, "mock.memory", "no memory for an allocator");
    }
    (void)pthread_mutex_init(&alloc->mutex, NULL);
    alloc->source = (struct deed_allocator){sizeof(struct deed_allocator), alloc, resize};
    alloc->counts.size = sizeof(alloc->counts);
    *alloc_out = alloc;
    return DEED_OK;
}

void deed_fault_alloc_free(deed_fault_alloc *alloc)
{
    if (alloc != NULL) {
        (void)pthread_mutex_destroy(&alloc->mutex);
        free(alloc);
    }
}

const struct deed_allocator *deed_fault_alloc_source(const deed_fault_alloc *alloc)
{
    return &alloc->source;
}

void deed_fault_alloc_fail(deed_fault_alloc *alloc, uint64_t nth, bool sticky)
{
    (void)pthread_mutex_lock(&alloc->mutex);
    alloc->fails_at = nth == 0 ? 0 : alloc->counts.requests + nth;
    alloc->sticky = sticky;
    (void)pthread_mutex_unlock(&alloc->mutex);
}

void deed_fault_alloc_count(
    const deed_fault_alloc *alloc, struct deed_fault_alloc_counts *counts_out)
{
    struct deed_fault_alloc *inside = alloc->source.self; /* the same one, to be locked */
    (void)pthread_mutex_lock(&inside->mutex);
    *counts_out = inside->counts;
    (void)pthread_mutex_unlock(&inside->mutex);
}
