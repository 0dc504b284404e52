# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# What the scripts share. Each starts in an empty folder.
#
#   crashtest STATUS ARG...   runs deed-crashtest and demands the exit status; leaves files out and err,
#                             and, with --json among ARG, has both checked against the schema
#   says TEXT, tells TEXT     standard output, standard error holds TEXT; says_not
#   field NAME                a member of the last JSON line of standard output
#   broke PROMISE POINT...    of --json: exactly these points broke that promise, and none another
#   is WANT GOT               two texts are equal
#   integration NAME          a file of tests/crashtest/integrations
set -eu
folder=$(mktemp -d "$PWD/run.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir tmp
# The interpreter itself, whatever stands before it in PATH.
python=$(python3 -c "import sys; print(sys.executable)")
export TMPDIR=$folder/tmp PATH=${DEED_CRASHTEST%/*}:${python%/*}:$PATH
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 # the preloaded library comes first
unset DEED_LEDGER DEED_CONFIG DEED_MOCK_URL LD_PRELOAD

fail() {
    printf 'FAILED, lines %s: %s\n' "${BASH_LINENO[*]}" "$1" >&2
    printf -- '-- out\n' >&2
    cut -c1-300 out >&2 2>/dev/null || true
    printf -- '-- err\n' >&2
    cat err >&2 2>/dev/null || true
    exit 1
}

meets_schema() {
    "$SCHEMA_CHECK" "$DEED_SOURCE_DIR/docs/reference/output.schema.json" <"$1" ||
        fail "$1 does not meet the schema"
}

crashtest() {
    local want=$1 got=0 word
    shift
    "$DEED_CRASHTEST" "$@" >out 2>err || got=$?
    [ "$got" = "$want" ] || fail "crashtest $* ended $got, not $want"
    for word in "$@"; do
        if [ "$word" = -- ]; then
            break
        elif [ "$word" = --json ]; then
            meets_schema out
            meets_schema err
        fi
    done
    # Nothing is left behind.
    [ -n "${kept:-}" ] || is "" "$(ls tmp)"
}

says() { grep -qF -e "$1" out || fail "standard output lacks: $1"; }
says_not() { ! grep -qF -e "$1" out || fail "standard output holds: $1"; }
tells() { grep -qF -e "$1" err || fail "standard error lacks: $1"; }
is() { [ "$1" = "$2" ] || fail "wanted '$1', got '$2'"; }
field() { tail -n 1 out | "$SCHEMA_CHECK" --field "$1"; }
integration() { echo "$DEED_SOURCE_DIR/tests/crashtest/integrations/$1"; }

broke() {
    local promise=$1
    shift
    is "$(printf "$promise %s\n" "$@" | sort)" \
        "$(jq -r 'select(.object == "crashtest_trial") | .point as $point | .broken[] | .promise + " " + $point' out | sort)"
}
