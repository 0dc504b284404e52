#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# list --after goes on behind the last one seen, whatever its state; with --limit, page by page, each
# intent once.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '' ''
record pay-1 pay-2 pay-3 pay-4 pay-5
run 0 run pay-2 # settled, so not among the open ones

seen=
last=
for _ in 1 2 3 4; do
    # shellcheck disable=SC2086 # no option before the first page
    run 0 --json list --limit 2 ${last:+--after "$last"}
    page=$(fields key)
    [ -n "$page" ] || break
    seen="$seen$page "
    last=${page##* }
done
is 'pay-1 pay-3 pay-4 pay-5 ' "$seen"

run 0 --json list --after pay-2 # need not meet the conditions itself
is 'pay-3 pay-4 pay-5' "$(fields key)"
run 0 list --after pay-5
tells 'nothing to list'
run 5 list --after missing
