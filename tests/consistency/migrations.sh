#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every migration is in SHA256SUMS with the checksum it has, and is embedded into the library; every
# dialect has the same steps.
set -euo pipefail

cd "$DEED_SOURCE_DIR/migrations"

shopt -s nullglob
files=(*/[0-9]*.sql)

expected=$(if ((${#files[@]})); then sha256sum "${files[@]}"; fi)
if ! difference=$(diff <(printf '%s\n' "$expected") <(cat SHA256SUMS; [ -s SHA256SUMS ] || echo)); then
    echo "migrations/SHA256SUMS does not match the files ('<' is what they are):"
    echo "$difference"
    echo "A released migration never changes: write the next one. For a new one, run in migrations/:"
    echo "    sha256sum */*.sql > SHA256SUMS"
    exit 1
fi

for file in "${files[@]}"; do
    dialect=${file%%/*}
    step=${file#*/}
    for other in */; do
        if [ ! -e "$other$step" ]; then
            echo "migrations/$other lacks $step, which $dialect has"
            exit 1
        fi
    done
    if ! grep -q "$(sha256sum < "$file" | cut -d' ' -f1)" \
        "$DEED_BUILD_DIR/stores/${dialect}_migrations.c"; then
        echo "migrations/$file is not embedded: list it in stores/CMakeLists.txt"
        exit 1
    fi
done
echo "${#files[@]} migrations agree with SHA256SUMS and are embedded"
