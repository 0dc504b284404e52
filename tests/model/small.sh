#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every class, in its small size: explored to the end, and every promise holds.
set -euo pipefail
exec "$DEED_SOURCE_DIR/scripts/model"
