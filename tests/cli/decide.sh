#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# hold, release and retract: each with a name and a reason, each refused where it makes no sense.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '"landing_ms": 1000' '"scripts": {"lost": {"do": "lose"}}'
record pay-1 pay-2 lost
run 3 run lost
run 0 run pay-2

run 0 --json hold pay-1 --by ann --reason 'wait for bob'
is true "$(field held)"
is held "$(field reason)"
run 0 --json release pay-1 --by bob --reason 'fine now'
is false "$(field held)"
run 0 --json retract pay-1 --by ann --reason 'ordered elsewhere'
is retracted "$(field outcome)"
is confirmed "$(field state)"
run 6 run pay-1
is 0 "$(sends pay-1)"
run 0 history pay-1
says 'by ann'
says 'by bob'

run 3 --json retract lost --by ann --reason x
is DEED_E_UNCERTAIN "$(error_field code)"
is true "$(field uncertain)"
run 12 retract pay-2 --by ann --reason x
run 12 hold pay-2 --by ann --reason x
run 12 resolve pay-2 --outcome not_applied --by ann --reason x
run 5 hold missing --by ann --reason x
run 2 hold lost --by ann
run 2 hold
run 2 hold lost pay-1 --by ann --reason x
