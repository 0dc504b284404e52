#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SIGINT and SIGTERM, in run and in reconcile: the running attempt reaches its end, nothing new begins, 130; a second signal
# leaves at once, and the ledger says that it is uncertain.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '"send_ms": 1000, "answer_ms": 1500' '"scripts": {"hang-*": {"do": "hang"}}'
record hang-1 pay-1 hang-2

begun() { # until KEY is in flight
    local tries=0
    until "$DEED" --json show "$1" 2>/dev/null | grep -q '"in_flight":true'; do
        tries=$((tries + 1))
        [ $tries -lt 500 ] || fail "$1 never began"
    done
}

"$DEED" run hang-1 pay-1 >out 2>err &
process=$!
begun hang-1
kill -INT $process
got=0
wait $process || got=$?
is 130 "$got"
says 'hang-1: not known'
tells 'nothing new was begun'
is 0 "$(sends pay-1)"

"$DEED" run hang-2 >out 2>err &
process=$!
begun hang-2
kill -TERM $process
kill -INT $process
got=0
wait $process || got=$?
is 130 "$got"
run 3 run hang-2
says 'not known'
is 1 "$(sends hang-2)"
run 0 --json show hang-2
is owner_gone "$(field reason)"

# The same in reconcile, with both signals: a replay that hangs reaches its end, and no other intent is
# begun; a second signal leaves at once.
mock keyed '"send_ms": 1000, "answer_ms": 1500, "landing_ms": 1000, "window_ms": 86400000' \
    '"scripts": {"hang-*": {"do": "hang"}}'
record hang-3 hang-4
run 3 run hang-3
run 3 run hang-4

replaying() { # until the second attempt at KEY is in flight
    local tries=0
    until "$DEED" --json show "$1" 2>/dev/null | grep '"in_flight":true' | grep -q '"attempt":2'; do
        tries=$((tries + 1))
        [ $tries -lt 500 ] || fail "$1 is not replayed"
    done
}

"$DEED" reconcile hang-3 hang-4 >out 2>err &
process=$!
replaying hang-3
kill -TERM $process
got=0
wait $process || got=$?
is 130 "$got"
tells 'nothing new was begun'
is 2 "$(sends hang-3)"
is 1 "$(sends hang-4)"

"$DEED" reconcile hang-4 >out 2>err &
process=$!
replaying hang-4
kill -INT $process
kill -TERM $process
got=0
wait $process || got=$?
is 130 "$got"
is 2 "$(sends hang-4)"
run 0 --json show hang-4
is owner_gone "$(field reason)"
