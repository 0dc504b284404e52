/* SPDX-License-Identifier: MIT
 *
 * Whether the handle that began an attempt is alive: a hint. Each handle holds a lock on one byte
 * of the file LEDGER-owners, at an offset that nobody else has drawn; the kernel lets go of it when
 * the process dies, however it dies. Open-file-description locks, so that two handles of one
 * process see each other too. No guarantee rests on it, and it excludes nobody.
 */
#include "sqlite_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PATH_ROOM 4096

static bool owners_path(const struct sqlite_store *store, char path[PATH_ROOM])
{
    const int bytes = snprintf(path, PATH_ROOM, "%s-owners", store->path);
    return store->on_disk && bytes > 0 && bytes < PATH_ROOM;
}

static struct flock byte_of(int64_t owner)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)owner, .l_len = 1};
}

static int64_t draw(const struct sqlite_store *store)
{
    uint64_t number = 0;
    if (!deed__sqlite_random(store, &number, sizeof(number))) {
        return 0;
    }
    return (int64_t)(number >> 2) + 1; /* 1 to 2^62 */
}

/* Under owner_lock. Without lock or file the number still tells handles apart. */
static void become_owner(struct sqlite_store *store)
{
    char path[PATH_ROOM];
    store->owner = draw(store);
    if (store->owner == 0 || store->read_only || !owners_path(store, path)) {
        return;
    }
    store->owner_file =
        (int)TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (store->owner_file >= 0) {
        struct flock lock = byte_of(store->owner);
        (void)TEMP_FAILURE_RETRY(fcntl(store->owner_file, F_OFD_SETLK, &lock));
    }
}

int64_t deed__sqlite_owner(void *self)
{
    struct sqlite_store *store = self;
    if (deed__sqlite_forked(store)) {
        return 0;
    }
    (void)pthread_mutex_lock(&store->owner_lock);
    if (store->owner == 0) {
        become_owner(store);
    }
    const int64_t owner = store->owner;
    (void)pthread_mutex_unlock(&store->owner_lock);
    return owner;
}

bool deed__sqlite_owner_lives(void *self, int64_t owner)
{
    struct sqlite_store *store = self;
    char path[PATH_ROOM];
    const bool forked = deed__sqlite_forked(store);
    /* Called from inside operations too: no lock here. */
    if (owner == store->owner && !forked) {
        return true; /* our own lock does not stand in our own way */
    }
    if (forked || owner <= 0 || !owners_path(store, path)) {
        return true; /* it cannot be told */
    }
    /* A description of its own, so that even a lock of this handle's would be seen. */
    const int file = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (file < 0) {
        return errno != ENOENT; /* no file: nobody has ever held a lock in it */
    }
    struct flock lock = byte_of(owner);
    const bool told = TEMP_FAILURE_RETRY(fcntl(file, F_OFD_GETLK, &lock)) == 0;
    (void)close(file);
    return !told || lock.l_type != F_UNLCK;
}

void deed__sqlite_owner_finish(struct sqlite_store *store)
{
    if (store->owner_file >= 0) {
        (void)close(store->owner_file);
        store->owner_file = -1;
    }
}
