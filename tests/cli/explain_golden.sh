#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Goal: what `deed explain` says of every reachable combination is what people agreed on, in
# tests/golden/explain.txt; none lacks a text and no text is unreachable (explain_texts fails then).
# After a change that is meant: UPDATE_GOLDEN=1, and read the difference.
set -eu
golden=$DEED_SOURCE_DIR/tests/golden/explain.txt
"$EXPLAIN_TEXTS" >explain.txt
if [ "${UPDATE_GOLDEN:-}" = 1 ]; then
    cp explain.txt "$golden"
fi
diff -u "$golden" explain.txt
