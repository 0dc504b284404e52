#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What only a person can settle is resent by nothing. rejected and not_applied wait until nothing can
# still land, and the refusal names that time; after a person's not_applied only an order by name sends.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '"send_ms": 3600000, "landing_ms": 1000' '"scripts": {"*": [{"do": "lose"}]}'
record pay-1 pay-2
run 3 run pay-1 pay-2
run 3 run pay-1
run 3 reconcile pay-1
run 3 run pay-1
run 14 reconcile
run 14 status
says 'pay-1'
run 0 run --due
is 1 "$(sends pay-1)"
run 0 --json show pay-1
is true "$(field needs_person)"
is true "$(field uncertain)"

run 12 --json resolve pay-1 --outcome not_applied --by ann --reason 'not on the statement'
is DEED_E_NOT_YET "$(error_field code)"
tells 'before 20'
run 12 resolve pay-1 --outcome rejected --by ann --reason 'they said no'
run 2 resolve pay-1 --outcome retracted --by ann --reason x
run 2 resolve pay-1 --outcome applied --by ann
tells --reason
run 2 resolve pay-1 --outcome applied --by '' --reason x
run 0 --json resolve pay-1 --outcome applied --by ann --reason 'seen on the statement' \
    --evidence 'line 7 of the statement' --reference bank-77
is applied "$(field outcome)"
is reconciled "$(field state)"
is operator "$(field grade)"
is bank-77 "$(field reference)"
is null "$(field next)"
run 0 run pay-1
says 'nothing was sent'
run 0 --json show pay-1
says 'line 7 of the statement'
says '"actor":"ann"'
