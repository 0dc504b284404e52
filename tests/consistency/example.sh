#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The C example does what it says: it pays once, and a second run sends nothing. What the
# guide shows of it is in it, line by line.
set -uo pipefail

program=$DEED_BUILD_DIR/tests/consistency/example.by_hand
source=$DEED_SOURCE_DIR/docs/examples/by_hand.c
bad=0

complain() {
    echo "$1"
    bad=1
}

rm -f example.db*
early=$("$program" example.db 2>&1) && complain "it works without a ledger: $early"
[[ $early == *"there is no ledger here"* && ! -e example.db ]] || complain "without a ledger: $early"
"$DEED" --ledger example.db init --name shop >/dev/null || complain "no ledger can be made"
first=$("$program" example.db) || complain "the first run failed"
second=$("$program" example.db) || complain "the second run failed"
[[ $(grep -c '^POST ' <<<"$first") == 1 ]] || complain "the first run sent not once: $first"
[[ $second == "pay-17 is confirmed, applied" ]] || complain "the second run answered: $second"
"$DEED" --ledger example.db check >/dev/null || complain "its ledger does not pass \`deed check\`"

shown=$(awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' "$DEED_SOURCE_DIR/docs/guide/embedding.md")
[[ -n $shown && $(<"$source") == *"$shown"* ]] ||
    complain "the C lines in docs/guide/embedding.md are not consecutive lines of docs/examples/by_hand.c"
exit $bad
