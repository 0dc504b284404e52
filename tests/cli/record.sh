#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record binds a key to one payload for ever: a repeat is answered, another payload is refused with a
# status and a code of its own, and no error ever shows a body.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
run 0 --json record pay-1 --kind payment --target acme --body geheim
is true "$(field created)"
is false "$(field replayed)"
is recorded "$(field state)"
is none "$(field outcome)"
is ready "$(field reason)"
is null "$(field reference)"
is 'deed run pay-1' "$(field next)"

run 0 --json record pay-1 --kind payment --target acme --body geheim
is false "$(field created)"
is true "$(field replayed)"
run 0 record pay-1 --kind payment --target acme --body geheim
says 'recorded before'

run 4 --json record pay-1 --kind payment --target acme --body anders
is DEED_E_CONFLICT "$(error_field code)"
is pay-1 "$(error_field key)"
is DEED_E_CONFLICT "$(field code)"
tells 'the body differs'
tells_not geheim
tells_not anders
says_not geheim
run 4 record pay-1 --kind payment --target globex --body geheim
tells 'the target differs'

printf '{"kind":"mail","target":"ann","body":"hi\\u0000there"}' >payload.json
run 0 record mail-1 --payload payload.json
run 0 --json record mail-1 --payload - <payload.json
is false "$(field created)"

run 2 record 'Pay 1' --kind payment --target acme --body x
run 2 record pay-2
tells '--payload'
run 2 record pay-2 --kind payment
tells 'one is missing'
run 2 record pay-2 --payload payload.json --kind payment
tells 'two ways'
run 2 record --payload payload.json
run 2 record pay-2 --payload missing.json
tells missing.json
run 2 record pay-2 --payload . # a folder
run 5 show pay-2
