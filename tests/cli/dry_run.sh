#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --dry-run says for each key what would be done, and if nothing, why; it sends nothing, asks nobody
# and writes nothing.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

would() { # KEY: what the last answer says
    grep -F "\"key\":\"$1\"" out | "$SCHEMA_CHECK" --field would
}

ledger
mock lookup '"landing_ms": 1000, "consistency": "strong", "reach_ms": "forever"' '"scripts": {"lost-*": {"do": "lose"}}'
record pay-1 pay-2 lost-1 held-1
run 0 hold held-1 --by ann --reason 'not yet'
run 0 run pay-2
run 3 run lost-1
run 0 record odd-1 --kind unheard-of --target acme --body x
sha256sum ledger.db world >before

run 0 --json run --dry-run pay-1 pay-2 lost-1 held-1 odd-1
is 'plan plan plan plan plan' "$(fields object)"
is attempt "$(would pay-1)"
is first "$(head -n 1 out | "$SCHEMA_CHECK" --field cause)"
for key in pay-2 lost-1 held-1 odd-1; do
    is nothing "$(would $key)"
done
run 0 run --dry-run pay-1 held-1
says 'pay-1: would be attempted (first) under provider key'
says 'held-1: nothing would be done; held-1 is held'
run 0 --json run --due --dry-run
is 'pay-1 odd-1' "$(fields key)"
run 5 run --dry-run missing pay-1
says pay-1
tells missing

run 0 --json reconcile --dry-run
is lost-1 "$(fields key)"
is look_up "$(would lost-1)"
run 0 reconcile --dry-run lost-1 pay-1
says 'lost-1: would look it up at the provider'
says 'pay-1: nothing would be done'
run 5 reconcile --dry-run missing

sha256sum -c before
is 1 "$(sends lost-1)"
run 14 status
run 2 run --due --dry-run --watch
run 2 reconcile lost-1 --dry-run --wait 1s
