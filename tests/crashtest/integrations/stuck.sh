#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Wrong: after a death it refuses to work, and does not call that not known.
. "$DEED_SOURCE_DIR/tests/crashtest/integrations/http.sh"
[[ ! -e lock ]] || exit 75
touch lock
post order-18 key-1 '{"cents":990}'
rm lock
