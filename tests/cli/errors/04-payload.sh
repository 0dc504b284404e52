# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by errors_golden.sh: keys and payloads.
title 'payloads'
from '' digest
from 'no json' digest
from '[]' digest
from '"text"' digest
from '{"kind":"a","target":"b"}' digest
from '{"kind":"a","target":"b","body":1}' digest
from '{"kind":"a","target":"b","body":"c","more":1}' digest
from '{"kind":"a","kind":"a","target":"b","body":"c"}' digest
from '{"kind":"a","target":"b","body":"\ud800"}' digest
from '{"kind":"a","target":"b","body":"c"} more' digest
from "$(printf '{"kind":"a","target":"b","body":"\377"}')" digest
from "{\"kind\":\"a\",\"target\":\"b\",\"body\":\"$(letters 4001)\"}" digest
letters 200000 >input
t digest
: >input

title 'keys'
t record '' --kind payment --target acme --body geheim
t record 'Pay 1' --kind payment --target acme --body geheim
t record "$(printf 'pay\0331')" --kind payment --target acme --body geheim
t record "$(letters 81)" --kind payment --target acme --body geheim

title 'recording'
t record pay-1
t record pay-1 --kind payment
t record pay-1 --payload input --kind payment
t record --payload input
t record pay-1 --from input
t record pay-1 --payload missing.json
t record pay-1 --payload .
t record pay-1 --kind payment --target acme --body "$(printf '\377')"
t record pay-1 --kind payment --target acme --body geheim --not-after tomorrow
t record pay-1 --kind payment --target acme --body geheim --hold ''
t record pay-1 --kind payment --target acme --body geheim --hold "$(letters 1001)"
record pay-1
t record pay-1 --kind payment --target acme --body geheim
t record pay-1 --kind refund --target acme --body '{"cents": 1250}'
t --json record pay-1 --kind payment --target globex --body '{"cents": 1250}'

title 'recording many'
t record --from missing.jsonl
t record --from .
from 'no json
[]
{"action_key":"pay-1","kind":"payment","target":"acme"}
{"action_key":"pay-1","kind":"payment","target":"acme","body":1}
{"action_key":"pay-1","kind":"payment","target":"acme","body":"geheim","more":1}
{"action_key":"pay-1","kind":"payment","target":"acme","body":"a","body":"b"}
{"action_key":"pay-1\u0000","kind":"payment","target":"acme","body":"geheim"}
{"action_key":"Pay","kind":"payment","target":"acme","body":"geheim"}
{"action_key":"pay-1","kind":"payment","target":"acme","body":"geheim"}
' record --from -
printf '{"action_key":"pay-1","kind":"payment","target":"acme","body":"%s"}\n' "$(letters 200000)" >input
t record --from -
: >input
