#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The exit status of run says what is known: applied 0, not known 3, no such intent 5, rejected 6, not
# applied 8, a person 9, no executor 11; of several keys the worst, each with its own line.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '' '"scripts": {"lost": {"do": "lose"}, "no": {"do": "reject"}, "down": {"do": "unreachable"}}'
record yes lost no down held other
run 0 record odd --kind unheard-of --target acme --body x

run 0 run yes
run 3 run lost
tells_not 'deed:'
run 3 run lost
is 1 "$(sends lost)"
run 5 run missing
run 6 run no
run 8 run down
run 8 run down # a person who names the key does not wait for the pause
run 0 hold held --by ann --reason 'not yet'
run 9 run held
run 11 --json run odd
is DEED_E_NO_EXECUTOR "$(error_field code)"

run 3 --json run yes no missing lost down
is 'yes no lost down missing' "$(fields key)"
is 5 "$(field "done")"
is 1 "$(field errors)"
is 1 "$(field not_known)"
run 6 run yes no
run 5 run yes missing
run 2 run
run 2 run yes --due
run 2 run 'Not A Key'
