#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The demonstration ends 0, tells what it must tell, and leaves nothing behind.
set -euo pipefail

examples=$DEED_SOURCE_DIR/docs/examples
show=$examples/demo/show
rm -rf -- *

# What the configuration declares is true and short: at most two seconds, each landing inside its
# allowance, and duplicates of the network only where a key absorbs them.
broken_kinds=$(jq -r '.kinds | to_entries[] | select(
        (.value | .send_ms + .landing_ms + (.lag_ms // 0) > 2000) or
        (.value | [.. | .after_ms? // empty] | any(. >= 1200)) or .value.landing_ms != 1200 or
        ((.value.options.class | startswith("keyed") | not) and
            (.value | [.. | .duplicates? // empty] | length > 0))
    ) | .key' "$examples/demo/config.json")
if [[ -n $broken_kinds ]]; then
    echo "config.json: more than the demonstration may assume: $broken_kinds"
    exit 1
fi
(($(jq -r .action_key "$examples/actions.jsonl" | sort -u | wc -l) >= 40))

mkdir data
TMPDIR=$PWD/data "$show" "$DEED_BUILD_DIR" >out.txt 2>err.txt || {
    cat out.txt err.txt
    exit 1
}

expect() {
    grep -qE -- "$1" out.txt || {
        cat out.txt
        echo "the demonstration does not say: $1"
        exit 1
    }
}

expect '^kill  1: [a-z0-9-]+, window a: effect fx-[0-9]+ is in the world, the reply was never read$'
expect '^12 of 12 kills landed'
expect '# exit 4$'                      # the changed payload
expect '^\.\.\. and 44 more, recorded now$' # and it stopped no other line
expect 'refund-933 already binds another payload'
[[ $(grep -c 'recorded before$' out.txt) == 4 ]]
expect '^12 kills with SIGKILL: 6 in window a, 6 in window b$'
expect '^deed: +44 actions, 42 effects, 0 doubled, 0 lost, 0 false claims$'
expect '^verdict: each action happened once'
for class in blind lookup keyed keyed\\+lookup closable; do
    expect "^[a-z0-9-]+ +$class +applied, reconciled +1 +2 !  killed, window [ab]$"
done

if grep -q $'[\e\r]' out.txt err.txt; then
    echo "without a terminal there is neither colour nor progress"
    exit 1
fi
if [[ -s err.txt ]]; then
    cat err.txt
    exit 1
fi
if [[ -n $(ls -A data) ]]; then
    echo "data was left behind"
    exit 1
fi
