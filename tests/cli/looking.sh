#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Who looks judges with the configuration, as who runs: an exhausted action, and one that nobody serves,
# is seen by status, list and explain alike; a configuration that does not load stops nobody.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '"attempts_max": 1, "backoff_base_ms": 1, "backoff_cap_ms": 1' '"scripts": {"pay-1": {"do": "refuse"}}'
record pay-1
run 9 run pay-1
run 14 status
says 'needs a person      1'
run 0 --json list
is exhausted "$(field reason)"
run 0 --json explain pay-1
is exhausted "$(field reason)"
sed -i 's/"attempts_max": 1/"attempts_max": 10/' config.json
run 0 --json list
is_not() { [ "$1" != "$2" ] || fail "got '$2'"; }
is_not exhausted "$(field reason)"
run 0 status

# Nobody serves it.
run 0 record papy-1 --kind papy --target acme --body x
run 14 status
says 'no executor for kind papy: 1'
says 'papy-1: no executor is configured for kind papy'
says 'next: deed doctor'
run 14 --json status
is 1 "$(field unserved)"
run 0 list
says 'no executor for kind papy'
run 0 explain papy-1
says 'No executor is configured for kind papy'
run 10 doctor
says 'no executor is configured for kind papy, and papy-1 waits for one'
run 11 --json run papy-1
is 'deed doctor' "$(error_field next)"

# What does not load is told, and nothing is judged by it.
echo '{' >config.json
run 0 status
tells 'the configuration does not load, so this looks without it'
[ ! -e nowhere ] || fail 'a look has made a file'
