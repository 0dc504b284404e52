#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# docs/guide/reconciling.md says of every reason, once and in the order of core/reason.def, who acts
# and how.
set -euo pipefail
cd "$DEED_SOURCE_DIR"

page=docs/guide/reconciling.md
reasons=$(sed -nE 's/^REASON\([A-Z_]+, *"([a-z_]+)".*/\1/p' core/reason.def)
listed=$(awk -F'|' 'NF == 6 && $2 ~ /^ .[a-z_]+. $/ && $2 !~ /^ reason / {print substr($2, 3, length($2) - 4)}' $page)
[[ -n $reasons ]] || { echo "core/reason.def was not read"; exit 1; }
if ! difference=$(diff <(echo "$reasons") <(echo "$listed")); then
    echo "core/reason.def ('<') and $page ('>') name different reasons:"
    echo "$difference"
    exit 1
fi
