#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# docs/internals/seams.md lists the seams of include/deed/seam.h, all of them, in that order, each
# with where it is and what a death there leaves; and each is crossed somewhere in the code.
set -euo pipefail
cd "$DEED_SOURCE_DIR"

bad=0
list=$(sed -n 's/^ *SEAM(\([A-Z_]*\), "\([a-z_.]*\)").*/\1 \2/p' include/deed/seam.h)
page=$(sed -n 's/^| `\([a-z_.]*\)` | *\([^|]*[^| ]\) *| *\([^|]*[^| ]\) *|$/\1/p' docs/internals/seams.md)

if ! difference=$(diff <(cut -d' ' -f2 <<<"$list") <(echo "$page")); then
    echo "include/deed/seam.h ('<') and docs/internals/seams.md ('>') list different seams:"
    echo "$difference"
    bad=1
fi

while read -r ident name; do
    if ! grep -rqw --include='*.c' "DEED_SEAM_$ident" core stores executors mocks; then
        echo "$name: nothing crosses DEED_SEAM_$ident"
        bad=1
    fi
done <<<"$list"
exit $bad
