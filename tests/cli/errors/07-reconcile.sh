# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by errors_golden.sh: a doubt belongs to who saw it.
title 'a doubt elsewhere'
mock lookup '"landing_ms": 1000, "reach_ms": "forever"' '"script": {"do": "lose"}'
record away-1
"$DEED" run away-1 >/dev/null 2>&1 || true
mock lookup '"landing_ms": 1000' '"account": "acct-2"'
t reconcile away-1
mock lookup '"landing_ms": 1000' '"name": "other"'
t reconcile away-1
echo '{}' >config.json
t reconcile away-1
t reconcile missing
