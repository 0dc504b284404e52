#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# docs/reference/schema.md lists the tables of a fresh ledger, each with its columns, in their order,
# with type and whether they may be NULL.
set -euo pipefail

page=$DEED_SOURCE_DIR/docs/reference/schema.md
rm -f -- fresh.db*
"$DEED" --ledger fresh.db init --name fresh >/dev/null

there=$(sqlite3 -readonly fresh.db "SELECT t.name || '.' || c.name || ' ' || c.type || ' ' ||
        iif(c.\"notnull\" OR c.pk, 'no', 'yes')
    FROM sqlite_schema t JOIN pragma_table_info(t.name) c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid")
listed=$(awk -F'|' '/^## / {table = substr($0, 4)} /^\| `/ {gsub(/[` ]/, "", $2); gsub(/ /, "", $3)
    gsub(/ /, "", $4); print table "." $2 " " $3 " " $4}' "$page")

# By table, each table's columns in their order.
by_table() {
    sort -s -t. -k1,1
}
[[ -n $there ]] || { echo "a fresh ledger has no tables"; exit 1; }
if ! difference=$(diff <(by_table <<<"$there") <(by_table <<<"$listed")); then
    echo "a fresh ledger ('<') and docs/reference/schema.md ('>') differ:"
    echo "$difference"
    exit 1
fi
if grep -nE '\| (TODO)? *\|$' "$page"; then
    echo "docs/reference/schema.md: these columns hold nothing"
    exit 1
fi
