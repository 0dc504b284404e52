#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The benchmark still measures what it says. Nothing is timed here: the numbers of so few actions, on a
# machine that runs tests, mean nothing.
set -euo pipefail
bench=$DEED_BUILD_DIR/bench/deed-bench

fail() {
    echo "$1"
    exit 1
}

# 0: the wanted ratios are reached; 1: they are not, which is no matter here.
run() {
    local status=0
    "$bench" --folder . "$@" >out 2>err || status=$?
    if ((status > 1)); then
        cat err
        fail "deed-bench $*: exit status $status"
    fi
}

run --rounds 2 --actions 12 --body 100 --json
names=$(jq -r .name out | paste -sd' ')
[[ $names == "record cycle repeat once" ]] || fail "measured: $names"
jq -e 'select((.rounds == 2 and .bare_us.median > 0 and .deed_us.median > 0 and
    .ratio.p10 <= .ratio.median and .ratio.median <= .ratio.p90) | not)' out &&
    fail "a line does not add up"
[[ $(jq -r 'select(.wanted > 0) | .name' out | paste -sd' ') == "record cycle" ]] ||
    fail "record and cycle have a limit, and no other"

run --rounds 1 --actions 3 --only cycle
grep -q '^cycle .*ratio .*wanted 0\.75: ' out || fail "the table lacks its line: $(cat out)"
[[ -z $(find . -name 'bench-*' -print -quit) ]] || fail "files stay behind"

status=0
"$bench" --folder . --rounds none 2>err || status=$?
((status == 2)) || fail "a round that is no number: exit status $status"
grep -q '^usage: ' err || fail "no usage is printed"

"$DEED_SOURCE_DIR/scripts/bench" --source | cmp - "$DEED_SOURCE_DIR/bench/bare.c"
