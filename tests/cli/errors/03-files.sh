# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by errors_golden.sh: files that are no ledger, are damaged, or belong to another version.
title 'files that are no ledger'
printf 'a text that is long enough to be read as a header of something, but is none of it, and so on, and on' >text.db
t --ledger text.db status
: >empty.db
t --ledger empty.db status
sqlite3 other.db 'PRAGMA application_id = 42; CREATE TABLE t(a)'
t --ledger other.db status
sqlite3 plain.db 'CREATE TABLE t(a)'
t --ledger plain.db status
cp ledger.db cut.db
truncate -s 9000 cut.db
t --ledger cut.db status

title 'older and newer ones'
t --ledger fixture.db record pay-1 --kind payment --target acme --body geheim
t --ledger fixture.db check
t --ledger fixture.db migrate
t --ledger fixture.db migrate --name 'Not A Name'
t --ledger fixture.db migrate --status --dry-run
t migrate --name other
"$DEED" --ledger newer.db init --name newer >/dev/null
newest=$(sqlite3 newer.db 'PRAGMA user_version')
sqlite3 newer.db "PRAGMA user_version = $((newest + 1))"
t --ledger newer.db status
sqlite3 newer.db "PRAGMA user_version = $((newest - 1))"
t --ledger newer.db status

title 'a ledger that was tampered with'
# Every trigger goes, so that a table can be changed as no ledger would.
unlock() {
    sqlite3 "$1" "SELECT name FROM sqlite_master WHERE type = 'trigger'" >triggers
    local trigger
    while read -r trigger; do
        sqlite3 "$1" "DROP TRIGGER $trigger"
    done <triggers
}
fresh() {
    rm -f bad.db*
    "$DEED" --ledger bad.db init --name bad --test >/dev/null
    "$DEED" --ledger bad.db record pay-1 --kind payment --target acme --body x >/dev/null
}
fresh
sqlite3 bad.db 'DROP TRIGGER event_stays'
t --ledger bad.db check
fresh
unlock bad.db
sqlite3 bad.db "UPDATE event SET actor = 'somebody'"
t --ledger bad.db check
fresh
unlock bad.db
sqlite3 bad.db 'UPDATE intent SET attempts = 1'
t --ledger bad.db show pay-1
fresh
unlock bad.db
sqlite3 bad.db 'DELETE FROM ledger'
t --ledger bad.db status
fresh
unlock bad.db
sqlite3 bad.db "PRAGMA ignore_check_constraints = 1; UPDATE intent SET digest = 'x'"
t --ledger bad.db show pay-1
fresh
sqlite3 bad.db "UPDATE migration SET checksum = '$(letters 64 0)' WHERE number = 2"
t --ledger bad.db status
fresh
sqlite3 bad.db 'DELETE FROM migration WHERE number = 3'
t --ledger bad.db status
fresh
sqlite3 bad.db 'PRAGMA journal_mode = DELETE' >/dev/null
t --ledger bad.db record pay-2 --kind payment --target acme --body x

title 'an older ledger'
for number in 1 2 3 4; do
    file=$(echo "$DEED_SOURCE_DIR"/migrations/sqlite/000${number}_*.sql)
    sqlite3 older.db <"$file"
    [ $number = 1 ] || for n in $(seq $((number == 2 ? 1 : number)) $number); do
        file=$(echo "$DEED_SOURCE_DIR"/migrations/sqlite/000"${n}"_*.sql)
        name=$(basename "$file" .sql)
        sqlite3 older.db "INSERT INTO migration VALUES ($n, '${name#*_}',
            '$(sha256sum <"$file" | cut -d' ' -f1)', 1700000000000)"
    done
done
id=$(sqlite3 bad.db 'PRAGMA application_id')
sqlite3 older.db "PRAGMA application_id = $id; PRAGMA user_version = 4" 'PRAGMA journal_mode = WAL' >/dev/null
t --ledger older.db status
t --ledger older.db migrate
