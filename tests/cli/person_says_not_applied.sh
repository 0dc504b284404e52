#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A person's not_applied is no proof: --due never sends it again, status 9, only `run KEY` does.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '"send_ms": 200, "answer_ms": 200, "landing_ms": 1' \
    '"scripts": {"pay-1": [{"do": "lose", "effect": false}, {"do": "answer"}]}'
record pay-1
run 3 run pay-1
tries=0
until deed resolve pay-1 --outcome not_applied --by ann --reason 'not there' >out 2>err; do
    tries=$((tries + 1))
    [ $tries -lt 500 ] || fail "the word was never accepted"
done
run 9 reconcile pay-1
run 0 run --due
is 1 "$(sends pay-1)"
run 14 --json status
is 1 "$(field needs_person)"
run 0 --json show pay-1
is retry_by_name "$(field reason)"
is 'deed run pay-1' "$(field next)"
run 0 run pay-1
is 2 "$(sends pay-1)"
run 0 --json show pay-1
says '"cause":"by_name"'
