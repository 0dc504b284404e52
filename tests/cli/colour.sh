#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Colour on a terminal only, and not where NO_COLOR is set.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '' ''
record pay-1
run 0 run pay-1
escape=$(printf '\033')
says_not "$escape"
export TERM=xterm
script -qec "'$DEED' list --all" /dev/null >out </dev/null
says "${escape}[32m"
script -qec "NO_COLOR=1 '$DEED' list --all" /dev/null >out </dev/null
says_not "$escape"
script -qec "TERM=dumb '$DEED' list --all" /dev/null >out </dev/null
says_not "$escape"
script -qec "'$DEED' --json list --all" /dev/null >out </dev/null
says_not "$escape"
