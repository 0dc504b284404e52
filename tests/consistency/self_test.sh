#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The list of what the crash kit must find: each patch and each scenario it names is there, and each once.
# What a mutant is caught by must not be broken by a typing error that nobody sees for a week.
set -eu
cd "$DEED_SOURCE_DIR"
list=tests/mutants/simulate.list
failed=false
say() {
    echo "$list: $*" >&2
    failed=true
}

number=0
while IFS= read -r line; do
    number=$((number + 1))
    case $line in "" | "#"*) continue ;; esac
    IFS=$'\t' read -r name scenario words <<<"$line"
    [ -e "tests/mutants/$name.patch" ] || say "line $number: there is no tests/mutants/$name.patch"
    class=$(sed -n 's/.*--class \([^ ]*\).*/\1/p' <<<"$words")
    case $scenario in
    schedules/*) grep -qF "{.name = \"${scenario#*/}\"" tests/simulate/scenarios.c ||
        say "line $number: tests/simulate has no scenario ${scenario#*/}" ;;
    walreset/rule) ;;
    *) "$DEED_SIMULATE" --list | awk -v name="$scenario" -v class="$class" '
            /^ +at / { for (i = 2; i <= NF; i++) if (of == name && $i == class) found = 1; next }
            { of = $1 }
            END { exit !found }' ||
        say "line $number: deed simulate has no scenario $scenario at the class '$class'" ;;
    esac
done <"$list"

# What scripts/mutants leaves to the self-test is in its list.
for patch in $(grep -lx 'Test: scripts/self-test' tests/mutants/*.patch); do
    grep -q "^$(basename "$patch" .patch)	" "$list" || say "$patch is left to the self-test, and not in it"
done

twice=$(grep -v '^#' "$list" | cut -f 1 | sort | uniq -d)
[ -z "$twice" ] || say "named twice: $twice"
count=$(grep -vc '^#' "$list")
[ "$count" -ge 40 ] || say "only $count mutants; there have to be 40"
! $failed
