#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Seams are seen wherever libdeed comes from, each crossing once; and who has no libdeed gets none.
. "$DEED_SOURCE_DIR/tests/crashtest/lib.sh"

charge=$DEED_SOURCE_DIR/docs/examples/crashtest/charge.sh
crashtest 0 --json --only unharmed -- "$charge"
is 13 "$(field seams)"

# A program that has no libdeed is given none.
cat >without <<'EOF'
! grep -q libdeed.so /proc/self/maps && grep -q libdeed-crashtest-preload.so /proc/self/maps &&
    . "$DEED_SOURCE_DIR/tests/crashtest/integrations/http.sh" && post a b c
EOF
crashtest 0 --json --only unharmed -- bash "$PWD/without"
is 0 "$(field seams)"
