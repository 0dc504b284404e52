#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# FR-95, FR-97 of tests/field-reports.md: the store that was asked for is not there, or not usable. Each
# cause has an error of its own, nothing is sent for a new action nor for one that is done, and no other
# store is used instead.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '' ''
record new-1 done-1
run 0 run done-1
mkdir kept
mv ledger.db* kept/

: >told
each() { # nothing goes out, whatever is asked for; $1: the status
    local key
    for key in new-1 done-1; do
        run "$1" --json run $key
        error_field message >message
    done
    cat message >>told
    run "$1" --json record new-2 --kind payment --target acme --body x
    is 0 "$(sends new-1)"
    is 1 "$(sends done-1)"
}

each 1 # gone
[ ! -e ledger.db ] || fail 'a ledger was created'

mkdir ledger.db # a folder
each 1
rmdir ledger.db

: >ledger.db # empty
each 1
[ ! -s ledger.db ] || fail 'the empty file was filled'
rm ledger.db

cp kept/ledger.db ledger.db # its header is overwritten
printf 'XXXXXXXXXXXXXXXXXXXXXXXX' | dd of=ledger.db conv=notrunc 2>/dev/null
each 1
rm ledger.db*

if [ "$(id -u)" != 0 ]; then # root may read everything
    cp kept/ledger.db ledger.db
    chmod 000 ledger.db
    each 1
    chmod 600 ledger.db
    rm ledger.db
fi
is "$(wc -l <told)" "$(sort -u told | wc -l)" # a text per cause

# Back again, all is as it was.
mv kept/ledger.db* .
run 0 run new-1 done-1
is 1 "$(sends done-1)"

# A place that cannot be written, and schemes that are not there: refused by name, nothing local instead.
run 1 --ledger ledger.db/sub/new.db init --name shop
tells ledger.db/sub/new.db
run 1 --ledger /proc/new.db init --name shop
tells /proc/new.db
for location in postgres://db/deed postgresql://db/deed redis://db/1 memory://; do
    run 2 --ledger "$location" init --name shop
    tells "${location%%:*}:"
    run 2 --ledger "$location" run new-1
done
run 2 --ledger postgres://db/deed status
tells 'no PostgreSQL store'
[ -z "$(find . -name '*.db*' ! -name 'ledger.db*')" ] || fail 'a local store was created'

# What is in use is said, and that it lasts.
run 0 status
says 'sqlite, durable, ledger.db'
