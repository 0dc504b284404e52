#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --not-after and --hold: nothing is attempted past the one, or before the release of the other.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

ledger
mock blind '' ''
run 0 --json record old-1 --kind payment --target acme --body x --not-after 2001-01-01T01:00:00.5+01:00
is 2001-01-01T00:00:00.500Z "$(field not_after)"
is overdue "$(field reason)"
run 9 --json run old-1
is DEED_E_NEEDS_PERSON "$(error_field code)"
run 0 --json list --overdue
is old-1 "$(fields key)"

run 0 --json record held-1 --kind payment --target acme --body x --hold 'wait for ann'
is true "$(field held)"
is 'wait for ann' "$(field held_reason)"
run 9 run held-1
is 0 "$(sends held-1)"
run 0 --json list --held
is held-1 "$(fields key)"
run 0 release held-1 --by ann --reason 'rate is fixed'
run 0 run held-1
is 1 "$(effects held-1)"

for bad in tomorrow 2026-02-30T00:00:00Z 2026-03-01 2026-03-01T25:00:00Z 2026-03-01T10:00:00; do
    run 2 record new-1 --kind payment --target acme --body x --not-after "$bad"
    tells "$bad"
done
run 2 record new-1 --kind payment --target acme --body x --not-after 1970-01-01T00:00:01Z
tells 'between the years 1973 and 5138'
run 2 record new-1 --kind payment --target acme --body x --not-after 1970-01-21T18:53:02Z
tells 'looks like seconds'
run 5 show new-1
