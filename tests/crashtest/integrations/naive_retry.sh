#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Wrong: each start draws a key of its own.
. "$DEED_SOURCE_DIR/tests/crashtest/integrations/http.sh"
[[ ! -e done ]] || exit 0
post order-18 "key-$RANDOM-$$" '{"cents":990}' || exit 1
touch done
