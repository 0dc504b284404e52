#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run --due takes what is due, oldest first; it leaves out what is settled, held, in doubt or pausing.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '"backoff_base_ms": 3600000, "backoff_cap_ms": 3600000' \
    '"scripts": {"lost-*": {"do": "lose"}, "down-*": {"do": "refuse"}}'
record pay-1 lost-1 down-1 held-1 pay-2
run 0 hold held-1 --by ann --reason 'not yet'
run 3 --json run --due
is 'pay-1 lost-1 down-1 pay-2 missing' "$(fields key)"
is 2 "$(field applied)"

run 0 --json run --due
is summary "$(fields object)"
is 0 "$(field "done")"
is 1 "$(sends down-1)"
is 1 "$(sends lost-1)"
