#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The figures of docs/reference/crash-matrix.md are those that the trials give now. Without "whole" only the
# ways without a ledger run, which takes seconds; of deed's lines it is seen that they claim no fault, and
# matrix.promises proves that.
set -uo pipefail

page=$DEED_SOURCE_DIR/docs/reference/crash-matrix.md
program=$DEED_BUILD_DIR/tests/matrix/crash-matrix

# Between the marks, without the empty lines beside them.
written=$(sed -n '/^<!-- figures begin/,/^<!-- figures end -->$/p' "$page" | sed '1d;$d' | sed '1{/^$/d}')
[[ -n $written ]] || {
    echo "$page has no figures: run scripts/crash-matrix"
    exit 1
}
if [[ ${DEED_MATRIX:-} == whole ]]; then
    figures=$("$program") || exit 1
else
    figures=$("$program" --quick) || exit 1
    faults=$(sed '/^### Outside/,$d' <<<"$written" | grep '^| deed |' |
        grep -E '\| *[dvlg] |^\| deed \| [^|]* \|.* [dvlg] [0-9]') &&
        echo "a promised line of deed has a fault: $faults" && exit 1
    lines=$(grep -c '^| deed |' <<<"$written")
    ((lines == 25)) || {
        echo "$lines lines of deed, in five tables of five providers"
        exit 1
    }
    written=$(grep -v '^| deed |' <<<"$written")
fi
diff <(echo "$written") <(echo "$figures") || {
    echo "$page ('<') is not what the trials give now ('>'): run scripts/crash-matrix"
    exit 1
}
