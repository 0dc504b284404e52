#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every variant with a broken rule is found broken, by the trail that is kept.
set -euo pipefail
exec "$DEED_SOURCE_DIR/scripts/model" --broken
