#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What cannot be tested is refused, with a reason; who is interrupted leaves nothing behind.
. "$DEED_SOURCE_DIR/tests/crashtest/lib.sh"

careful=$(integration careful.sh)

# refuses STATUS TEXT ARG...
refuses() {
    local status=$1 text=$2
    shift 2
    crashtest "$status" "$@"
    tells "$text"
}

refuses 2 'crashtest needs `--` and behind it the command to test'
refuses 2 'crashtest needs `--` and behind it the command to test' true
refuses 2 'crashtest does not take `--exepct`' --exepct 1 -- true
refuses 2 '--provider `stripe` must be blind, lookup, keyed, keyed+lookup or closable' --provider stripe -- true
refuses 2 '--expect `one` must be a whole number' --expect one -- true
refuses 2 '--expect 0 would hold for a command that does nothing' --expect 0 -- true
refuses 2 '--restarts `1001` must be a whole number from 0 to 1000' --restarts 1001 -- true
refuses 2 '--time-limit `5` must be a duration' --time-limit 5 -- true
refuses 2 '--only `evnt` names no point: there are unharmed, before:1 to 1, event:1 to 4' --only evnt -- "$careful"
refuses 1 'no-such-program cannot be run: No such file or directory' -- no-such-program
refuses 1 'nobody harmed it, and it ended 5 instead of ending 0' -- sh -c 'echo "I am why"; exit 5'
tells 'I am why'
refuses 1 'nobody harmed it, and it ended 3 instead of ending 0' -- sh -c 'exit 3'
refuses 1 'nobody harmed it, and it ran too long' --time-limit 500ms -- sleep 100
refuses 1 'the command ended 0 and nothing took effect' -- true
crashtest 0 --version
is "$(deed --version)" "$(cat out)"
crashtest 0 --help
says 'deed crashtest [OPTION...] -- COMMAND [WORD...]'
touch here.py
refuses 1 'It starts in an empty folder: name the file as "$PWD/here.py"' -- python3 here.py
crashtest 2 --json --exepct 1 -- true
is DEED_E_INVALID "$("$SCHEMA_CHECK" --field code <err)"

# What it gives the command: an empty folder of its own, all that it needs, and no input.
cat >look <<'EOF'
[ -z "$(ls -A)" ] && [ -f "$DEED_CONFIG" ] && ! read -r line && case $DEED_MOCK_URL in http://127.0.0.1:*) ;; *) exit 7 ;; esac &&
    deed status >/dev/null && . "$DEED_SOURCE_DIR/tests/crashtest/integrations/http.sh" && post a b c
EOF
crashtest 0 --only unharmed -- bash "$PWD/look"
# A program named by a path is found from here.
cp "$careful" ./mine
crashtest 0 --only before -- ./mine

# Interrupted: it ends 130, says what it has, and nothing runs on.
cat >waits <<'EOF'
echo $$ >"$PIDS"
setsid bash -c 'echo $$ >>"$PIDS"; while :; do sleep 1000; done' &
while :; do sleep 1000; done
EOF
export PIDS=$PWD/pids
"$DEED_CRASHTEST" --expect 1 --json -- bash "$PWD/waits" >out 2>err &
driver=$!
while [ "$(cat pids 2>/dev/null | wc -l)" -lt 2 ]; do read -r -t 0.01 <> <(:) || true; done
kill -INT $driver
status=0
wait $driver || status=$?
is 130 $status
meets_schema out
is true "$(field interrupted)"
is DEED_E_INTERRUPTED "$("$SCHEMA_CHECK" --field code <err)"
is "" "$(ls tmp)"
for pid in $(cat pids); do
    ! kill -0 "$pid" 2>/dev/null || fail "process $pid of the command lives on"
done
