#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An answer that cannot be written is an error: 1, and 3 where something was sent. And when nobody reads
# any more, nothing new is begun.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '' ''
record pay-1 pay-2
got=0
deed list >/dev/full 2>err || got=$?
is 1 "$got"
tells 'could not be written'
got=0
deed run pay-1 pay-2 >/dev/full 2>err || got=$?
is 3 "$got"
is 1 "$(sends pay-1)"
is 0 "$(sends pay-2)"
# What only reads ends like any other program whose reader has seen enough.
exec 3> >(:)
wait $!
got=0
deed list --all >&3 2>err || got=$?
is 141 "$got"
is '' "$(cat err)"
exec 3>&-
run 0 run pay-1
says 'nothing was sent'
