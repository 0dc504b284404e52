#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# docs/reference/api.md names every function of the installed headers exactly once, under its header,
# and only codes and words that exist.
set -euo pipefail
cd "$DEED_SOURCE_DIR"

page=docs/reference/api.md
bad=0

complain() {
    echo "$page: $1"
    bad=1
}

# "deed/ledger.h deed_get", one line each. Comments go first, so that what they say declares nothing.
declared=$(find include/deed -name '*.h' | while read -r header; do
    section=${header#include/}
    [[ $section == deed/mock/* ]] && section=deed/mock/
    tr '\n' ' ' <"$header" | sed -E 's#/\*([^*]|\*+[^*/])*\*+/##g' | grep -oE '\bDEED_API [^;]*;' |
        grep -oE '\bdeed_[a-z0-9_]+\(' | tr -d '(' |
        sed "s#^#$section #" || true
done | sort)
listed=$(awk '/^## / {section = $2} /^\| `deed_/ {gsub(/`/, "", $2); print section, $2}' $page | sort)

(($(wc -l <<<"$declared") > 50)) || complain "the headers were not read"
if ! difference=$(diff <(echo "$declared") <(echo "$listed")); then
    complain "the headers ('<') declare, and it ('>') lists, other functions:
$difference"
fi

while IFS='|' read -r _ call does fails durable _; do
    [[ -n ${does// /} ]] || complain "$call does nothing"
    for code in $fails; do
        [[ $code == - || $code == ledger ]] || grep -q "^RC(E_$code," core/result.def ||
            complain "$call fails with $code, which is no code"
    done
    [[ -n ${fails// /} ]] || complain "$call says nothing of failure"
    [[ $durable =~ ^\ (yes|no|-)\ $ ]] || complain "$call is durable:$durable"
done < <(grep '^| `deed_' $page)

# What returns deed_rc can fail, and nothing else can. (Names of codes are asked of it, not returned.)
can_fail=$(find include/deed -name '*.h' -exec cat {} + | tr '\n' ' ' | sed -E 's#/\*([^*]|\*+[^*/])*\*+/##g' |
    grep -oE '\bDEED_API DEED_MUST_CHECK deed_rc +deed_[a-z0-9_]+\(' | grep -oE 'deed_[a-z0-9_]+\($' | tr -d '(' | sort)
says_so=$(awk -F'|' '/^\| `deed_/ && $4 !~ /^ - $/ {gsub(/[` ]/, "", $2); print $2}' $page | sort)
if ! difference=$(diff <(echo "$can_fail") <(echo "$says_so")); then
    complain "what returns a code in the headers ('<') and what fails by this page ('>') differ:
$difference"
fi
exit $bad
