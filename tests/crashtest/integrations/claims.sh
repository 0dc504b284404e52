#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Wrong: whatever the answer was, it says that all is done.
. "$DEED_SOURCE_DIR/tests/crashtest/integrations/http.sh"
post order-18 key-1 '{"cents":990}'
exit 0
