#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Usage: a wrong word is met with the right one; options stand before or behind the command; what is
# refused is refused before anything is touched.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

run 2
is 6 "$(grep -c '^  deed ' out)"
run 2 --json
run 0 help
run 0 --help
run 0 -h
run 0 --version
says "deed $(sed -n 's/#define DEED_VERSION "\(.*\)"/\1/p' "$DEED_SOURCE_DIR/include/deed/base.h")"
run 0 --json --version
run 0 --json help
field commands >commands
for command in $(grep -o '"name":"[a-z-]*","operands"' commands | cut -d'"' -f4); do
    run 0 --help "$command"
    says "usage: deed $command"
    grep -qF "\"name\":\"$command\",\"operands\":\"[ARGUMENT...]\"" commands && continue
    run 0 "$command" --help
    says "usage: deed $command"
    run 0 --json help "$command"
done

run 2 statsu
tells '`status`'
run 2 reconsile
tells '`reconcile`'
run 2 xyzzyxyzzy
tells 'deed help'
run 2 help statsu
tells '`status`'
run 2 retry pay-1
tells 'deed reconcile'
run 2 --json cancel pay-1
is 'deed retract pay-1' "$(error_field next)"
run 2 --json retry # no key, no command that could be run
is null "$(error_field next)"
run 2 --json retry 'Pay 1'
is null "$(error_field next)"
is DEED_E_INVALID "$(error_field code)"
for later in once backup restore; do
    run 2 $later
done

run 2 list --statee recorded
tells '--state'
run 2 list -x
tells '-x'
run 2 list --by ann
tells 'list takes no --by'
run 2 list --limit
tells '--limit needs a value'
run 2 list --all --all
tells twice
run 2 list --all=yes
tells 'takes no value'
run 2 --json list --frobnicate
is DEED_E_INVALID "$(error_field code)"
[ ! -e ledger.db ] || fail "a refused command left a file"

ledger
run 0 list --json
run 0 --json list --limit=3
deed record --kind k --target t --body --json -- pay-1 >out
run 0 --json show pay-1
says '"body":"--json"'
