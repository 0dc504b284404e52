#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# find: by the provider's own name of the effect, or by the key we sent, in any case of letters.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '' ''
record pay-1 pay-2
run 0 run pay-1 pay-2
run 0 --json show pay-2
reference=$(field reference)
sent=$(grep -o '"provider_key":"[^"]*"' out | cut -d'"' -f4)

run 0 --json find --reference "$reference"
is pay-2 "$(fields key)"
run 0 --json find --provider-key "${sent^^}"
is pay-2 "$(fields key)"
run 0 find --provider-key "$sent"
says 'pay-2  confirmed'
says_not pay-1

run 5 --json find --reference nobody-has-this
is '' "$(fields key)"
is DEED_E_NOT_FOUND "$(error_field code)"
run 5 find --provider-key 00000000-0000-0000-0000-000000000000
run 2 find
tells 'find takes one of'
run 2 find --reference a --provider-key b
run 2 find pay-1
