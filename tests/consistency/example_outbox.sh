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
early=$("$program" order-1 2>&1) && complain "it works without a ledger: $early"
[[ $early == *"there is no ledger here"* && ! -e ledger.db ]] || complain "without a ledger: $early"
rm -f -- shop.db*
"$DEED" --ledger ledger.db init --name shop --test >/dev/null || complain "no ledger can be made"
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

# The guide prints the SQL as the functions give it, but for white space.
shown=$(awk '/^```sql$/ {on = 1; next} /^```$/ {on = 0} on' "$DEED_SOURCE_DIR/docs/guide/outbox.md")
[[ $(tr -d ' \n' <<<"$shown") == "$("$DEED" record --outbox-sql | tr -d ' \n')" ]] ||
    complain "the SQL in docs/guide/outbox.md is not what \`deed record --outbox-sql\` prints"

# What is in the ledger does not wait for a file that cannot be drained.
sqlite3 shop.db "DROP TABLE deed_outbox; CREATE TABLE deed_outbox (action_key)"
"$DEED" --ledger ledger.db record order-9 --kind charge --target ann --body x >/dev/null 2>&1
broken=$("$program" 2>&1) && complain "a drain that failed is no failure: $broken"
[[ $broken == *"drain: DEED_E_INVALID"*"ran order-9: confirmed, applied"* ]] ||
    complain "with an outbox that cannot be drained: $broken"
"$DEED" --ledger ledger.db check >/dev/null || complain "its ledger does not pass \`deed check\`"
exit $bad
