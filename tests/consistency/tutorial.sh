#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The README, the tutorial and the reference do what they say: every command in them is run, every
# answer compared. Each document starts anew.
source "${BASH_SOURCE%/*}/transcript.sh"

scratch=$PWD
bad=0
for document in "$DEED_SOURCE_DIR"/{README.md,docs/*.md,docs/reference/*.md}; do
    grep -qE '^```(console|sh)$' "$document" || continue
    (
        enter_tree "$scratch/tree"
        [[ $document != */reference/* ]] || PATH=$PWD/build/release:$PATH # as after the tutorial
        run_document "$document" "$scratch"
    ) || bad=1
done
exit $bad
