#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deed-simulate from the outside: what it refuses, what it prints, and that a seed gives the same again.
set -eu
folder=$(mktemp -d "$PWD/run.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    printf 'FAILED, lines %s: %s\n-- out\n' "${BASH_LINENO[*]}" "$1" >&2
    cat out err >&2
    exit 1
}
run() { # STATUS ARG...
    local want=$1 got=0
    shift
    "$DEED_SIMULATE" "$@" >out 2>err || got=$?
    [ "$got" = "$want" ] || fail "simulate $* ended $got, not $want"
}
says() { grep -qF -e "$1" out || fail "standard output lacks: $1"; }
tells() { grep -qF -e "$1" err || fail "standard error lacks: $1"; }
meets_schema() {
    "$SCHEMA_CHECK" "$DEED_SOURCE_DIR/docs/reference/output.schema.json" <"$1" >/dev/null ||
        fail "$1 does not meet the schema"
}

run 2
tells 'which scenario?'
run 2 no-such-thing
tells 'there is no scenario `no-such-thing`'
run 2 --all record
tells '--all is every scenario: leave it out, or the name `record`'
run 2 record --class stripe
tells '--class `stripe` is none'
run 2 record --class keyed
tells 'the scenario `record` is not for the class keyed'
run 2 record --seed 0
tells '--seed `0` must be a whole number, 1 or more'
run 2 record --for 3
tells '--for `3` must be a duration'
run 2 record --for 3s --trials 3
tells '--for and --trials do not go together'
run 2 --replay x --seed 3
tells '--replay and --seed do not go together'
run 2 --list record
tells 'take no scenarios'
run 2 --colour
tells 'simulate does not take `--colour`'
run 1 --replay no-such-file
tells 'no-such-file cannot be read'
echo hello >text
run 2 --replay text
tells 'text is no trail'
run 2 --json nope
meets_schema err
run 0 --help
says 'usage: deed simulate'
run 0 --list
says 'at blind lookup keyed keyed+lookup closable'

# In all the forms a report has; every crash of a scenario is the business of simulate.scenarios.
run 0 record --trials 20 --junit a.xml --report a.json --html a.html
says 'record       blind         kept'
says 'every promise was kept'
says 'distinct crash states'
grep -qF 'tests="1" failures="0"' a.xml || fail 'a.xml'
grep -qF '<td class="kept">kept' a.html || fail 'a.html'
meets_schema a.json
run 0 record --trials 5 --json
meets_schema out

# By chance: the seed stands in the answer, and gives the same again.
run 0 lost --class keyed --seed 7 --trials 30
says 'from seed 7'
sed 's/, [0-9.]* s$//;/a second$/d' out >first
run 0 lost --class keyed --seed 7 --trials 30
sed 's/, [0-9.]* s$//;/a second$/d' out >second
cmp first second || fail 'the same seed went another way'

# A run without a fault is a trail too.
printf 'deed-trail 1\nscenario lost\nclass blind\n\n' >quiet.trail
run 0 --replay quiet.trail
says 'lost         blind         kept'
sed 's/lost/nope/' quiet.trail >unknown.trail
run 2 --replay unknown.trail
tells 'which this deed does not have'
printf 'deed-trail 1\nscenario lost\nclass blind\ndeed %s\ntrace 1\nimage 1\n\n' \
    "$("$DEED_SIMULATE" --version | cut -d' ' -f2)" >changed.trail
run 10 --replay changed.trail
tells 'is not the one that was written down'

# Trails of runs that broke a promise once: each must be kept now. Each names the rule that keeps it.
for trail in "$DEED_SOURCE_DIR"/tests/simulate/trails/*.trail; do
    run 0 --replay "$trail"
    says 'every promise was kept'
done
