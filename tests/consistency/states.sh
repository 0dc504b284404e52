#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The machine, its words, and the codes: what the documents list is what the tables of the code hold.
set -uo pipefail
cd "$DEED_SOURCE_DIR" || exit 1

machine=docs/reference/state-machine.md
errors=docs/reference/errors.md
bad=0

# $1: what is compared; $2: as the document has it; $3: as it is.
compare() {
    local difference
    if [[ -z $3 ]]; then
        echo "$1: nothing to compare with"
        bad=1
    elif ! difference=$(diff <(echo "$2") <(echo "$3")); then
        echo "$1: the document ('<') and what it tells of ('>') differ:"
        echo "$difference"
        bad=1
    fi
}

# $1: document; $2: its first cell in the head. The rows of that table.
rows() {
    awk -v head="| $2 |" 'index($0, head) == 1 {on = 1} !/^\|/ {on = 0} on' "$1"
}

# The back-quoted names in the first column.
names() {
    rows "$1" "$2" | sed -nE 's/^\| `([a-z_]+)`.*/\1/p'
}

# $1: file; $2: macro. The text of each line.
texts() {
    sed -nE "s/^$2\((.*)\).*/\1/p" "$1" | awk -F'"' '{print $2}'
}

compare "README.md, the diagram" \
    "$(awk '/^```mermaid$/ {on = 1; next} /^```$/ {on = 0} on' README.md)" \
    "$("$DEED" states --format mermaid)"
compare "$machine, the steps" "$(rows $machine from)" "$("$DEED" states --format markdown)"
compare "$machine, the states" "$(names $machine state)" "$(texts core/state.def STATE)"
compare "$machine, the outcomes" "$(names $machine outcome)" "$(texts core/state.def OUTCOME)"
compare "$machine, the events" "$(names $machine event)" "$(texts core/state.def EVENT)"
compare "$machine, the grades" "$(names $machine grade)" \
    "$(sed -nE 's/^ *DEED_GRADE_([A-Z_]+) = [1-9].*/\L\1/p' include/deed/base.h)"
compare "$machine, the reasons" "$(rows $machine reason | tail -n +3)" \
    "$(sed -nE 's/^REASON\(\w+, *"(\w+)", *"(.*)"\)$/| `\1` | \2 |/p' core/reason.def)"

compare "$errors, the codes" "$(rows $errors number | tail -n +3)" \
    "$(sed -nE 's/^RC\((\w+), *([0-9]+), *"(.*)", *([0-9]+)\)$/| \2 | `DEED_\1` | \4 | \3 |/p' core/result.def)"
compare "$errors, the statuses" "$(rows $errors exit | tail -n +3)" \
    "$(sed -nE 's/^STATUS\( *([0-9]+), *"(.*)"\)$/| \1 | \2 |/p' cli/exits.def)"
compare "include/deed/base.h, the codes" \
    "$(sed -nE 's/^ *(DEED_(OK|E_[A-Z_]+)) = ([0-9]+).*/\3 \1/p' include/deed/base.h)" \
    "$(sed -nE 's/^RC\((\w+), *([0-9]+),.*/\2 DEED_\1/p' core/result.def)"
exit $bad
