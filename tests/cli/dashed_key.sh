#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A key may begin with a dash: behind -- it is no option, help says so, and every next command that
# names it runs as it stands.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock lookup '"landing_ms": 1000, "consistency": "strong", "reach_ms": "forever"' '"script": {"do": "lose"}'
run 2 record -pay-1 --kind payment --target acme --body x
run 0 record --kind payment --target acme --body x -- -pay-1
says 'next: deed run -- -pay-1'
run 3 run -- -pay-1
next=$(sed -n 's/^next: deed //p' out)
is 'reconcile -- -pay-1' "$next"
# shellcheck disable=SC2086 # a command is words
run 0 $next
run 0 list --all --after=-pay-1
run 0 --json show -- -pay-1
is reconciled "$(field state)"

run 0 record --kind payment --target acme --body x --hold 'not yet' -- -pay-2
run 9 run -- -pay-2
tells 'next: deed explain -- -pay-2'
run 0 explain -- -pay-2
says 'deed release --by WHO --reason WHY -- -pay-2'

for command in record run reconcile show history explain resolve evidence retract hold release; do
    run 0 "$command" --help
    says "deed $command -- -pay-17"
done
run 0 status --help
says_not ' -- '
