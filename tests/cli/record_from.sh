#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record --from answers line by line, in order; a bad line is told with its number, stops nothing, and
# shows in the status.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
cat >batch.jsonl <<'EOF'
{"action_key":"pay-1","kind":"payment","target":"acme","body":"geheim"}
{"action_key":"pay-2","kind":"payment","target":"acme","body":"b"}

{"action_key":"Pay","kind":"payment","target":"acme","body":"geheim"}
no json geheim
{"action_key":"pay-1","kind":"payment","target":"acme","body":"geheim"}
{"action_key":"pay-3","kind":"payment","target":"acme"}
{"action_key":"pay-3","kind":"payment","target":"acme","body":"c","more":1}
{"action_key":"pay-3","kind":"payment","target":"acme","body":"c","body":"geheim"}
{"action_key":"pay-3\u0000","kind":"payment","target":"acme","body":"c"}
["pay-3"]
{"action_key":"pay-3","kind":"payment","target":"acme","body":"last"}
EOF
run 2 --json record --from batch.jsonl
is 'pay-1 pay-2 pay-1 pay-3' "$(fields key)"
is '1 2 6 12' "$(fields line)"
is 'true true false true' "$(fields created)"
is '4 5 7 8 9 10 11' "$("$SCHEMA_CHECK" --field line <err | tr '\n' ' ' | sed 's/ $//')"
tells_not geheim

run 2 record --from - <batch.jsonl
tells 'line 5: '
tells_not geheim

printf '{"action_key":"pay-1","kind":"payment","target":"acme","body":"other"}\n' >conflict.jsonl
run 4 record --from conflict.jsonl
tells 'line 1: '
run 0 record --from /dev/null
run 2 record --from missing.jsonl
run 2 record pay-1 --from batch.jsonl
run 0 --json list
is 'pay-1 pay-2 pay-3' "$(fields key)"
