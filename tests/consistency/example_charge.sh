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

# Killed at every seam, and run again: at most one charge at any time; what cannot be known is
# called not known, and once nothing can arrive any more it is charged.
killable=$DEED_BUILD_DIR/tests/consistency/example.charge_killed
charges() { grep -c '"effects":1' bank.jsonl 2>/dev/null; }
doubts=0
seams=0
while :; do
    rm -f -- *.db* bank.jsonl
    "$DEED" --ledger shop.db init --name shop --test >/dev/null || complain "no ledger can be made"
    seam=$(CHARGE_DIE=$((seams + 1)) "$killable" 2>&1 >/dev/null)
    [[ $seam == *"dies at"* ]] || break
    ((++seams))
    answer=$("$killable")
    status=$?
    [[ $status:$answer == 0:"reconciled, applied "* || $status:$answer == 3:"attempted, not known "* ]] ||
        complain "run again at once after it $seam: $status, $answer"
    [[ $status == 0 ]] || ((++doubts))
    (($(charges) <= 1)) || complain "charged twice after it $seam"
    for later in 60000 120000; do
        answer=$(CHARGE_LATER_MS=$later "$killable")
        (($(charges) <= 1)) || complain "charged twice, $later ms after it $seam"
    done
    [[ $answer == "reconciled, applied "* && $(charges) == 1 ]] || complain "after it $seam: $answer"
done
((seams >= 10 && doubts >= 1)) || complain "killed at $seams seams, in doubt after $doubts of them"
"$DEED" --ledger shop.db check >/dev/null || complain "its ledger does not pass \`deed check\`"
exit $bad
