#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The tutorial and the README do what they say: every command in them is run, every answer compared.
source "${BASH_SOURCE%/*}/transcript.sh"

scratch=$PWD
bad=0
for document in README.md docs/tutorial.md; do
    (
        enter_tree "$scratch/tree"
        run_document "$DEED_SOURCE_DIR/$document" "$scratch"
    ) || bad=1
done
exit $bad
