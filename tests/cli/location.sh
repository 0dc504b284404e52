#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The ledger is named, or refused by name: nothing falls back to another store (a guard must not be off
# unnoticed), nothing but init creates, and an address is never printed with its password.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

unset DEED_LEDGER
run 2 status
tells 'there is no default'

for bad in postgresql://ann:secret@db/deed postgres://ann:secret@db/deed; do
    run 2 --ledger "$bad" init --name shop
    tells 'no PostgreSQL store'
    tells_not secret
done
run 2 --ledger mysql://ann:secret@db status
tells 'mysql://'
tells_not secret
run 2 --ledger file:x.db status
tells 'file:'
run 2 --ledger :memory: init --name shop
tells 'in memory'
run 2 --ledger '' status
tells 'empty'

run 1 --json --ledger missing.db status
is DEED_E_STORE "$(error_field code)"
tells missing.db
[ ! -e missing.db ] || fail "status created a ledger"

run 0 --ledger=here.db init --name shop
DEED_LEDGER=nowhere.db run 0 --ledger here.db status
says here.db
run 0 status --ledger here.db
