/* SPDX-License-Identifier: MIT
 *
 * What a fork leaves in the child. SQLite keeps one entry for each file it has open in a process,
 * with the locks that process holds on it. The child inherits the entry and not the locks (those of
 * fcntl belong to a process): a file opened there again is read and written without locks that SQLite
 * believes it has, and another process may take the WAL's index from under it. Closing the handle
 * mends nothing, since the entry goes only with a connection that the child must not close. So a file
 * that was open in the parent at the fork is refused in the child, for good
 * (https://www.sqlite.org/howtocorrupt.html section 2.6).
 */
#include "sqlite_impl.h"

#include <deed/system.h>

#include <sys/stat.h>

#define INHERITED_MAX 256U

struct identity {
    uint64_t device;
    uint64_t inode;
};

static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sqlite_store *watched; /* files that are open in this process */
static pthread_once_t watch_once = PTHREAD_ONCE_INIT;
/* Written in the child of a fork, before it has a second thread. One more than there is room for:
 * some of them is not remembered, and every file is refused. */
static struct identity inherited[INHERITED_MAX];
static size_t inherited_count;

static void before_fork(void)
{
    (void)pthread_mutex_lock(&watch_lock);
}

static void in_parent(void)
{
    (void)pthread_mutex_unlock(&watch_lock);
}

static void in_child(void)
{
    for (const struct sqlite_store *at = watched; at != NULL; at = at->watched_next) {
        if (inherited_count < INHERITED_MAX) {
            inherited[inherited_count].device = at->device;
            inherited[inherited_count].inode = at->inode;
        }
        inherited_count += inherited_count <= INHERITED_MAX ? 1U : 0U;
    }
    watched = NULL;
    (void)pthread_mutex_unlock(&watch_lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_child);
}

bool deed__sqlite_forked(const struct sqlite_store *store)
{
    return store->process != deed_system_process();
}

static bool is_inherited(uint64_t device, uint64_t inode)
{
    for (size_t i = 0; i < inherited_count && i < INHERITED_MAX; i++) {
        if (inherited[i].device == device && inherited[i].inode == inode) {
            return true;
        }
    }
    return inherited_count > INHERITED_MAX;
}

deed_rc deed__sqlite_watch(struct sqlite_store *store, struct deed_error *err)
{
    struct stat facts;
    if (!store->on_disk || stat(store->path, &facts) != 0) {
        return DEED_OK; /* no file of the system's, so no lock of the system's */
    }
    (void)pthread_once(&watch_once, watch_forks);
    store->device = (uint64_t)facts.st_dev;
    store->inode = (uint64_t)facts.st_ino;
    (void)pthread_mutex_lock(&watch_lock);
    const bool refused = is_inherited(store->device, store->inode);
    if (!refused) {
        store->watched_next = watched;
        watched = store;
    }
    (void)pthread_mutex_unlock(&watch_lock);
    if (refused) {
        return deed_error_set(err, DEED_E_MISUSE, SQLITE_STORE_ORIGIN,
            "%s was open when this process was forked, and SQLite takes the parent's locks for its "
            "own here; close the ledger before fork, or let the child start a program (exec)",
            store->location);
    }
    return DEED_OK;
}

void deed__sqlite_unwatch(const struct sqlite_store *store)
{
    (void)pthread_mutex_lock(&watch_lock);
    struct sqlite_store **at = &watched;
    while (*at != NULL && *at != store) {
        at = &(*at)->watched_next;
    }
    if (*at != NULL) {
        *at = store->watched_next;
    }
    (void)pthread_mutex_unlock(&watch_lock);
}
