# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by errors_golden.sh: the store says no; nothing is claimed.
title 'the answer cannot be written'
got=0
"$DEED" list >/dev/full 2>err || got=$?
{ printf '\n$ deed list >/dev/full\n'; mask <err; printf '[%s]\n' "$got"; } >>"$transcript"
mock blind '' ''
record full-1
got=0
"$DEED" run full-1 >/dev/full 2>err || got=$?
{ printf '\n$ deed run full-1 >/dev/full\n'; mask <err; printf '[%s]\n' "$got"; } >>"$transcript"
