#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A kind that is not configured is recorded, since who records may not be who runs, and warned of, since
# it is most likely misspelt: on standard error, once for each kind, and only when it is new.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
record pay-1
tells_not warning # no kinds are configured, so nothing can be misspelt

mock blind '' ''
record pay-2
tells_not warning
run 0 record pay-3 --kind paymnt --target acme --body x
tells 'warning: the configuration has no kind "paymnt"; the nearest is "payment"'
says 'recorded now'
run 0 record pay-3 --kind paymnt --target acme --body x
tells_not warning
run 0 --json record pay-4 --kind paymnt --target acme --body x
is intent "$(fields object)"
is warning "$(error_field object)"
is pay-4 "$(error_field key)"

for i in 1 2 3; do
    printf '{"action_key":"line-%s","kind":"mial","target":"ann","body":"x"}\n' $i
done >lines
run 0 record --from lines
is 1 "$(grep -c warning: err)"
tells 'warning: line 1: the configuration has no kind "mial"'

# A kind called * serves every kind that has no member of its own, and then none is unknown.
cat >config.json <<EOF
{"kinds": {"*": {"executor": "mock", "options": {"world": "$folder/world", "class": "keyed"}},
    "letter": {"executor": "mock", "options": {"world": "$folder/letters", "account": "acct-2", "class": "blind"}}}}
EOF
run 0 record pay-5 --kind paymnt --target acme --body x
tells_not warning
run 0 run pay-5
is 1 "$(effects pay-5)"
run 0 record letter-1 --kind letter --target ann --body x
run 0 run letter-1
is 0 "$(effects letter-1)"
grep -q letter-1 letters || fail "the kind with a member of its own was served by another"
