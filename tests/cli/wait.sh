#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --wait goes on with the keys that are named until each is settled or needs a person; when the time is
# over first, 124, and each is told as it stands.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

sent_key() { "$DEED" --json show "$1" | grep -o '"provider_key":"[^"]*"' | head -n 1 | cut -d'"' -f4; }

ledger
# Refused twice, then taken: run goes on when the pause is over.
mock blind '"backoff_base_ms": 5, "backoff_cap_ms": 5, "attempts_max": 3' \
    '"scripts": {"down-*": [{"do": "refuse"}, {"do": "refuse"}, {"do": "answer"}], "never-*": {"do": "refuse"}, "lost-*": {"do": "lose"}}'
record down-1 pay-1 never-1 lost-1
run 0 --json run down-1 pay-1 --wait 20s --every 5ms
is 'pay-1 down-1 missing' "$(fields key)" # each is told once, when it is settled
is 3 "$(sends down-1)"
run 0 run down-1 --wait 20s # settled already: no time passes

# What only a person moves on is not waited for: the policy is exhausted, a blind doubt.
run 9 run never-1 --wait 20s --every 5ms
is 3 "$(sends never-1)"
run 3 run lost-1 --wait 20s --every 5ms
is 1 "$(sends lost-1)"
run 5 run missing --wait 20s
run 3 --json run lost-1 never-1 missing --wait 20s

# The time is over first.
mock blind '"backoff_base_ms": 3600000, "backoff_cap_ms": 3600000' '"script": {"do": "refuse"}'
record later-1 later-2
run 124 --json run later-1 later-2 --wait 20ms
is 'later-1 later-2 missing' "$(fields key)"
is 'intent intent summary' "$(fields object)"
is DEED_E_NOT_YET "$(error_field code)"
is 1 "$(sends later-1)"

# reconcile: a look that brought nothing is repeated, as often as the pauses allow.
mock lookup '"landing_ms": 1000, "consistency": "strong", "reach_ms": "forever", "backoff_base_ms": 1, "backoff_cap_ms": 5' \
    '"scripts": {"lost-*": {"do": "lose"}}, "lookup_script": ["error", "incomplete", "truth"]'
record lost-3
run 3 run lost-3
run 0 --json reconcile lost-3 --wait 20s --every 5ms
is 'lost-3 missing' "$(fields key)"
is provider_present "$(head -n 1 out | "$SCHEMA_CHECK" --field grade)"
is 1 "$(sends lost-3)"

# One that never becomes final: 124, and the doubt stands.
mock lookup '"landing_ms": 3600000, "consistency": "strong", "reach_ms": "forever"' \
    '"scripts": {"gone-*": {"do": "late"}}'
record gone-2
run 3 run gone-2
run 124 reconcile gone-2 --wait 30ms --every 5ms
says 'gone-2: not known'
# Asked once at the beginning: it is not due again, however often the ledger is read.
is 1 "$(grep -F '"what":"look' world | grep -cF "$(sent_key gone-2)")"
run 124 run gone-2 --wait 1ms # it would need reconcile

# A signal ends the waiting at once.
"$DEED" reconcile gone-2 --wait 20s >out 2>err &
process=$!
tries=0
until grep -q ppoll "/proc/$process/wchan" 2>/dev/null || grep -q 'S (sleeping)' "/proc/$process/status"; do
    tries=$((tries + 1))
    [ $tries -lt 10000 ] || fail "it does not sleep"
done
kill -TERM $process
got=0
wait $process || got=$?
is 130 "$got"

run 2 run --due --wait 1s
run 2 reconcile --wait 1s
run 2 reconcile gone-2 --wait soon
