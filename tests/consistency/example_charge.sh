#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The program in the README is docs/examples/charge.c, whole and short; it charges once,
# and says what it knows.
set -uo pipefail

program=$DEED_BUILD_DIR/tests/consistency/example.charge
source=$DEED_SOURCE_DIR/docs/examples/charge.c
bad=0

complain() {
    echo "$1"
    bad=1
}

shown=$(awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' "$DEED_SOURCE_DIR/README.md")
[[ $shown == "$(sed -n '/^#include/,$p' "$source")" ]] ||
    complain "the C program in README.md is not docs/examples/charge.c from its first #include on"
lines=$(sed -n '/^int main/,$p' "$source" | grep -c .)
((lines <= 30)) || complain "its main has $lines lines, more than the thirty that are promised"

rm -f -- *.db* bank.jsonl
answer=$("$program")
[[ $? == 1 && $answer == *"there is no ledger here"* ]] || complain "without a ledger: $answer"
"$DEED" --ledger shop.db init --name shop --test >/dev/null || complain "no ledger can be made"
for run in first second; do
    answer=$("$program") || complain "the $run run ended with $?"
    [[ $answer == "reconciled, applied " ]] || complain "the $run run says: $answer"
done
[[ $(grep -c 'order-18' bank.jsonl) -ge 1 ]] || complain "the bank knows nothing of it"
[[ $("$DEED" --ledger shop.db show order-18 --json | jq '.attempt') == 1 ]] ||
    complain "it was attempted more than once"
"$DEED" --ledger shop.db check >/dev/null || complain "its ledger does not pass \`deed check\`"
exit $bad
