#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# digest prints what a key is bound to, as computed elsewhere, and needs no ledger.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

unset DEED_LEDGER
# Every 16th vector; unit.canonical has them all.
sed -n '1~16p' "$DEED_SOURCE_DIR/tests/vectors/digests.jsonl" >vectors
while IFS= read -r line; do
    printf '%s\n' "$line" | "$SCHEMA_CHECK" --field payload_json >payload
    ! grep -q '"error"' <<<"$line" || continue
    want=$(printf '%s\n' "$line" | "$SCHEMA_CHECK" --field sha256)
    run 0 digest <payload
    is "$want" "$(cat out)"
done <vectors
run 0 --json digest <payload
is "$want" "$(field digest)"

printf '{"kind":"a","target":"b"}' >payload
run 2 --json digest <payload
is DEED_E_INVALID "$(error_field code)"
tells body

printf '{"kind":"a","kind":"a","target":"b","body":"c"}' >payload
run 2 digest <payload
