#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The large sizes.
set -euo pipefail
exec "$DEED_SOURCE_DIR/scripts/model" --large
