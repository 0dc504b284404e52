# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by errors_golden.sh: attempts, doubts, decisions.
title 'running'
mock blind '"send_ms": 3600000, "landing_ms": 1000, "attempts_max": 1' \
    '"scripts": {"lost-*": {"do": "lose"}, "down-*": {"do": "refuse"}}'
t run
t run pay-1 --due
t run missing
t show missing
t run 'Pay 1'
"$DEED" record odd-1 --kind unheard-of --target acme --body x >/dev/null 2>&1
t run odd-1
record held-1 lost-1 lost-2 down-1
"$DEED" hold held-1 --by ann --reason 'not yet' >/dev/null
t run held-1
"$DEED" record old-1 --kind payment --target acme --body x --not-after 2001-01-01T00:00:00Z >/dev/null
t run old-1
"$DEED" run pay-1 lost-1 lost-2 >/dev/null 2>&1 || true

title 'a person decides'
t resolve missing --outcome applied --by ann --reason x
t resolve lost-1 --outcome retracted --by ann --reason x
t resolve lost-1 --outcome applied --by '' --reason x
t resolve lost-1 --outcome applied --by "$(letters 1001)" --reason x
t resolve lost-1 --outcome applied --by ann --reason x --reference "$(letters 256)"
t resolve lost-1 --outcome not_applied --by ann --reason 'not on the statement'
t resolve pay-1 --outcome not_applied --by ann --reason x
t retract lost-1 --by ann --reason x
t retract pay-1 --by ann --reason x
t hold pay-1 --by ann --reason x
"$DEED" resolve lost-1 --outcome applied --by ann --reason x --reference bank-7 >/dev/null
t resolve lost-2 --outcome applied --by ann --reason x --reference bank-7

title 'somebody is at it'
mock keyed '"send_ms": 1000, "answer_ms": 1500, "window_ms": "forever", "landing_ms": 1000' \
    '"scripts": {"hang-1": {"do": "hang"}, "hang-2": [{"do": "lose"}, {"do": "hang"}]}'
record hang-1 hang-2 idle-1
begun() {
    local tries=0
    until "$DEED" --json show "$1" 2>/dev/null | grep -q '"in_flight":true'; do
        tries=$((tries + 1))
        [ $tries -lt 500 ] || fail "$1 never began"
    done
}
# Puts the end of an interrupted command on record.
interrupt() { # PROCESS COMMAND
    local got=0
    kill -INT "$1"
    wait "$1" || got=$?
    { printf '\n$ deed %s\n' "$2"; mask <err2; printf '[%s]\n' "$got"; } >>"$transcript"
}
"$DEED" run hang-1 idle-1 >out2 2>err2 &
begun hang-1
t resolve hang-1 --outcome applied --by ann --reason x
t retract hang-1 --by ann --reason x
interrupt $! 'run hang-1 idle-1     (interrupted)'
export DEED_LEDGER=busy.db
"$DEED" init --name busy --test >/dev/null
record hang-2
"$DEED" run hang-2 >out2 2>err2 || true
"$DEED" reconcile >out2 2>err2 &
begun hang-2
interrupt $! 'reconcile     (interrupted)'
export DEED_LEDGER=ledger.db

title 'disputed'
mock lookup '"landing_ms": 1000, "reach_ms": "forever", "consistency": "strong"' \
    '"script": {"do": "lose"}, "lookup_script": ["several"]'
record twice-1
"$DEED" run twice-1 >/dev/null 2>&1 || true
"$DEED" reconcile twice-1 >/dev/null 2>&1 || true
t run twice-1
t retract twice-1 --by ann --reason x
t hold twice-1 --by ann --reason x

title 'fenced'
"$DEED" --ledger fenced.db init --name fenced --test >/dev/null
DEED_LEDGER=fenced.db record fenced-1
sqlite3 fenced.db 'UPDATE ledger SET fenced = 1, restored_ms = created_ms + 1; UPDATE intent SET fence_raised = 1'
t --ledger fenced.db run fenced-1
t --ledger fenced.db retract fenced-1 --by ann --reason x

title 'adopted without a payload'
cp "$DEED_SOURCE_DIR/tests/vectors/seed-ledger.sqlite3" adopted.db
chmod 600 adopted.db
"$DEED" --ledger adopted.db migrate --name adopted --test >/dev/null
key=$("$DEED" --ledger adopted.db --json list | sed -n 1p | "$SCHEMA_CHECK" --field key)
t --ledger adopted.db run "$key"
t --ledger adopted.db record "$key" --kind payment --target acme --body geheim
