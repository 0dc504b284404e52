# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Runs a document: every command in it, in order, in one shell, and compares what is printed.
#
#   ```sh       run as it stands; it must succeed
#   ```console  lines that start with "$ " are run; what follows must be what they print, but for times
#   ```other    passed over; so is any block after a line <!-- not run -->
#
# It starts in a folder that looks like the top of the tree after a release build. With UPDATE=1 it
# prints the document with the answers the commands gave, instead of comparing.
set -uo pipefail

plain() {
    sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?Z/TIME/g'
}

# $1: where to make the folder.
enter_tree() {
    rm -rf "$1"
    mkdir -p "$1/build"
    for entry in "$DEED_SOURCE_DIR"/*; do
        [[ ${entry##*/} == build ]] || ln -s "$entry" "$1/"
    done
    ln -s "$(dirname "$DEED")" "$1/build/release"
    cd "$1" || exit 1
    unset DEED_LEDGER DEED_CONFIG
    export LC_ALL=C
}

# $1: the document; $2: a folder for what the commands print, outside of the tree they run in.
run_document() {
    local document=$1 work=$2 failed=0 count=0 number=0 block='' skip='' line
    local command='' expected='' script='' wait_for=''
    emit() { [[ -z ${UPDATE:-} ]] || printf '%s\n' "$@"; }
    finish_command() {
        [[ -n $command ]] || return 0
        count=$((count + 1))
        eval "$command" >"$work/out" 2>&1
        if [[ -n ${UPDATE:-} ]]; then
            cat "$work/out"
        elif ! diff -u <(printf '%s' "$expected" | plain) <(plain <"$work/out") >"$work/diff"; then
            echo "$document:$wait_for: $command"
            tail -n +3 "$work/diff"
            failed=1
        fi
        command='' expected=''
    }
    while IFS= read -r line; do
        number=$((number + 1))
        case $block:$line in
        ':<!-- not run -->') skip=1 ;;
        ':```'*)
            block=${line#'```'}
            [[ -z $skip ]] || block=skipped
            skip='' script=''
            ;;
        *':```')
            if [[ $block == console ]]; then
                finish_command
            elif [[ $block == sh ]]; then
                count=$((count + 1))
                if ! eval "$script" >"$work/out" 2>&1; then
                    echo "$document:$number: the block above failed"
                    cat "$work/out"
                    failed=1
                fi
            fi
            block=''
            ;;
        'console:$ '*)
            finish_command
            command=${line#'$ '} wait_for=$number
            ;;
        console:*)
            expected+=$line$'\n'
            continue
            ;;
        sh:*) script+=$line$'\n' ;;
        esac
        emit "$line"
    done <"$document"
    if ((count == 0)); then
        echo "$document: no commands were found"
        failed=1
    fi
    [[ -n ${UPDATE:-} ]] || echo "$document: $count commands"
    return $failed
}
