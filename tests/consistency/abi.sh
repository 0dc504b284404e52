#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The binary interface is the one in packaging/abi.txt: signatures, numbers, and where each member of
# each public struct lies, as a compiler with 64-bit pointers sees the headers. A change of that kind
# compiles, passes the other tests, and breaks programs that were built before.
#
#   UPDATE=1 ctest --preset dev -R consistency.abi
#
# writes the new one. A line that only came is growth; one that changed or went is a break, and
# docs/reference/versions.md says what that takes.
set -euo pipefail
cd "$DEED_SOURCE_DIR/include"

scratch=$OLDPWD
recorded=$DEED_SOURCE_DIR/packaging/abi.txt
# The order of the alphabet is no order of the headers: a new one moves nothing.
find deed -name '*.h' | LC_ALL=C sort | sed 's/.*/#include <&>/' >"$scratch/all.c"
compile=(clang -std=c11 -I. "$scratch/all.c")

{
    echo "# Functions"
    "${compile[@]}" -E -P | tr -s '\n\t ' ' ' | # DEED_API reads so once it is expanded
        grep -oE '__attribute__\(\(visibility\("default"\)\)\) [^;]*;' |
        sed -E 's/__attribute__\(\([a-z_]+(\([^)]*\))?\)\) ?//g; s/\( /(/g; s/ ;/;/' | LC_ALL=C sort
    "${compile[@]}" -E -P | tr -s '\n\t ' ' ' | grep -oE 'typedef [^;{]*\(\*deed_[^;]*;' |
        sed -E 's/\( /(/g' | LC_ALL=C sort
    echo
    echo "# Numbers"
    "${compile[@]}" -E -dM | grep -E '^#define DEED_[A-Z0-9_]+ [^ ]' |
        grep -vE ' (DEED_(API|MUST_CHECK|PRINTF|VERSION|BEGIN_DECLS|END_DECLS)|[A-Z_]+_H)\b|__attribute__' |
        sed 's/^#define //' | LC_ALL=C sort
    cat $(find deed -name '*.h' | LC_ALL=C sort) |
        sed -nE 's/^    (DEED_[A-Z0-9_]+ = -?[0-9x]+),.*/\1/p'
    echo
    echo "# Structs: offset, type and name of each member"
    "${compile[@]}" -fsyntax-only -Xclang -fdump-record-layouts-complete | awk '
        /Dumping AST Record Layout/ {next}
        /^ +0 \| (struct|union) / {
            keep = $4 ~ /^deed_/
            if (keep) print "\n" $3 " " $4
            next
        }
        keep && /\[sizeof=/ {sub(/^ *\| /, "    "); print; next}
        keep && NF {print}'
} >"$scratch/abi.txt"

if [[ -n ${UPDATE:-} ]]; then
    cp "$scratch/abi.txt" "$recorded"
    exit
fi
if ! diff -u "$recorded" "$scratch/abi.txt"; then
    echo "The binary interface is not the one in packaging/abi.txt. What that means for programs that"
    echo "were built before: docs/reference/versions.md. If it is meant:"
    echo "    UPDATE=1 ctest --preset dev -R consistency.abi"
    exit 1
fi
