# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by errors_golden.sh: help in other forms, pace, find, evidence, the outbox, doctor.
title 'pages'
t help --completion fish
t help --man record
t --json help --man

title 'how often and how long'
t run pay-1 --watch
t run --due --wait 1s
t run --due --every 1s
t reconcile --wait 1s
t reconcile pay-1 --wait soon
t reconcile --watch --every 0s
t reconcile --watch --dry-run
mock blind '' '"scripts": {"lost-*": {"do": "lose"}}'
t run missing --dry-run
t run odd-1 --dry-run
t reconcile missing --dry-run
mock lookup '"landing_ms": 3600000, "reach_ms": "forever", "consistency": "strong"' '"script": {"do": "late"}'
record slow-1
t run slow-1 --wait 1ms

title 'finding'
t find
t find --reference a --provider-key b
t find --reference nobody
t find --reference ''
t find --provider-key 00000000-0000-0000-0000-000000000000
t list --passes --all
t list --after missing

title 'a word from outside'
echo '{}' >config.json
t evidence pay-1
t evidence pay-1 --source bank --outcome applied
t evidence pay-1 --source bank --outcome rejected
t evidence pay-1 --source bank --message missing.json
configured '{"verifiers": []}' evidence pay-1 --source hook --by ann
configured '{"verifiers": {"hook": 1}}' evidence pay-1 --source hook --by ann
hook() { printf '{"verifiers": {"hook": {"type": "webhook", "scheme": "hex", "secret": "env:HOOK"%s}}}' "$1"; }
configured '{"verifiers": {"hook": {"type": "webhook", "scheme": "hex"}}}' evidence pay-1 --source hook --by ann
configured '{"verifiers": {"hook": {"type": "hmac"}}}' evidence pay-1 --source hook --by ann
configured '{"verifiers": {"hook": {"secret": "geheim"}}}' evidence pay-1 --source hook --by ann
configured '{"verifiers": {"hook": {"scheme": "md5"}}}' evidence pay-1 --source hook --by ann
configured '{"verifiers": {"hook": {"scheme": 1}}}' evidence pay-1 --source hook --by ann
configured "$(hook ', "reference": "id"')" evidence pay-1 --source hook --by ann
configured "$(hook ', "tolerance_ms": 0')" evidence pay-1 --source hook --by ann
configured "$(hook ', "outcome": "/type"')" evidence pay-1 --source hook --by ann
configured "$(hook ', "referense": "/id"')" evidence pay-1 --source hook --by ann
configured "$(hook ', "xyzzyxyzzy": "/id"')" evidence pay-1 --source hook --by ann
configured "$(hook '')" evidence pay-1 --source hook --by ann
HOOK='' configured "$(hook '')" evidence pay-1 --source hook --by ann
HOOK=$(letters 5000) configured "$(hook '')" evidence pay-1 --source hook --by ann
file_hook() { printf '{"verifiers": {"hook": {"type": "webhook", "scheme": "hex", "secret": "file:%s"}}}' "$1"; }
configured "$(file_hook missing.secret)" evidence pay-1 --source hook --by ann
letters 5000 >long.secret
configured "$(file_hook long.secret)" evidence pay-1 --source hook --by ann
configured "$(file_hook .)" evidence pay-1 --source hook --by ann

title 'what a word says'
echo '{}' >config.json
word() { t evidence "$1" --by ann "${@:2}"; }
record word-1
mock blind '' ''
"$DEED" run word-1 >/dev/null
word pay-1 --source Bank --outcome applied
word pay-1 --source person --outcome applied
word pay-1 --source bank
word pay-1 --source bank --outcome applied --event ''
word pay-1 --source bank --outcome applied --signature 00
word pay-1 --source bank --outcome applied --statement "$(printf '\377')"
word pay-1 --source bank --outcome applied --reference "$(printf '\377')"
word missing --source bank --outcome applied
"$DEED" evidence word-1 --source bank --by ann --outcome applied --event e-1 --reference r-1 >/dev/null
word word-1 --source bank --outcome applied --event e-1 --reference r-2
t resolve pay-1 --outcome applied --by "$(printf '\377')" --reason x
t resolve pay-1 --outcome applied --by ann --reason x --reference "$(printf '\377')"

title 'what a message says'
printf '%s' "$(hook ', "event_id": "/id", "reference": "/ref", "outcome": "/type", "outcome_value": "ok"')" >config.json
export HOOK=geheim
signed() { # MESSAGE EVIDENCE...
    printf '%s' "$1" >message
    t evidence word-1 --by ann --source hook --message message \
        --signature "$(openssl dgst -sha256 -hmac geheim message | sed 's/.*= *//')" "${@:2}"
}
t evidence word-1 --by ann --source hook
t evidence word-1 --by ann --source hook --message message
signed 'no json'
signed '{"id":1,"type":"ok"}'
signed '{"id":"e-2","ref":"r-9","type":"ok"}' --event e-3
signed '{"id":"e-2","ref":"r-9","type":"ok"}' --reference r-3
signed '{"id":"e-2","type":"maybe"}' --outcome applied
t evidence word-1 --by ann --source hook --message message --signature 00
t evidence word-1 --by ann --source hook --message message --signature "$(letters 64 0)"
printf '%s' "$(hook ', "reference": "/~2"')" >config.json
t evidence word-1 --by ann --source hook
printf '%s' "$(hook '' | sed 's/"hex"/"timestamped"/')" >config.json
t evidence word-1 --by ann --source hook --message message --signature 00
t evidence word-1 --by ann --source hook --message message --signature "t=1,v1=$(letters 64 0)"
unset HOOK
echo '{}' >config.json

title 'an outbox'
t record pay-1 --outbox missing.db
t record --outbox missing.db --hold x
t record --outbox missing.db
sqlite3 odd.db 'CREATE TABLE deed_outbox (id INTEGER PRIMARY KEY, action_key)'
t record --outbox odd.db
sqlite3 loose.db 'CREATE TABLE deed_outbox (id INTEGER PRIMARY KEY, action_key, kind, target, body, not_after_ms, refused)'
put() { sqlite3 loose.db "INSERT INTO deed_outbox (action_key, kind, target, body, not_after_ms) VALUES ($1)"; }
put "'row-1', 1, 'acme', 'x', NULL"
put "'row-2', 'payment', 'acme', '$(letters 16001)', NULL"
put "'row-3' || char(0), 'payment', 'acme', 'x', NULL"
put "'row-4', 'payment', 'acme', 'x', -1"
put "'Row 5', 'payment', 'acme', 'x', NULL"
t record --outbox loose.db
t record --outbox-sql pay-1
t evidence row-1 --source bank --outcome applied --by ann --token abc

title 'a doctor'
t --ledger missing.db doctor
