#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Seams are seen wherever libdeed comes from, each crossing once; and who has no libdeed gets none.
. "$DEED_SOURCE_DIR/tests/crashtest/lib.sh"

charge=$DEED_SOURCE_DIR/docs/examples/crashtest/charge.sh
crashtest 0 --json --only unharmed -- "$charge"
# record, attempt and finish of one action: two or three seams each, over three processes
[ "$(field seams)" -ge 8 ] || fail "not all seams were seen"

# A program that has no libdeed is given none.
cat >without <<'EOF'
! grep -q libdeed.so /proc/self/maps && grep -q libdeed-crashtest-preload.so /proc/self/maps &&
    . "$DEED_SOURCE_DIR/tests/crashtest/integrations/http.sh" && post a b c
EOF
crashtest 0 --json --only unharmed -- bash "$PWD/without"
is 0 "$(field seams)"

# One that opens libdeed by itself, in a scope of its own: what a linked one crosses when it makes the
# same file, and there each crossing is counted once, too.
[ -z "$LATE_LIBDEED" ] || {
    crashtest 10 --json --only unharmed --expect 1 -- "$LATE_LIBDEED" "$DEED_BUILD_DIR/libdeed.so"
    late=$(field seams)
    [ "$late" -gt 0 ] || fail "no seam was seen"
    crashtest 10 --json --only unharmed --expect 1 -- deed --ledger late.db init --name late --test
    [ "$(field seams)" -ge "$late" ] || fail "a linked libdeed crossed fewer seams than one that is opened"
    [ "$(field seams)" -lt $((2 * late)) ] || fail "crossings of a linked libdeed were counted twice"
}
