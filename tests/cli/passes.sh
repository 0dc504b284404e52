#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A pass that saw something is stored, and shown: the newest by status, all by list --passes.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
run 0 list --passes
tells 'no pass is stored'
run 0 --json status
is null "$(field newest_pass)"

mock lookup '"landing_ms": 1000, "consistency": "strong", "reach_ms": "forever"' \
    '"scripts": {"lost-*": {"do": "lose"}, "gone-*": {"do": "late"}}'
record lost-1 gone-1
run 3 run lost-1
run 0 --json reconcile
run 0 --json reconcile # saw nothing, so it is not stored
run 3 run gone-1
run 14 reconcile

run 0 --json list --passes
is 'stored_pass stored_pass' "$(fields object)"
is '2 1' "$(fields number)" # newest first
is '0 1' "$(fields settled)"
is '1 0' "$(fields waiting)"
is tester "$(field actor)"
run 0 --json list --passes --limit 1
is 2 "$(field number)"
run 0 list --passes
says '1 seen: 1 settled'
says 'by tester'
says 'left: '

run 14 --json status
says '"newest_pass":{"number":2'
run 14 status
says 'newest pass    2'
run 2 list --passes --due
tells '--due is about intents'
run 2 list --passes --limit none
