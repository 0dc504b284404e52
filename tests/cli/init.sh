#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# init creates a ledger once, complete, with mode 0600, and nothing else ever does.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

run 2 --json init --name 'Not A Name'
is DEED_E_INVALID "$(error_field code)"
[ ! -e ledger.db ] || fail "a file was left behind by a name that is none"

run 2 init
tells '--name NAME'

run 0 --json init --name shop --test
is shop "$(field name)"
is true "$(field test)"
is 600 "$(stat -c %a ledger.db)"

cp ledger.db before
run 12 init --name other
tells 'a ledger already'
cmp ledger.db before

# Of eight at once one wins, and the others are told that it is a ledger already.
for round in 1 2 3 4 5; do
    pids=()
    for i in 1 2 3 4 5 6 7 8; do
        "$DEED" --ledger "eight-$round.db" init --name "name-$i" >"out-$i" 2>"err-$i" &
        pids+=($!)
    done
    ends=''
    for pid in "${pids[@]}"; do
        got=0
        wait "$pid" || got=$?
        ends="$ends $got"
    done
    is '0 12 12 12 12 12 12 12' "$(printf '%s\n' $ends | sort -n | tr '\n' ' ' | sed 's/ $//')"
    run 0 --ledger "eight-$round.db" check
done

# What an init that was killed half-way has left is finished by the next one.
cp ledger.db half.db
sqlite3 half.db 'DROP TRIGGER ledger_stays; DELETE FROM ledger'
run 9 --ledger half.db status
tells 'neither name nor intents'
run 9 --ledger half.db migrate --name half # what is hollow is never named in passing
tells 'nothing to migrate'
run 0 --ledger half.db init --name half
run 0 --json --ledger half.db status
says '"name":"half"'

# A ledger that is no test ledger accepts no mock.
export DEED_LEDGER=real.db
run 0 init --name real
mock blind '' ''
run 0 record pay-1 --kind payment --target acme --body x
run 2 run pay-1
tells 'kinds.payment'
[ ! -s world ] || fail "something was sent"
