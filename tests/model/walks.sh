#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Random walks of the model, played on the core: after each step both know the same.
set -euo pipefail
walks=$DEED_BUILD_DIR/model/walks
"$DEED_SOURCE_DIR/scripts/model" --walks 8 "$walks"
exec "$DEED_BUILD_DIR/tests/model/model.walk_player" "$walks" 400
