#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Right where keys are honoured: two effects, the second after the first, and one key for each, for ever.
. "$DEED_SOURCE_DIR/tests/crashtest/integrations/http.sh"
for half in half-1 half-2; do
    post $half "key-of-$half" '{"cents":495}' || exit 3
done
