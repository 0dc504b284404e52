#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Commands that are programs of their own: found beside the deed that runs, then in $PATH, given what
# stands behind the name as it is; a word of help where they are not there.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

# A deed of which we know what lies beside it.
mkdir beside path
cp "$DEED" beside/deed
DEED=$folder/beside/deed
program() { # FOLDER
    cat >"$1/deed-simulate" <<'END'
#!/bin/sh
echo "$0"
for word in "$@"; do echo "<$word>"; done
exit 7
END
    chmod +x "$1/deed-simulate"
}

PATH=$folder/path:/usr/bin:/bin
run 1 simulate --all
tells 'the program deed-simulate'
tells 'package deed-mocks'
is 0 "$(wc -c <out)"
run 1 --json simulate
is DEED_E_SYSTEM "$(error_field code)"

program path
run 7 simulate --seed 3 'two words' -- --config ''
is "$folder/path/deed-simulate" "$(sed -n 1p out)"
is '<--seed> <3> <two words> <--> <--config> <>' "$(sed 1d out | tr '\n' ' ' | sed 's/ $//')"
run 7 simulate --help
says '<--help>'
DEED_LEDGER=none.db "$DEED" --json simulate pay-1 >out 2>err || is 7 $?
is '<--json> <pay-1>' "$(sed 1d out | tr '\n' ' ' | sed 's/ $//')"

program beside
run 7 simulate
is "$folder/beside/deed-simulate" "$(sed -n 1p out)"

# One that cannot be run is not looked for elsewhere: another one would be run in its place.
chmod -x beside/deed-simulate
run 1 simulate
tells 'cannot be run'

run 2 --ledger ledger.db simulate
tells 'leave out --ledger'
run 2 --config config.json simulate
tells 'leave out --config'
run 0 help simulate
says 'usage: deed simulate [ARGUMENT...]'
says_not --ledger
run 0 --help simulate
says 'usage: deed simulate [ARGUMENT...]'
run 2 simulat
tells '`simulate`'
[ ! -e ledger.db ] || fail "a program of its own left a ledger"
