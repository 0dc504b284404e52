#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every class, in its small size: explored to the end, every promise holds, and there are as many states as
# docs/internals/model.md says.
set -euo pipefail
cd "$DEED_SOURCE_DIR"
output=$(mktemp)
trap 'rm -f "$output"' EXIT
bad=0
scripts/model | tee "$output" || bad=1
while read -r name states word _; do
    if [[ $word == states ]] && ! grep -q "^| $name | $states |" docs/internals/model.md; then
        echo "docs/internals/model.md has another number of states for $name"
        bad=1
    fi
done <"$output"
exit $bad
