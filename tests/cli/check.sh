#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check says what is broken, and ends 10; a ledger that is damaged sends nothing.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '' ''
record pay-1 pay-2
run 0 run pay-1
run 0 --json check
is 2 "$(field intents)"
is 0 "$(field broken)"
run 0 check
says 'nothing is broken'

table=$(sqlite3 ledger.db "SELECT name FROM sqlite_master WHERE name LIKE '%event%' AND type='table'" | head -1)
sqlite3 ledger.db "SELECT name FROM sqlite_master WHERE type='trigger'" | while read -r trigger; do
    sqlite3 ledger.db "DROP TRIGGER $trigger"
done
sqlite3 ledger.db "UPDATE $table SET actor = 'somebody else' WHERE rowid = (SELECT max(rowid) FROM $table)"
run 10 --json check
is broken "$(head -1 out | "$SCHEMA_CHECK" --field object)"
is DEED_E_CHECK "$(error_field code)"
run 10 check
says pay-1
