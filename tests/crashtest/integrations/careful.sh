#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Right at every provider: it sends once, ever, and says so where it does not know.
. "$DEED_SOURCE_DIR/tests/crashtest/integrations/http.sh"
[[ ! -e done ]] || exit 0
[[ ! -e begun ]] || exit 3
touch begun
post order-18 key-1 '{"cents":990}' || exit 3
touch done
