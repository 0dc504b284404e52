#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# migrate adopts the fixture's table under a name of its own; looking changes nothing.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

cp "$DEED_SOURCE_DIR/tests/vectors/seed-ledger.sqlite3" ledger.db
chmod 600 ledger.db
cp ledger.db before
run 0 --json migrate --status
is true "$(field adoptable)"
is false "$(field current)"
run 0 --json migrate --dry-run
says '"applied":false'
run 0 migrate --status
says 'migrate --name NAME'
cmp ledger.db before
run 2 migrate
tells --name
run 2 migrate --name 'Not A Name'
run 12 init --name shop
cmp ledger.db before

run 0 --json list
first=$(head -1 out | "$SCHEMA_CHECK" --field key)
run 0 history "$first"
tells 'no events'
run 9 record new-1 --kind a --target b --body c

run 0 --json migrate --name shop --test
is true "$(field current)"
is true "$(field initialised)"
run 0 --json migrate
is true "$(field current)"
run 12 migrate --name other
run 0 check
run 0 --json show "$first"
is payload_missing "$(field reason)"
is null "$(field payload)"
is null "$(field recorded_at)"
run 14 --json status
is shop "$(field ledger | "$SCHEMA_CHECK" --field name)"

# A ledger of this version has nothing to migrate.
export DEED_LEDGER=new.db
ledger
run 0 migrate --status
says 'up to date'
run 2 migrate --status --dry-run
