#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The README, the tutorial and the reference do what they say: every command in them is run, every
# answer compared. Each document starts anew.
#
# When an answer has changed on purpose, UPDATE=1 writes the new ones into the documents:
#   UPDATE=1 ctest --preset dev -R consistency.tutorial
source "${BASH_SOURCE%/*}/transcript.sh"

scratch=$PWD
bad=0
for document in "$DEED_SOURCE_DIR"/{README.md,docs/*.md,docs/reference/*.md}; do
    grep -qE '^```(console|sh)$' "$document" || continue
    (
        enter_tree "$scratch/tree"
        [[ $document != */reference/* ]] || PATH=$PWD/build/release:$PATH # as after the tutorial
        if [[ -n ${UPDATE:-} ]]; then
            run_document "$document" "$scratch" >"$scratch/new" && cp "$scratch/new" "$document"
        else
            run_document "$document" "$scratch"
        fi
    ) || bad=1
done
((bad == 0)) || echo "if the new answers are right: UPDATE=1 ctest --preset dev -R consistency.tutorial"
exit $bad
