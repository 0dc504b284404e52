#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Help, the manual and the completion tell the same commands, options and exit statuses; the manual is
# good roff, says the same on every day, and the completion completes.
set -uo pipefail

bad=0
complain() {
    echo "$1"
    bad=1
}

help=$("$DEED" help --json)
"$DEED" help --man >deed.1
"$DEED" help --completion bash >deed.bash
# As a reader sees it: no emphasis, no hyphenation.
sed -E -e 's/\\f[BIR]//g' -e 's/\\-/-/g' -e 's/\\\(aq/'"'"'/g' deed.1 >plain

# ---- the manual ---------------------------------------------------------------------------------

commands=$(jq -r '.commands[].name' <<<"$help")
[[ -n $commands ]] || complain "help names no command"
told=$(sed -nE 's/^\.SS "deed ([a-z-]+).*/\1/p' plain)
diff <(echo "$commands") <(echo "$told") || complain "commands: help ('<') and deed.1 ('>') differ"

options_of() { # COMMAND; empty: those of every command
    jq -r --arg name "$1" 'if $name == "" then .options else (.commands[] | select(.name == $name) | .options) end
        | .[] | "--\(.name)\(if .value then " " + .value else "" end): \(.help)"
            + (if .choices then ": " + (.choices | join(", ")) else "" end)
            + (if .required then " (required)" else "" end)' <<<"$help" | tr -d '`'
}
manual_options() { # the same, read from the manual
    awk -v name="$1" '
        /^\.S[SH] / { on = name == "" ? $0 == ".SH OPTIONS" : $0 ~ "^\\.SS \"deed " name "[ \"]" }
        !on { next }
        /^\.TP/ { if (text) print text; text = ""; getline; text = $0 ":"; next }
        /^\./ { next }
        text { text = text " " $0 }
        END { if (text) print text }' plain
}
while read -r command; do
    diff <(options_of "$command") <(manual_options "$command") ||
        complain "options of '$command': help ('<') and deed.1 ('>') differ"
done < <(printf '\n%s\n' "$commands")

diff <(jq -r '.exit_statuses[] | "\(.status) \(.meaning)"' <<<"$help" | tr -d '`') \
    <(awk '/^\.SH/ { on = $0 == ".SH EXIT STATUS"; next } !on || /^\.TP/ { next }
        /^\.B / { if (text) print text; text = $2; next } { text = text " " $0 } END { print text }' plain) ||
    complain "exit statuses: help ('<') and deed.1 ('>') differ"

cmp <(TZ=Pacific/Auckland LC_ALL=C.UTF-8 "$DEED" help --man) deed.1 || complain "the manual depends on when and where"
checked=
if command -v mandoc >/dev/null; then
    checked=yes
    mandoc -Tlint deed.1 || complain "mandoc finds fault with deed.1"
fi
if command -v groff >/dev/null; then
    checked=yes
    said=$(groff -man -ww -Tutf8 deed.1 2>&1 >page) || complain "groff cannot set deed.1"
    [[ -z $said ]] || complain "groff warns: $said"
    [[ -s page ]] || complain "groff sets an empty page"
fi
[[ -n $checked ]] || echo "neither mandoc nor groff is here: deed.1 was not set"

# ---- the completion -----------------------------------------------------------------------------

# shellcheck source=/dev/null
. ./deed.bash
complete -p deed >/dev/null || complain "the completion is not bound to deed"
completes() { # WORD...: the last one is what is being typed; prints the candidates
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _deed 2>/dev/null
    printf '%s\n' "${COMPREPLY[@]}" | sort
}
expect() { # WANTED WORD...
    local want=$1
    shift
    diff <(echo "$want" | tr ' ' '\n' | sort) <(completes "$@") || complain "completing: $*"
}

expect "$(echo "$commands" | tr '\n' ' ' | sed 's/ $//')" deed ''
common=$(jq -r '.options[].name' <<<"$help")
expect "$(sed 's/^/--/' <<<"$common" | tr '\n' ' ' | sed 's/ $//')" deed --
while read -r command; do
    # A program of its own has no option of ours; it tells its own.
    if jq -e --arg name "$command" '.commands[] | select(.name == $name).operands == "[ARGUMENT...]"' \
        <<<"$help" >/dev/null; then
        expect --help deed --json "$command" --
        continue
    fi
    own=$(jq -r --arg name "$command" '.commands[] | select(.name == $name) | .options[].name' <<<"$help")
    expect "$(printf '%s\n' $common $own | sed 's/^/--/' | tr '\n' ' ' | sed 's/ $//')" deed --json "$command" --
done <<<"$commands"
while IFS=: read -r command option choices; do
    expect "$choices" deed "$command" "--$option" ''
done < <(jq -r '.commands[] | .name as $c | .options[] | select(.choices) | "\($c):\(.name):\(.choices | join(" "))"' <<<"$help")
: >some-file
expect some-file deed record --payload some-
expect some-file deed --ledger some-
expect '' deed show -- -
expect '' deed record --kind li
exit $bad
