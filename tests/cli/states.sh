#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# states prints every edge of the machine in each form, without a ledger.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

unset DEED_LEDGER
edges=$(grep -c '^EDGE(' "$DEED_SOURCE_DIR/core/state.def")
run 0 states
is "$edges" "$(grep -c -- '-->' out)"
run 0 states --format markdown
is "$edges" "$(grep -c '^| ' out | awk '{print $1 - 2}')"
run 0 states --format mermaid
is "$edges" "$(grep -c -- '-->' out)"
is 'stateDiagram-v2' "$(head -1 out)"
run 0 --json states
is "$edges" "$(field edges | grep -o '"guard"' | wc -l | tr -d ' ')"
cp out first
run 0 states --format json
cmp out first
run 2 states --format dot
run 2 --json states --format mermaid
