#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record --outbox moves what a host has put into its own file: an answer for each row, as --from gives,
# one status for all; a row that is refused stays there and stops no other.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

put() { # KEY KIND
    sqlite3 host.db "INSERT INTO deed_outbox (action_key, kind, target, body) VALUES ('$1', '$2', 'acme', '{}')"
}
rows() { sqlite3 host.db 'SELECT group_concat(action_key) FROM deed_outbox'; }

ledger
run 2 record --outbox missing.db
[ ! -e missing.db ] || fail "a file was made that is nobody's outbox"
sqlite3 host.db "$("$OUTBOX_TABLE")"
run 0 --json record --outbox host.db
is 0 "$(field moved)"

put pay-1 payment
put pay-2 payment
run 0 --json record --outbox host.db
is 'intent intent drain' "$(fields object)"
is 'pay-1 pay-2' "$(fields key | sed 's/ missing//')"
is 2 "$(field moved)"
is 0 "$(field waiting)"
is '' "$(rows)"

run 0 record --outbox host.db
tells '0 moved, 0 refused and kept in the outbox with the reason, 0 still to be moved'

# The same again is moved, another payload under the same key is not.
put pay-1 payment
put pay-2 refund
put pay-3 payment
run 4 record --outbox host.db
says 'pay-1: not attempted (recorded); recorded before'
says 'pay-3: not attempted (recorded); recorded now'
tells 'pay-2'
tells '2 moved, 1 refused'
is pay-2 "$(rows)"
run 0 --json list --kind payment
is 'pay-1 pay-2 pay-3' "$(fields key)"

# A table that is none of ours is not read; a flaw is told with its key, and as text only.
sqlite3 odd.db 'CREATE TABLE deed_outbox (id INTEGER PRIMARY KEY, action_key)'
run 2 record --outbox odd.db
tells 'is not the one deed_outbox_table() makes'
sqlite3 loose.db "CREATE TABLE deed_outbox (id INTEGER PRIMARY KEY, action_key, kind, target, body, not_after_ms, refused);
    INSERT INTO deed_outbox (action_key, kind, target, body) VALUES ('odd-1', 1, 'acme', 'x'), (char(27), 1, 'acme', 'x')"
run 2 record --outbox loose.db
tells 'odd-1: kind is no text'
is '' "$(tr -d '[:print:]\n' <err)"

run 2 record pay-4 --outbox host.db
tells 'leave out `pay-4`'
run 2 record --outbox host.db --from lines
run 2 record --outbox host.db --hold 'not yet'

# A host in any language gets the SQL from the command, without a ledger.
DEED_LEDGER='' run 0 record --outbox-sql
is "$("$OUTBOX_TABLE");" "$(head -n 1 out)"
says 'INSERT INTO deed_outbox'
sqlite3 other.db <<EOF
$(head -n 1 out)
$(sed -n 2p out | sed "s/VALUES .*/VALUES ('sql-1', 'payment', 'acme', '{}', NULL);/")
EOF
run 0 record --outbox other.db
tells '1 moved'
run 0 --json record --outbox-sql
is outbox_sql "$(field object)"
is "$("$OUTBOX_TABLE")" "$(field table)"
run 2 record --outbox-sql pay-1
run 2 record --outbox-sql --outbox host.db
