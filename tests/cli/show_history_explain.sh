#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# show has the facts, history the events, explain the words; and what others wrote cannot move the
# cursor of a terminal or turn its writing around.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock lookup '"landing_ms": 1000' '"scripts": {"pay-1": {"do": "lose"}}'
record pay-1
run 3 run pay-1
run 0 --json show pay-1
is '{"kind":"payment","target":"acme","body":"{\"cents\": 1250}"}' "$(field payload)"
says '"executor":"mock"'
says '"provider_key":"'
run 0 show pay-1
says 'Attempts'
says 'Evidence'
run 0 --json history pay-1
is 'record attempt answer' "$(fields event)"
is '1 2 3' "$(fields number)"
run 0 --json explain pay-1
is lookup "$(field provider_class)"
says '"why_not_resent":"'
run 0 explain pay-1
says 'What is known'
says 'Why nothing is resent'
says 'deed reconcile pay-1'

printf '{"kind":"a\\u001b[31m","target":"b\\u202e","body":"c\\u0000\\u0007d"}' >payload.json
run 0 record odd-1 --payload payload.json
run 0 show odd-1
says 'a\u001b[31m'
says 'b\u202e'
says 'c\u0000\u0007d'
run 0 --json show odd-1
is '{"kind":"a\u001B[31m","target":"b' "$(field payload | cut -c1-33)"
run 0 hold odd-1 --by ann --reason "$(printf 'x\033]0;owned\007')"
run 0 explain odd-1
says_not "$(printf '\033')"

for command in show history explain; do
    run 5 --json $command missing
    is DEED_E_NOT_FOUND "$(error_field code)"
    is missing "$(error_field key)"
    run 2 $command
done
