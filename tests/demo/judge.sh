#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The judge of the demonstration finds what is wrong: each case takes a good run and spoils one thing.
set -euo pipefail

demo=$DEED_SOURCE_DIR/docs/examples/demo
programs=$DEED_BUILD_DIR/docs/examples/demo
export DEED_LEDGER=ledger.db DEED_CONFIG=config.json
rm -rf -- *
TMPDIR=$PWD "$demo/show" --keep "$DEED_BUILD_DIR" >out.txt 2>&1 || {
    cat out.txt
    exit 1
}
mv deed-demo.* good
cases=0

judge() {
    "$programs/demo-verdict" actions.jsonl ledger.db world.jsonl kills.log naive/world.jsonl \
        naive/kills.log
}

# A fresh copy of the good run, to spoil.
begin() {
    cases=$((cases + 1))
    cd "$top"
    cp -r good "case-$cases"
    cd "case-$cases"
}

# $1 what it must say.
finds() {
    local ended=0
    judge >out.txt 2>&1 || ended=$?
    if ((ended != 1)) || ! grep -qF "FAILED: $1" out.txt; then
        cat out.txt
        echo "case $cases must end 1 and say: $1; it ended $ended"
        exit 1
    fi
}

# One more action, in the file and in the ledger. $1 its key, $2 its kind.
add() {
    printf '{"action_key":"%s","kind":"%s","target":"x","body":"x"}\n' "$1" "$2" >one.jsonl
    cat one.jsonl >>actions.jsonl
    "$DEED" record --from one.jsonl >/dev/null
}

# Sends what one.jsonl holds, behind deed's back.
send() {
    "$programs/demo-naive" one.jsonl config.json notes.txt
}

top=$PWD
cd "$top/good"
judge >/dev/null # it stays good when it is judged again
cd "$top"

begin # sent twice
head -n 1 actions.jsonl >one.jsonl
send
finds "deed doubled invoice-2026-0401: the world has 2 effects"

begin # asked for, and nowhere
printf '{"action_key":"invoice-9","kind":"invoice","target":"x","body":"x"}\n' >>actions.jsonl
finds "deed lost invoice-9"

begin # recorded, and never run
add invoice-9 invoice
finds "deed lost invoice-9: in the end nothing is known of it"

begin # claimed, and not in the world
head -n 3 world.jsonl >less.jsonl
mv less.jsonl world.jsonl
finds "deed claims something false about refund-931: it says applied, and the world has no effect"

begin # given up, and it happened all the same
add invoice-9 invoice
"$DEED" retract invoice-9 --by ann --reason changed >/dev/null
send
finds "deed claims something false about invoice-9: it says it did not happen"

begin # a person said it did not happen, and nobody went on
add email-9 email
sed -i 's/email-2209/email-9/' config.json
"$DEED" run email-9 >/dev/null || true
sleep 2
"$DEED" resolve email-9 --outcome not_applied --by ann --reason looked >/dev/null
finds "deed lost email-9: it was never done"

begin # settled by somebody else's effect
add email-9 email
sed -i 's/email-2206/email-9/' config.json
"$DEED" run email-9 >/dev/null || true
"$DEED" resolve email-9 --outcome applied --by ann --reason looked --reference fx-999 >/dev/null
finds "deed claims something false about email-9: the reference it names"

begin # rejected by nobody
add email-9 email
sed -i 's/email-2209/email-9/' config.json
"$DEED" run email-9 >/dev/null || true
sleep 2
"$DEED" resolve email-9 --outcome rejected --by ann --reason looked >/dev/null
finds "deed claims something false about email-9: it says rejected"

begin # killed before the answer was stored, and yet "confirmed"
echo "refund-931 a fx-1" | tee -a kills.log >>naive/kills.log
finds "deed claims something false about refund-931: nobody saw the answer"

begin # an effect that nobody asked for
printf '{"action_key":"invoice-9","kind":"invoice","target":"x","body":"x"}\n' >one.jsonl
send
finds "the world has effects that no action asked for"

begin # too few kills
grep ' a ' kills.log >less.log
cp less.log kills.log
cp less.log naive/kills.log
finds "too few kills landed: 6 in window a, 0 in window b"

begin # other kills
sed -i 1d naive/kills.log
finds "the naive loop was not killed where the worker was killed"

begin # a loop that doubled nothing
cp world.jsonl naive/world.jsonl
finds "the naive loop doubled nothing"

echo "$cases cases"
