/* SPDX-License-Identifier: MIT */
#include "counting_store.h"

#include <stdatomic.h>
#include <stdlib.h>

struct counting {
    struct deed_store face; /* what the ledger sees; `self` of it is this struct */
    struct deed_store *inner;
    atomic_ulong writes;
};

/* The only function that does more than pass on. Any thread may call it, so the count is atomic. */
static deed_rc counting_write(void *self, struct deed_op *ops, size_t count, struct deed_error *err)
{
    struct counting *counting = self;
    (void)atomic_fetch_add(&counting->writes, 1);
    return counting->inner->write(counting->inner->self, ops, count, err);
}

static deed_rc counting_read(void *self, struct deed_op *op, struct deed_error *err)
{
    const struct counting *counting = self;
    return counting->inner->read(counting->inner->self, op, err);
}

static deed_rc counting_recover(void *self, struct deed_error *err)
{
    const struct counting *counting = self;
    return counting->inner->recover(counting->inner->self, err);
}

static int64_t counting_owner(void *self)
{
    const struct counting *counting = self;
    return counting->inner->owner(counting->inner->self);
}

static bool counting_owner_lives(void *self, int64_t owner)
{
    const struct counting *counting = self;
    return counting->inner->owner_lives(counting->inner->self, owner);
}

static deed_rc counting_schema(void *self, struct deed_schema *schema, struct deed_error *err)
{
    const struct counting *counting = self;
    return counting->inner->schema(counting->inner->self, schema, err);
}

static deed_rc counting_migrate(
    void *self, bool dry_run, deed_migration_visit visit, void *context, struct deed_error *err)
{
    const struct counting *counting = self;
    return counting->inner->migrate(counting->inner->self, dry_run, visit, context, err);
}

static deed_rc counting_check(void *self, struct deed_error *err)
{
    const struct counting *counting = self;
    return counting->inner->check(counting->inner->self, err);
}

static void counting_identity(void *self, uint64_t *device_out, uint64_t *inode_out)
{
    const struct counting *counting = self;
    counting->inner->identity(counting->inner->self, device_out, inode_out);
}

static bool counting_read_only(void *self)
{
    const struct counting *counting = self;
    return counting->inner->read_only(counting->inner->self);
}

static void counting_close(void *self)
{
    struct counting *counting = self;
    counting->inner->close(counting->inner->self);
    free(counting);
}

struct deed_store *counting_store_new(struct deed_store *inner)
{
    struct counting *counting = calloc(1, sizeof *counting);
    if (counting == NULL) {
        inner->close(inner->self);
        return NULL;
    }
    counting->inner = inner;
    atomic_init(&counting->writes, 0);
    counting->face = (struct deed_store){.size = sizeof counting->face,
        .name = "counting",
        .location = inner->location,
        .self = counting,
        .write = counting_write,
        .read = counting_read,
        .recover = counting_recover,
        .owner = counting_owner,
        .owner_lives = counting_owner_lives,
        .schema = counting_schema,
        .migrate = counting_migrate,
        .check = counting_check,
        .identity = counting_identity,
        .read_only = counting_read_only,
        .close = counting_close};
    return &counting->face;
}

struct deed_store *counting_store_inner(const struct deed_store *store)
{
    return ((const struct counting *)store->self)->inner;
}

unsigned long counting_store_writes(const struct deed_store *store)
{
    struct counting *counting = store->self;
    return atomic_load(&counting->writes);
}
