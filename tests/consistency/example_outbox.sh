#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The outbox example does what it says: each order is charged once, and one that was taken before is
# not taken again.
set -uo pipefail

program=$DEED_BUILD_DIR/tests/consistency/example.outbox
bad=0

complain() {
    echo "$1"
    bad=1
}

rm -f -- *.db* world.jsonl
first=$("$program" order-1 order-2) || complain "the first run failed: $first"
[[ $first == *"moved order-1: recorded, none"*"ran order-2: confirmed, applied"* ]] ||
    complain "the first run answered: $first"
second=$("$program" order-1 order-3) || complain "the second run failed: $second"
[[ $second == "order-1 is not taken"*"ran order-3: confirmed, applied" ]] ||
    complain "the second run answered: $second"
[[ $second != *"ran order-1"* ]] || complain "an order was charged again: $second"
for order in order-1 order-2 order-3; do
    [[ $("$DEED" --ledger ledger.db show "$order" --json | jq -r '.outcome') == applied ]] ||
        complain "$order is not applied"
done
[[ $("$DEED" --ledger ledger.db list --all --json | wc -l) == 3 ]] || complain "there are not three"
"$DEED" --ledger ledger.db check >/dev/null || complain "its ledger does not pass \`deed check\`"
exit $bad
