#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A repeat of what is settled is answered from the ledger, says so in the answer itself, and sends
# nothing; a stored refusal must not look like a fresh one.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock keyed '"window_ms": "forever"' '"scripts": {"no-*": {"do": "reject"}}'
record pay-1 no-1
run 0 --json run pay-1
is 'intent summary' "$(fields object)"
is 'false' "$(head -1 out | "$SCHEMA_CHECK" --field replayed)"
is applied "$(head -1 out | "$SCHEMA_CHECK" --field outcome)"
is confirmed "$(head -1 out | "$SCHEMA_CHECK" --field state)"

for _ in 1 2 3; do
    run 0 --json run pay-1
    is true "$(head -1 out | "$SCHEMA_CHECK" --field replayed)"
    is 1 "$(sends pay-1)"
done
run 0 run pay-1
says 'answered from the ledger, nothing was sent'
says 'attempt 1'

run 6 run no-1
says_not 'from the ledger'
for _ in 1 2 3 4 5; do
    run 6 run no-1
    says 'answered from the ledger, nothing was sent'
    says 'settled 20'
done
is 1 "$(sends no-1)"
run 0 explain no-1
says 'a new try is a new decision'
