#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Wrong: it notes that it is done before it has begun.
. "$DEED_SOURCE_DIR/tests/crashtest/integrations/http.sh"
[[ ! -e done ]] || exit 0
touch done
post order-18 key-1 '{"cents":990}'
