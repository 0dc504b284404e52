#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is told of a broken trial: promise, point, story, and the one command that does it again.
. "$DEED_SOURCE_DIR/tests/crashtest/lib.sh"

naive=$(integration naive_retry.sh)
crashtest 10 --only event:3 --junit cases.xml -- "$naive"
says 'event:3 doubled: order-18 took effect 2 times, under 2 different keys'
says '  killed at event 3 (answer_begun of order-18, key key-'
says 'event 1: request_read, POST order-18, key key-'
says 'run 1 died of signal 9'
says 'run 2 ended 0: all is done'
says '1 broke a promise'
[ ! -s err ] || fail "something is on standard error, and it is no terminal"

# The command it names does the same.
again=$(sed -n 's/^  again: deed crashtest //p' out)
is "--provider keyed+lookup --only event:3 -- $naive" "$again"
eval "crashtest 10 --json $again"
is event:3 "$(jq -rs '.[0].point' out)"
is "$again" "$(jq -rs '.[0].again' out | sed 's/^deed crashtest //')"
is '["start","event","event","event","killed","end","start","event","event","event","event","end"]' \
    "$(jq -cs '[.[0].story[] | .what]' out)"
is '[9,0]' "$(jq -cs '[.[0].story[] | select(.what == "end") | .signal // .status]' out)"

# It is quoted for a shell.
crashtest 10 --expect 1 --restarts 3 --time-limit 1m -- sh -c "echo 'it is' done; exit 0"
again=$(sed -n 's/^  again: deed crashtest //p' out)
eval "crashtest 10 --json $again"
is "$again" "$(jq -rs '.[0].again' out | sed 's/^deed crashtest //')"

# JUnit: one case a trial, one failure for each that broke a promise.
python3 - cases.xml <<'EOF'
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
assert (suite.get("tests"), suite.get("failures")) == ("1", "1"), suite.attrib
case, = suite
assert case.get("name") == "event:3", case.attrib
failure, = case
assert failure.get("type") == "doubled" and "again: deed crashtest" in failure.text, failure.text
EOF
crashtest 0 --only before --junit cases.xml -- "$(integration careful.sh)"
python3 -c 'import xml.etree.ElementTree as tree; case, = tree.parse("cases.xml").getroot(); assert not list(case)'
crashtest 1 --only before --junit none/cases.xml -- "$(integration careful.sh)"
tells 'none/cases.xml cannot be written'

# With --keep the folder of a broken trial stays, and nothing else.
kept=yes
crashtest 10 --only event:3 --keep -- "$naive"
trial=$(sed -n 's/^  kept in: //p' out)
for file in config.json ledger.db output seams work/done world.jsonl; do
    [ -e "$trial/$file" ] || fail "the folder that was kept lacks $file"
done
is "$trial" "$(echo tmp/*/* | sed "s|^tmp|$TMPDIR|")"

# On a terminal there is progress, and it is gone at the end.
rm -r tmp/*
kept=
script -qec "'$DEED_CRASHTEST' --only before -- '$(integration careful.sh)'" typescript </dev/null >/dev/null
grep -q '1/1 before:1' typescript || fail "there is no progress on a terminal"
