#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Goal: every error a command can be brought to tell is on record, in tests/golden/errors.txt, with its
# command and exit status, and reads as if a colleague wrote it; and no error text in the sources is
# missing there (error_texts), save those in tests/golden/errors.list, which name the test that
# provokes them.
# After a change that is meant: UPDATE_GOLDEN=1, and read the difference.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

transcript=$folder/transcript
export DEED_CONFIG=config.json

# What times, sizes, random names, checksums are does not matter here.
mask() {
    sed -E -e 's/2026-03-01T12:00:00Z/EXAMPLE/' -e 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/TIME/g' \
        -e 's/EXAMPLE/2026-03-01T12:00:00Z/' -e "s#$folder#FOLDER#g" \
        -e 's/(this library has )[0-9a-f]{12}/\1CHECKSUM/'
}

title() { printf '\n== %s\n' "$*" >>"$transcript"; }

shown() {
    local word
    for word in "$@"; do
        case $word in
        '' | *[!a-zA-Z0-9_./:=@-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
}

# Runs the command with standard input from `input`; standard error and exit status go on record.
t() {
    local got=0
    "$DEED" "$@" <input >out 2>err || got=$?
    {
        printf '\n$ deed%s\n' "$(shown "$@" | cut -c1-200 | LC_ALL=C tr -c '[:print:]\n' '?')"
        mask <err
        printf '[%s]\n' "$got"
    } >>"$transcript"
}

# The same with a standard input that is shown.
from() {
    printf '%s' "$1" >input
    printf '\n(standard input: %s)' "$(printf '%s' "$1" | cut -c1-100 | LC_ALL=C tr -c '[:print:]\n' '?')" >>"$transcript"
    shift
    t "$@"
    : >input
}

# The same with a configuration that is shown.
configured() {
    printf '%s' "$1" >config.json
    printf '\n(config.json: %s)' "$1" >>"$transcript"
    shift
    t "$@"
}

letters() { head -c "$1" /dev/zero | tr '\0' "${2:-x}"; }

: >input
for part in "$DEED_SOURCE_DIR"/tests/cli/errors/*.sh; do
    # shellcheck source=/dev/null
    . "$part"
done

title 'calls that no command makes'
"$ERROR_CALLS" >>"$transcript"

# The next command runs as it stands: nothing in it is left to be filled in.
if grep -nE '^ *next: .*[A-Z]{2}' "$transcript"; then
    fail 'a next command has a gap'
fi

golden=$DEED_SOURCE_DIR/tests/golden/errors.txt
if [ "${UPDATE_GOLDEN:-}" = 1 ]; then
    cp "$transcript" "$golden"
fi
diff -u "$golden" "$transcript"
"$ERROR_TEXTS" "$DEED_SOURCE_DIR" "$golden" "$DEED_SOURCE_DIR/tests/golden/errors.list"
