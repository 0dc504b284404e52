#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# list: open ones by default, oldest first, conditions together, columns aligned and keys never cut.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
run 0 list
tells 'nothing to list'
long=$(printf 'k%.0s' $(seq 80))
mock blind '' '"scripts": {"no": {"do": "reject"}, "lost": {"do": "lose"}}'
record "$long" no lost yes
run 0 record mail-1 --kind mail --target ann --body x
run 3 run no lost yes

run 0 list
says "$long"
is 1 "$(awk '{ print index($0, $2) }' out | sort -u | wc -l | tr -d ' ')" # one column for all
run 0 --json list
is "$long lost mail-1" "$(fields key)"
run 0 --json list --all
is "$long no lost yes mail-1" "$(fields key)"
run 0 --json list --all --limit 2
is "$long no" "$(fields key)"
run 0 --json list --kind mail
is mail-1 "$(fields key)"
run 0 --json list --outcome rejected
is no "$(fields key)"
run 0 --json list --state confirmed
is 'no yes' "$(fields key)"
run 0 --json list --state confirmed --outcome applied
is yes "$(fields key)"
run 0 --json list --older-than 1h
is '' "$(fields key)"
run 0 --json list --due --state recorded
is "$long mail-1" "$(fields key)"
run 0 --json list --disputed
is '' "$(fields key)"

run 2 list --state open
run 2 list --outcome maybe
run 2 list --older-than soon
run 2 list --limit 0
run 2 list pay-1
