#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Model and code have one table. A row that goes from state.def is missed by the model; a row that leads
# elsewhere takes the model there; and no line of the model changes a state but the generated ones.
set -euo pipefail
cd "$DEED_SOURCE_DIR"

bad=0

# $1 what is done to state.def, as sed says it; $2 a run of sizes.list that needs the row as it is.
demand_failure() {
    local copy output
    copy=$(mktemp -d)
    cp core/state.def "$copy"
    sed -i -E "$1" "$copy/state.def"
    if cmp -s core/state.def "$copy/state.def"; then
        echo "state.def has no row like this any more: $1"
        bad=1
    elif output=$(DEED_STATE_DEF=$copy DEED_BUILD_DIR=$copy scripts/model "$2" 2>&1); then
        echo "the model does not miss it: $1"
        bad=1
    elif ! grep -q "$3" <<<"$output"; then
        echo "$2 fails for another reason than the table: $1"
        printf '%s\n' "$output"
        bad=1
    fi
    rm -rf "$copy"
}

demand_failure '/^EDGE\(ATTEMPTED, *N, *REPLAY,/d' keyed 'broken TABLE'
demand_failure '/^EDGE\(RECONCILED, O, *RETRACT,/d' lookup 'broken TABLE'
# What is inferred must not be called seen.
demand_failure 's/^(EDGE\(ATTEMPTED, *N, *RECONCILE, *)RECONCILED,/\1CONFIRMED, /' blind 'broken IB5'

if grep -nE '\b(state|outcome) = ' tests/model/*.pml; then
    echo "the model changes a state by itself: core/state.def says how, by \`move\`"
    bad=1
fi
exit $bad
