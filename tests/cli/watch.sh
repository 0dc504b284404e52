#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --watch repeats the pass until a signal: what comes later is taken, a signal ends the sleep at once,
# and the interval is slept, not spun.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

settled() { # KEY STATE: waits until it is so
    local tries=0
    until "$DEED" --json show "$1" 2>/dev/null | grep -q "\"state\":\"$2\""; do
        tries=$((tries + 1))
        [ $tries -lt 500 ] || fail "$1 never became $2"
    done
}
end() { # SIGNAL
    local got=0
    kill "-$1" "$process"
    wait "$process" || got=$?
    is 130 "$got"
}

ledger
mock lookup '"landing_ms": 1000, "consistency": "strong", "reach_ms": "forever"' '"scripts": {"lost-*": {"do": "lose"}}'
record pay-1
"$DEED" --json run --due --watch --every 5ms >seen 2>err &
process=$!
settled pay-1 confirmed
record pay-2 # later than the first pass
settled pay-2 confirmed
end TERM
"$SCHEMA_CHECK" "$DEED_SOURCE_DIR/docs/reference/output.schema.json" <seen
[ "$(grep -c '"object":"summary"' seen)" -ge 2 ] || fail "a pass was not told"

record lost-1
run 3 run lost-1
"$DEED" reconcile --watch --every 5ms >seen 2>err &
process=$!
settled lost-1 reconciled
end INT
tells 'interrupted'
grep -q 'lost-1: applied (reconciled)' seen || fail "the verdict was not told"

# An interval of an hour: the signal ends it, nothing else would, and hardly any time was computed.
"$DEED" --json reconcile --watch --every 1h >seen 2>err &
process=$!
tries=0
until [ -s seen ]; do
    tries=$((tries + 1))
    [ $tries -lt 100000 ] || fail "no pass was told"
done
ticks_before=$(cut -d' ' -f14 "/proc/$process/stat")
"$DEED" list >/dev/null
"$DEED" list >/dev/null
ticks_after=$(cut -d' ' -f14 "/proc/$process/stat")
[ $((ticks_after - ticks_before)) -le 5 ] || fail "it computes while it should sleep"
end INT
is 1 "$(wc -l <seen | tr -d ' ')"
tells 'deed: stopping'

run 2 run pay-1 --watch
run 2 run --due --every 1s
run 2 reconcile --watch --every soon
