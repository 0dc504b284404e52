#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What libdeed shows is what its headers declare; what it shares between its files starts deed__, as
# in a static library those names meet the host's.
set -euo pipefail

bad=0
declared=$(grep -rhoE 'DEED_API[^(;]*[ *](deed_[a-z0-9_]+)\(' "$DEED_SOURCE_DIR/include" |
    grep -oE 'deed_[a-z0-9_]+\($' | tr -d '(' | sort -u)

# Names that start with two underscores are the compiler's and the sanitizers'.
defined_in() {
    nm "$@" --defined-only --format=posix | awk '$2 ~ /^[A-Z]$/ && $1 !~ /^_/ {print $1}' | sort -u
}

mapfile -t objects < <(find "$DEED_BUILD_DIR/core" "$DEED_BUILD_DIR/stores" -name '*.o')
ours=$(defined_in "${objects[@]}")

if [[ -e $DEED_BUILD_DIR/libdeed.so ]]; then
    # Only ours: a coverage build exports some of the compiler's own names.
    exported=$(comm -12 <(defined_in -D "$DEED_BUILD_DIR/libdeed.so") <(echo "$ours"))
    undeclared=$(comm -23 <(echo "$exported") <(echo "$declared"))
    if [[ -n $undeclared ]]; then
        echo "exported, but declared in no header:" "$undeclared"
        bad=1
    fi
fi

foreign=$(comm -23 <(echo "$ours") <(echo "$declared") | grep -v '^deed__' || true)
if [[ -n $foreign ]]; then
    echo "shared between files, but neither static, nor declared in a header, nor deed__:" "$foreign"
    bad=1
fi
exit $bad
