#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# FR-04 of tests/field-reports.md: a caller repeats on every status but zero, fifteen times, each time as a
# new process, at a provider that makes a twin of whatever it is sent. Status 3 lets a better caller stop,
# and is not the one of "safe to retry"; the number of attempts is the ledger's.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '"backoff_base_ms": 1' '"scripts": {"new-1": [{"do": "lose"}, {"do": "answer"}],
    "down-1": {"do": "unreachable"}}'
record new-1 down-1
for _ in $(seq 15); do
    run 3 --json run new-1
    is 1 "$(head -1 out | "$SCHEMA_CHECK" --field attempt)"
done
is 1 "$(sends new-1)"
is 1 "$(effects new-1)"
run 8 run down-1 # nothing went out: another status
