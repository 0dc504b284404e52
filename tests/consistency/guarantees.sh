#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every test that docs/reference/guarantees.md names exists and is run; every line names one, or says
# that there is none yet.
set -uo pipefail
cd "$DEED_SOURCE_DIR" || exit 1

page=docs/reference/guarantees.md
bad=0

complain() {
    echo "$1"
    bad=1
}

# A test function counts where it is named twice: once defined, once in the list that is run.
there=$(
    find tests -name '*.c' -exec grep -ohE '\btest_[a-z0-9_]+__[a-z0-9_]+' {} + | sort | uniq -d
    find "$DEED_BUILD_DIR/tests" -name CTestTestfile.cmake \
        -exec sed -nE 's/^add_test\(\[?=*\[?"?([a-z_0-9.]+).*/\1/p' {} +
)
named=$(grep -oE '`(test_[a-z0-9_]+__|(unit|conformance|crash|crashtest|simulate|model|consistency|cli|demo|consumer|fuzz|walreset|matrix)\.)[a-z0-9_]+`' $page |
    tr -d '`')
while read -r name; do
    complain "$page: there is no test $name"
done < <(comm -23 <(sort -u <<<"$named") <(sort -u <<<"$there"))

while IFS= read -r line; do
    [[ $line == *'`test_'* || $line =~ \`[a-z]+\.[a-z0-9_]+\` || $line == *'no test yet'* ]] ||
        complain "$page: names no test and does not say so: $line"
done < <(grep '^| ' $page | grep -vE '^\| (sentence|---) ')
exit $bad
