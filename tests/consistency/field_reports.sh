#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/field-reports.md against the tests that exist: each test it names is there and is run, each report
# of the classes it is about has exactly one row, with a test or a reason, and every test_field_* is named.
set -uo pipefail
cd "$DEED_SOURCE_DIR" || exit 1

page=tests/field-reports.md
demanded=(01 02 04 05 19 20 22 23 25 26 28 29 31 32 34 35 37 38 40 41 43 44 46 47 49 50 52 53 55 56 58 59
    61 62 67 68 70 71 77 79 80 82 83 85 86 88 89 91 92 94 95 97)
later=(07 08 10 11 13 14 16 17 64 65 73 74 76 98 100)
bad=0

complain() {
    echo "$page: $1"
    bad=1
}

# A test function counts where it is named twice: once defined, once in the list that is run.
functions=$(find tests -name '*.c' -exec grep -ohE '\btest_[a-z0-9_]+__[a-z0-9_]+' {} + | sort | uniq -d)
there=$(
    echo "$functions"
    find "$DEED_BUILD_DIR/tests" -name CTestTestfile.cmake \
        -exec sed -nE 's/^add_test\(\[?=*\[?"?([a-z_0-9.]+).*/\1/p' {} +
)
# What stands in backticks and is neither a test's name nor one of these is a name misspelt.
# shellcheck disable=SC2016
named=$(grep '^|' $page | grep -oE '`[^`]*`' | tr -d '`' | grep -vxE 'run --wait' | sort -u)
while read -r name; do
    complain "there is no test $name"
done < <(comm -23 <(echo "$named") <(sort -u <<<"$there"))
while read -r name; do
    complain "does not name $name"
done < <(comm -13 <(echo "$named") <(grep '^test_field_' <<<"$functions"))

rows=$(grep -oE '^\| FR-[0-9]+ \|' $page | tr -d '| ' | sort)
while read -r number; do
    complain "$number has no row, more than one, or no business here"
done < <(comm -3 <(printf 'FR-%s\n' "${demanded[@]}" | sort) <(echo "$rows") | tr -d '\t')
waiting=$(sed -n '/^## Later/,$p' $page | grep -oE 'FR-[0-9]+' | sort)
while read -r number; do
    complain "$number stands under Later never, twice, or for no reason"
done < <(comm -3 <(printf 'FR-%s\n' "${later[@]}" | sort) <(echo "$waiting") | tr -d '\t')

# A row has an essence, an address, and a test or a sentence.
while IFS='|' read -r _ number essence source test _; do
    [[ ${essence// /} && $source == *'<https://'*'>'* && ${test// /} ]] ||
        complain "$number lacks essence, source or test"
done < <(grep -E '^\| FR-[0-9]+ \|' $page)
exit $bad
