#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# FR-50, FR-52 of tests/field-reports.md: the answer was lost and the caller asks again with one thing
# more in the payload. That has a status and a code of its own and shows nobody's content; how the first
# one stands is one command away, under the same key.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '' '"script": [{"do": "lose"}, {"do": "answer"}]'
run 0 record pay-9 --kind payment --target acme --body '{"cents": 1250}'
run 3 run pay-9

run 4 --json record pay-9 --kind payment --target acme --body '{"cents": 1250, "note": "retry"}'
is DEED_E_CONFLICT "$(error_field code)"
is pay-9 "$(error_field key)"
tells 'the body differs'
for text in cents retry acme; do
    tells_not $text
    says_not $text
done

run 0 --json show pay-9
is attempted "$(field state)"
is none "$(field outcome)"
is true "$(field uncertain)"
case $(field attempted_at) in
20*) ;;
*) fail 'not told since when' ;;
esac
case $(field next) in
*pay-9*) ;;
*) fail 'not told how it is settled' ;;
esac
run 3 run pay-9
is 1 "$(sends pay-9)"

# The same payload from somebody else is a repeat, and makes nothing.
run 0 --json record pay-9 --kind payment --target acme --body '{"cents": 1250}'
is false "$(field created)"
is 1 "$(sends pay-9)"
