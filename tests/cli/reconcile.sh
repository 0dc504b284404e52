#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# reconcile settles a doubt as its provider allows: it looks up, resends under the same key, or bars;
# with keys it ends as the intent stands, without keys it ends 0, 14 or 1.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
run 0 reconcile

mock lookup '"landing_ms": 1000, "consistency": "strong", "reach_ms": "forever"' \
    '"script": {"do": "lose"}'
record look-1 look-2
run 3 run look-1 look-2
run 14 status
run 0 --json reconcile look-1
is 'applied' "$(head -1 out | "$SCHEMA_CHECK" --field outcome)"
is 'reconciled' "$(head -1 out | "$SCHEMA_CHECK" --field state)"
is 'provider_present' "$(head -1 out | "$SCHEMA_CHECK" --field grade)"
run 0 --json reconcile
is 'intent pass' "$(fields object)"
is 1 "$(field seen)"
is 1 "$(field settled)"
is 1 "$(sends look-2)"
run 0 status

mock keyed '"window_ms": "forever", "landing_ms": 1000' '"script": [{"do": "lose"}, {"do": "answer"}]'
record key-1
run 3 run key-1
run 0 reconcile key-1
says 'applied (reconciled)'
is 2 "$(sends key-1)"
is 1 "$(effects key-1)"

mock closable '"landing_ms": 1000' '"script": {"do": "late"}'
record bar-1
run 3 run bar-1
run 8 --json reconcile bar-1
is 'provider_closed' "$(head -1 out | "$SCHEMA_CHECK" --field grade)"

run 5 reconcile missing
