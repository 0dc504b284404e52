#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The self-test itself: it catches what is wrong, and does not call caught what is not.
set -eu
cd "$DEED_SOURCE_DIR"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
log=$folder/log

fail() {
    echo "FAILED: $1" >&2
    cat "$log" >&2
    exit 1
}

scripts/self-test trap-send-before-commit store-commits-are-not-flushed \
    trap-a1-finish-without-token >"$log" 2>&1 || fail 'three mutants are not all caught'
[ "$(grep -cE '^caught +I[A-Z]+[0-9]+ ' "$log")" = 3 ] || fail 'three lines, each with a promise'
grep -qE '^3 of 3 caught, median [0-9.]+ s, worst [0-9.]+ s$' "$log" || fail 'the sum'

if scripts/self-test no-such-mutant >"$log" 2>&1; then
    fail 'a mutant that is not in the list'
fi
grep -qF 'no-such-mutant is not in tests/mutants/simulate.list' "$log" || fail 'its name'

# A patch that breaks nothing survives, and one that does not fit is stale: neither counts as caught.
printf 'harmless\tlost\t--class keyed --most 2\nstale\tlost\t--class keyed --most 2\n' >"$folder/list"
cat >"$folder/harmless.patch" <<'PATCH'
A comment comes.

--- a/core/send.c
+++ b/core/send.c
@@ -1,2 +1,3 @@
 /* SPDX-License-Identifier: MIT */
+/* Harmless. */
 #include "send.h"
PATCH
printf -- '--- a/core/send.c\n+++ b/core/send.c\n@@ -1 +1 @@\n-not there\n+nor there\n' >"$folder/stale.patch"
if scripts/self-test --list "$folder/list" >"$log" 2>&1; then
    fail 'what survives is not a failure'
fi
grep -qE '^SURVIVED .* harmless ' "$log" || fail 'the survivor'
grep -qE '^STALE .* stale ' "$log" || fail 'the stale one'
