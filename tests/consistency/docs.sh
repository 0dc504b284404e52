#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Documents agree with the tree, with the command and with each other.
set -uo pipefail
cd "$DEED_SOURCE_DIR" || exit 1

bad=0

complain() {
    echo "$1"
    bad=1
}

# find, not git: an unpacked archive has to pass too.
mapfile -t documents < <(find . \( -path ./build -o -name '.?*' \) -prune -o -name '*.md' -printf '%P\n' | sort)

# What is said outside of fenced blocks, and what is code, in a block or between back quotes, each line
# with its document in front.
prose=$(awk 'FNR == 1 {inside = 0} /^```/ {inside = !inside; next} !inside {print FILENAME ":" $0}' "${documents[@]}")
code=$(awk 'FNR == 1 {inside = 0} /^```/ {inside = !inside; next} inside {print FILENAME ":" $0; next} {
    count = split($0, parts, "`")
    for (i = 2; i < count; i += 2) print FILENAME ":" parts[i]
}' "${documents[@]}")

# ---- one title ----------------------------------------------------------------------------------

while read -r document; do
    complain "$document: a document starts with its title, and has no other"
done < <(diff <(printf '%s\n' "${documents[@]}") <(
    awk 'FNR == 1 {inside = 0; if (/^# /) print FILENAME; next}
        /^```/ {inside = !inside} !inside && /^# / {print FILENAME}' "${documents[@]}") |
    sed -n 's/^[<>] //p')

# ---- links that lead somewhere ------------------------------------------------------------------

# "docs/a.md:## The tree" -> "docs/a.md#the-tree", as it is linked to.
declare -A anchors
while IFS= read -r anchor; do
    anchors[$anchor]=1
done < <(grep -E '^[^:]+:#+ ' <<<"$prose" | sed -E 's/:#+ /#/' |
    awk -F'#' '{name = tolower($2); gsub(/[^a-z0-9 _-]/, "", name); gsub(/ /, "-", name); print $1 "#" name}')

links=$(awk -F: '{
    text = substr($0, length($1) + 2)
    while (match(text, /\]\([^) ]+\)/)) {
        link = substr(text, RSTART + 2, RLENGTH - 3)
        if (link !~ /^[a-z]+:/) print $1 ":" link
        text = substr(text, RSTART + RLENGTH)
    }
}' <<<"$prose" | sort -u)
mapfile -t targets < <(awk -F: '{
    folder = $1
    if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
    file = $2
    sub(/#.*/, "", file)
    print file == "" ? $1 : folder "/" file
}' <<<"$links" | xargs -d '\n' realpath -m --relative-to=.)

i=0
while IFS=: read -r document link; do
    target=${targets[i++]}
    if [[ ! -e $target ]]; then
        complain "$document: the link to $link leads nowhere"
    elif [[ $link == *'#'* && -z ${anchors[$target#${link#*#}]:-} ]]; then
        complain "$document: $target has no section #${link#*#}"
    fi
done <<<"$links"

# ---- maps and indexes ---------------------------------------------------------------------------

mapped=$(sed -n '/^## The tree/,/^## /p' README.md | sed -nE 's/^\| `([a-z]+\/)`.*/\1/p' | sort)
folders=$(find . -mindepth 1 -maxdepth 1 -type d ! -name '.*' ! -name build -printf '%f/\n' | sort)
difference=$(diff <(echo "$mapped") <(echo "$folders")) ||
    complain "README.md, \"The tree\" ('<') and the folders there are ('>') differ:
$difference"

for page in "${documents[@]}"; do
    case $page in
    docs/README.md | docs/decisions/README.md | docs/internals/* | docs/examples/*) continue ;;
    docs/decisions/*) index=docs/decisions ;;
    docs/*) index=docs ;;
    *) continue ;;
    esac
    grep -qF "](${page#"$index"/})" $index/README.md || complain "$index/README.md does not link to $page"
done

# ---- commands, options, presets -----------------------------------------------------------------

declare -A known
while IFS= read -r entry; do
    known[$entry]=1
done < <("$DEED" help --json | jq -r '(.options[].name as $o | .commands[].name + " --" + $o),
    (.commands[] | .name as $c | $c, ($c + " --" + .options[].name))')
((${#known[@]})) || complain "deed help --json says nothing"
# Commands that are programs of their own tell their options by themselves.
for name in $("$DEED" help --json | jq -r '.commands[] | select(.operands == "[ARGUMENT...]").name'); do
    while IFS= read -r option; do
        known[$name $option]=1
    done < <("$DEED" "$name" --help 2>/dev/null | sed -nE 's/^ +(--[a-z-]+).*/\1/p')
done

while IFS=: read -r document words; do
    read -r name rest <<<"$words"
    if [[ -z ${known[$name]:-} ]]; then
        complain "$document: there is no command \`deed $name\`"
        continue
    fi
    for option in $rest; do
        option=${option%%=*}
        [[ $option =~ ^--[a-z][a-z-]*$ ]] || continue
        [[ -n ${known["$name $option"]:-} ]] || complain "$document: \`deed $name\` has no option $option"
    done
done < <(sed -nE 's/^([^:]+):(.*[;|&] *|\$ | *)deed( --(ledger|config) [^ ]+| --json)* ([a-z][^;|&]*).*/\1:\5/p' <<<"$code")

presets=$(jq -r '(.configurePresets, .testPresets)[] | select(.hidden | not) | .name' CMakePresets.json)
while IFS=: read -r document preset; do
    grep -qxF -- "$preset" <<<"$presets" || complain "$document: there is no preset \`$preset\`"
done < <(sed -nE 's/^([^:]+):.*--preset ([a-z]+).*/\1:\2/p' <<<"$code")

# ---- tests that are there -----------------------------------------------------------------------

# Which labels and names a test preset takes: a command that is printed must run a test, and ctest says
# nothing where none fits. (This build is asked which tests there are; every build has the same.)
tests=$(ctest --test-dir "$DEED_BUILD_DIR" --show-only=json-v1 |
    jq -c '[.tests[] | {name, labels: ([.properties[]? | select(.name == "LABELS").value[]])}]')
while IFS=: read -r document preset regex; do
    count=$(jq --arg regex "$regex" --argjson filter "$(jq -c --arg preset "$preset" '
            .testPresets as $all | $all[] | select(.name == $preset) |
            .filter // ($all[] | select(.name == "test-base").filter)' CMakePresets.json)" '
        def any_label($re): any(.labels[]; test($re));
        [.[] | select(.name | test($regex))
            | select($filter.include.label as $re | $re == null or any_label($re))
            | select($filter.exclude.label as $re | $re == null or (any_label($re) | not))
            | select(.name as $name | $filter.exclude.name as $re | $re == null or ($name | test($re) | not))
        ] | length' <<<"$tests")
    ((count)) || complain "$document: \`ctest --preset $preset -R $regex\` runs no test"
done < <(sed -nE "s/^([^:]+):.*ctest --preset ([a-z]+) (-V )?-R '?([^' ]+)'?.*/\1:\2:\4/p" <<<"$code")

exit $bad
