#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# status counts, names the store in use and whether it is durable, and ends 14 while anything is
# uncertain or waits for a person.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
run 0 --json status
is null "$(field oldest_uncertain)"
is '[]' "$(field waiting)"
run 0 status
says 'sqlite, durable, ledger.db'
says 'shop (test)'

mock blind '' '"scripts": {"lost-*": {"do": "lose"}}'
record lost-1 lost-2 pay-1 pay-2
run 3 run lost-1 lost-2 pay-1
run 14 --json status
is lost-1 "$(field oldest_uncertain)"
is 2 "$(field uncertain)"
is 2 "$(field needs_person)"
says '"recorded":{"none":1}'
says '"key":"lost-2"'
run 14 status
says 'oldest: lost-1'
run 0 --json list --uncertain
is 'lost-1 lost-2' "$(fields key)"
