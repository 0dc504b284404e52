#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# FR-79, FR-80 of tests/field-reports.md: a file of a newer release, one step or a thousand ahead, and one
# whose two marks differ. Every command refuses it with both numbers; not one byte changes, and nothing is
# left beside it.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '' ''
record pay-1 pay-2
run 0 run pay-1
cp ledger.db whole.db
newest=$(sqlite3 whole.db 'PRAGMA user_version')

refused() { # STATUS WORD...
    run "$@"
    tells "$first"
    tells "$second"
    cmp -s ledger.db given.db || fail "${*:2} changed the file"
    is ledger.db "$(echo ledger.db*)"
}

every_command() {
    cp given.db ledger.db
    rm -f ledger.db-*
    refused 9 record pay-3 --kind payment --target acme --body x
    refused 9 record pay-1 --kind payment --target acme --body '{"cents": 1250}'
    refused 9 run pay-1
    refused 9 run pay-2
    refused 9 run --due
    refused 9 reconcile
    refused 9 reconcile pay-2
    refused 9 status
    refused 9 list
    refused 9 show pay-1
    refused 9 history pay-1
    refused 9 explain pay-1
    refused 9 hold pay-2 --by ann --reason x
    refused 9 resolve pay-2 --outcome applied --by ann --reason x
    refused 9 migrate
    refused 9 migrate --status
    refused 9 check
    is 0 "$(sends pay-2)"
}

for ahead in 1 1000; do
    cp whole.db given.db
    sqlite3 given.db "PRAGMA wal_checkpoint(TRUNCATE);
        WITH RECURSIVE later(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM later WHERE n < $ahead)
        INSERT INTO migration SELECT $newest + n, 'later', (SELECT max(checksum) FROM migration),
            1700000000000 FROM later;
        PRAGMA user_version = $((newest + ahead));" >/dev/null
    first="schema $((newest + ahead))"
    second="knows $newest"
    every_command
done

cp whole.db given.db
sqlite3 given.db "PRAGMA user_version = $((newest - 1))"
first="user_version says $((newest - 1))"
second="says $newest"
every_command
