#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The configuration: found where it should be, refused with the place of what is wrong, and agreed with
# its schema.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
record pay-1

refused() { # TEXT CONTENT
    printf '%s' "$2" >config.json
    run 2 run pay-1
    tells "$1"
    tells config.json
}
kind() { printf '{"kinds": {"payment": {"executor": "mock", %s}}}' "$1"; }

refused 'kinds.payment.landing: a kind has no such member; the nearest is landing_ms' "$(kind '"landing": 5')"
refused 'kind: the configuration has no such member; the nearest is kinds' '{"kind": {}}'
refused 'line 1' '{"kinds": {}, "kinds": {}}'
refused 'holds something that is no JSON' '{kinds'
refused 'holds something behind its end' '{} {}'
refused 'one JSON object' '[]'
refused 'kinds: must be an object' '{"kinds": []}'
refused 'kinds.payment: must be an object' '{"kinds": {"payment": 1}}'
refused 'kinds.payment: needs `executor`' '{"kinds": {"payment": {}}}'
refused 'kinds.payment.executor: this build has no executor "htp"; it has: mock' '{"kinds": {"payment": {"executor": "htp"}}}'
refused 'kinds.payment.executor' '{"kinds": {"payment": {"executor": 1}}}'
refused 'kinds.payment.options: must be an object' "$(kind '"options": 1')"
refused 'kinds.payment.send_ms: must be a whole number from 1 to' "$(kind '"send_ms": 0')"
refused 'kinds.payment.send_ms' "$(kind '"send_ms": 1.5')"
refused 'kinds.payment.send_ms' "$(kind '"send_ms": "forever"')"
refused 'kinds.payment.lag_ms' "$(kind '"lag_ms": -1')"
refused 'kinds.payment.lag_ms' "$(kind '"lag_ms": 3155760000001')"
refused 'the only word for it is "unbounded"' "$(kind '"landing_ms": "forever"')"
refused 'kinds.payment.consistency' "$(kind '"consistency": "mostly"')"
refused 'kinds.payment.stored_errors: must be true or false' "$(kind '"stored_errors": 1')"
refused 'kinds.payment.second_look_ms: must be two numbers' "$(kind '"second_look_ms": [1]')"
refused 'kinds.payment.second_look_ms' "$(kind '"second_look_ms": [1, 0]')"
refused 'kinds.payment.attempts_max' "$(kind '"attempts_max": 0')"
refused 'actor' '{"actor": ""}'
refused 'verifiers: must be an object' '{"verifiers": []}'
refused 'verifiers.hook.secret: must say where the secret is' '{"verifiers": {"hook": {"type": "webhook", "scheme": "hex", "secret": "geheim"}}}'
tells_not geheim
refused 'kinds.payment.options.class: must be one of' "$(kind '"options": {"world": "world", "class": "magic"}')"
refused 'kinds.payment.options.world: is missing' "$(kind '"options": {}')"
# A duration as people say it is answered with what is to be written.
refused 'kinds.payment.send_ms: must be a whole number of milliseconds, without quotes; 30s is 30000' "$(kind '"send_ms": "30s"')"
refused '1d is 86400000; the only word for it is "forever"' "$(kind '"window_ms": "1d"')"

# An error must not quote the file: it may hold what is nobody's business.
printf '{"actor": "geheim" geheim}' >config.json
run 2 run pay-1
tells_not geheim

DEED_CONFIG=missing.json run 2 run pay-1
tells missing.json
run 2 --config missing.json run pay-1

# A file that stands in the configuration lies where the configuration says.
mkdir -p elsewhere
printf '%s' "$(kind '"options": {"world": "beside.jsonl", "class": "blind"}')" >elsewhere/config.json
run 0 --ledger beside.db init --name beside --test # one world, one ledger
run 0 --config elsewhere/config.json --ledger beside.db record beside-1 --kind payment --target acme --body x
run 0 --config elsewhere/config.json --ledger beside.db run beside-1
[ -s elsewhere/beside.jsonl ] || fail "the world is not beside its configuration"
[ ! -e beside.jsonl ] || fail "the world lies in the folder of the call"

# Looking needs no configuration, and a broken one does not stop it.
run 0 list

# Every member, as the schema has it, is taken by the command too.
cat >config.json <<EOF
{"actor": "tester", "kinds": {"payment": {"executor": "mock",
    "options": {"world": "$folder/world", "class": "keyed+lookup"},
    "send_ms": 1000, "answer_ms": 1000, "landing_ms": "unbounded", "window_ms": "forever",
    "lag_ms": 0, "reach_ms": "forever", "consistency": "eventual", "stored_errors": true,
    "prefers_wait": false, "second_look_ms": [1000, 2000], "attempts_max": 3,
    "backoff_base_ms": 10, "backoff_cap_ms": 20}},
    "verifiers": {"hook": {"type": "webhook", "secret": "env:HOOK", "scheme": "timestamped",
    "tolerance_ms": 1000, "provider_key": "/a", "digest": "/b", "reference": "/c", "event_id": "/d",
    "outcome": "/e", "outcome_value": "f"}}}
EOF
schema=$DEED_SOURCE_DIR/docs/reference/config.schema.json
"$SCHEMA_CHECK" --whole "$schema" <config.json
for member in $(sed -nE '/"(kind|verifier)": \{/,/^    }/p' "$schema" | grep -oE '^ {8}"[a-z_]*": \{' | grep -o '[a-z_]*'); do
    grep -q "\"$member\"" config.json || fail "the schema has $member, this test does not"
done
for bad in "$(kind '"landing": 5')" "$(kind '"send_ms": 0')" "$(kind '"attempts_max": 0')" '{"kind": {}}' \
    '{"kinds": {"payment": {}}}' "$(kind '"consistency": "mostly"')" '{"verifiers": {"hook": {"secret": "env:A"}}}' \
    '{"verifiers": {"hook": {"type": "webhook", "scheme": "hex", "secret": "geheim"}}}'; do
    ! printf '%s' "$bad" | "$SCHEMA_CHECK" --whole "$schema" 2>/dev/null || fail "the schema takes $bad"
done
run 0 run pay-1

# $XDG_CONFIG_HOME, and ~/.config where it is unset.
unset DEED_CONFIG
mkdir -p home/.config/deed xdg/deed
record pay-2 pay-3
cp config.json xdg/deed/
XDG_CONFIG_HOME=$folder/xdg run 0 run pay-2
run 11 run pay-3
cp config.json home/.config/deed/
run 0 run pay-3
