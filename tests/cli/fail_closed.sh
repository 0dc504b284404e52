#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No ledger, no sending: missing, unreadable, damaged or locked, each has its own error, and nothing
# goes out.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '' ''
record pay-1
mv ledger.db kept.db
run 1 run pay-1
tells ledger.db

mkdir ledger.db
run 1 run pay-1
rmdir ledger.db

printf 'no ledger at all, but a text that is long enough to be read as a header of something' >ledger.db
run 1 run pay-1
is 'no ledger at all' "$(head -c 16 ledger.db)"

: >ledger.db
run 1 run pay-1
rm ledger.db

cp kept.db ledger.db
printf 'damaged!' | dd of=ledger.db bs=1 seek=0 conv=notrunc 2>/dev/null
run 1 run pay-1
[ ! -s world ] || fail "something was sent"
