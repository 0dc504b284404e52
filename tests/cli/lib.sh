# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# What the scripts share. Each starts in an empty folder, without configuration or ledger from outside.
#
#   deed ARG...           the command, as it is
#   run STATUS ARG...     runs it and demands the exit status; leaves $out and $err, files of the same
#                         names, and, with --json among ARG, has both checked against the schema
#   says TEXT, tells TEXT standard output, standard error holds TEXT; says_not, tells_not
#   field NAME            a member of the last JSON line of standard output
#   is WANT GOT           two texts are equal
#   mock CLASS PROFILE OPTIONS
#                         config.json: kind `payment` at a mock of that class; PROFILE and OPTIONS are
#                         further JSON members, or empty
#   ledger                a test ledger, in $DEED_LEDGER
#   record KEY...         records payments
#   sends KEY, effects KEY
#                         how often the world was asked for it, and how often it happened at once
set -eu
folder=$(mktemp -d "$PWD/run.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder/home DEED_LEDGER=ledger.db DEED_CONFIG=$folder/config.json
unset XDG_CONFIG_HOME NO_COLOR
echo '{}' >config.json

fail() {
    printf 'FAILED, lines %s: %s\n' "${BASH_LINENO[*]}" "$1" >&2
    printf -- '-- out\n' >&2
    cat out >&2 2>/dev/null || true
    printf -- '-- err\n' >&2
    cat err >&2 2>/dev/null || true
    exit 1
}

deed() {
    "$DEED" "$@"
}

run() {
    local want=$1 got=0 word
    shift
    "$DEED" "$@" >out 2>err || got=$?
    [ "$got" = "$want" ] || fail "deed $* ended $got, not $want"
    for word in "$@"; do
        if [ "$word" = --json ]; then
            "$SCHEMA_CHECK" "$DEED_SOURCE_DIR/docs/reference/output.schema.json" <out ||
                fail "standard output of deed $* does not meet the schema"
            "$SCHEMA_CHECK" "$DEED_SOURCE_DIR/docs/reference/output.schema.json" <err ||
                fail "standard error of deed $* does not meet the schema"
        fi
    done
}

says() { grep -qF -e "$1" out || fail "standard output lacks: $1"; }
tells() { grep -qF -e "$1" err || fail "standard error lacks: $1"; }
says_not() { ! grep -qF -e "$1" out || fail "standard output holds: $1"; }
tells_not() { ! grep -qF -e "$1" err || fail "standard error holds: $1"; }
is() { [ "$1" = "$2" ] || fail "wanted '$1', got '$2'"; }
field() { tail -n 1 out | "$SCHEMA_CHECK" --field "$1"; }
error_field() { tail -n 1 err | "$SCHEMA_CHECK" --field "$1"; }
fields() { "$SCHEMA_CHECK" --field "$1" <out | tr '\n' ' ' | sed 's/ $//'; }

mock() {
    cat >config.json <<EOF
{"actor": "tester", "kinds": {"payment": {"executor": "mock"${2:+, $2},
    "options": {"world": "$folder/world", "class": "$1"${3:+, $3}}}}}
EOF
}

ledger() { run 0 init --name shop --test; }

record() {
    local key
    for key in "$@"; do
        run 0 record "$key" --kind payment --target acme --body '{"cents": 1250}'
    done
}

requests() { grep -F '"what":"request"' world 2>/dev/null | grep -F "\"key\":\"$1\"" || true; }
sends() { requests "$1" | wc -l | tr -d ' '; }
effects() {
    local sum=0 count
    for count in $(requests "$1" | grep -o '"effects":[0-9]*' | cut -d: -f2); do
        sum=$((sum + count))
    done
    echo "$sum"
}
