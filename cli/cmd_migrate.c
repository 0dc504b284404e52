/* SPDX-License-Identifier: MIT
 *
 * cmd_migrate.c - deed migrate: brings an older ledger, or the fixture's table, to this schema.
 */
#include "cli.h"

#include <stdio.h>

struct migrating {
    struct cli *cli;
    bool dry_run;
    unsigned count;
};

static void see_migration(void *context, int number, const char *name)
{
    struct migrating *migrating = context;
    migrating->count++;
    if (migrating->cli->out.json) {
        json_t *object = output_object("migration");
        (void)json_object_set_new(object, "number", json_integer(number));
        output_set_text(object, "name", name);
        (void)json_object_set_new(object, "applied", json_boolean(!migrating->dry_run));
        output_json(&migrating->cli->out, object);
    } else {
        (void)printf("%s %04d %s\n", migrating->dry_run ? "would apply" : "applied", number, name);
    }
}

static void answer(struct cli *cli, const struct deed_schema *schema, bool named)
{
    const bool current = schema->found == schema->wanted && schema->initialised;
    if (cli->out.json) {
        json_t *object = output_object("schema");
        (void)json_object_set_new(object, "found", json_integer(schema->found));
        (void)json_object_set_new(object, "wanted", json_integer(schema->wanted));
        (void)json_object_set_new(object, "adoptable", json_boolean(schema->adoptable));
        (void)json_object_set_new(object, "initialised", json_boolean(schema->initialised));
        (void)json_object_set_new(object, "current", json_boolean(current));
        output_json(&cli->out, object);
        return;
    }
    (void)printf(
        "schema %d of %d%s\n", schema->found, schema->wanted, current ? ": up to date" : "");
    if (schema->adoptable) {
        (void)fputs("the table of the recorded-intent fixture, not adopted yet\n", stdout);
    }
    if (!current && !named && schema->initialised) {
        (void)fputs("next: deed migrate\n", stdout);
    } else if (!current && !named) {
        (void)fputs("it needs a name of its own, for ever: `deed migrate --name NAME`\n", stdout);
    }
}

/* A ledger has one name, for ever; what has none yet needs one now. */
static deed_rc check_names(
    const struct arguments *arguments, const struct deed_schema *schema, struct deed_error *err)
{
    const char *name = arguments->values[OPT_NAME];
    if (given(arguments, OPT_STATUS) && (name || given(arguments, OPT_DRY_RUN))) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--status changes nothing: it goes with neither --name nor --dry-run");
    }
    if (schema->initialised && (name || given(arguments, OPT_TEST))) {
        return cli_error(err, DEED_E_NO_STEP, "deed status",
            "this ledger has its name and its kind already, and keeps them for ever; leave out "
            "--name and --test");
    }
    const bool changes = !given(arguments, OPT_STATUS) && !given(arguments, OPT_DRY_RUN);
    const bool hollow = schema->found == schema->wanted && !schema->initialised &&
        !schema->has_intents && !schema->adoptable;
    if (hollow && changes) {
        return cli_error(err, DEED_E_SCHEMA, NULL,
            "this file has neither name nor intents, and nothing to migrate: it is a copy without "
            "the -wal file that belongs beside it, or an init that was ended half-way; find the "
            "-wal file if it was ever used, and run deed init again only if it never was");
    }
    if (!schema->initialised && !name && changes) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "this ledger has no name yet, and its name is part of every key sent to a provider: "
            "give it one with --name");
    }
    return name ? cli_check_name(name, err) : DEED_OK;
}

static deed_rc migrate(
    struct cli *cli, struct deed_store *store, struct deed_schema *schema, struct deed_error *err)
{
    const struct arguments *arguments = &cli->arguments;
    struct migrating migrating = {.cli = cli, .dry_run = given(arguments, OPT_DRY_RUN)};
    deed_rc rc = store->migrate(store->self, migrating.dry_run, see_migration, &migrating, err);
    if (rc == DEED_OK && !migrating.dry_run && !schema->initialised) {
        rc = deed_ledger_init(
            store, arguments->values[OPT_NAME], given(arguments, OPT_TEST), NULL, err);
    }
    if (rc == DEED_OK && !migrating.dry_run) {
        rc = store->schema(store->self, schema, err);
    }
    return rc;
}

int cmd_migrate(struct cli *cli)
{
    const struct arguments *arguments = &cli->arguments;
    struct deed_error err = {0};
    struct deed_store *store = NULL;
    struct deed_schema schema = {.size = sizeof schema};
    const bool looks_only = given(arguments, OPT_STATUS) || given(arguments, OPT_DRY_RUN);
    deed_rc rc = cli_open_store(cli, looks_only, &store, &err);
    if (rc == DEED_OK) {
        rc = store->schema(store->self, &schema, &err);
    }
    if (rc == DEED_OK) {
        rc = check_names(arguments, &schema, &err);
    }
    if (rc == DEED_OK && !given(arguments, OPT_STATUS)) {
        rc = migrate(cli, store, &schema, &err);
    }
    if (store) {
        store->close(store->self);
    }
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    answer(cli, &schema, given(arguments, OPT_NAME));
    return 0;
}
