#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The demonstration, broken on purpose: too few kills, a loop beside deed that is not naive, a worker
# that lies and one that fails.
set -euo pipefail

demo=$DEED_SOURCE_DIR/docs/examples/demo
programs=$DEED_BUILD_DIR/docs/examples/demo
rm -rf -- *
export TMPDIR=$PWD

must_fail() {
    local reason=$1 ended=0
    shift
    "$@" >out.txt 2>&1 || ended=$?
    if ((ended != 1)) || ! grep -qF "$reason" out.txt; then
        cat out.txt
        echo "must end 1 and say: $reason; it ended $ended: $*"
        exit 1
    fi
}

# Nine kills, five of them in window a.
grep -v '^#' "$demo/kills.txt" | head -n 9 >nine.txt
must_fail "too few kills landed: 5 in window a, 4 in window b" \
    "$demo/show" --kills nine.txt "$DEED_BUILD_DIR"

# A loop that is deed itself: what it was killed in, it never repeats.
cat >careful <<END
#!/bin/sh
shift 3
export DEED_LEDGER=ledger.db
test -e ledger.db || { "$DEED" init --name other --test && "$DEED" record --from ../actions.jsonl; } >&2
exec "$programs/demo-worker" ledger.db ../config.json "\$@"
END
chmod +x careful
must_fail "the naive loop doubled nothing" "$demo/show" --naive careful "$DEED_BUILD_DIR"

# A worker that says it has acted and has not: the parent believes the world.
cat >liar <<'END'
#!/bin/sh
test $# = 0 || { echo "stopped $1"; exec sleep 60; }
END
chmod +x liar
echo "invoice-1 a" >one.txt
"$programs/demo-kills" one.txt world.jsonl log.txt "$PWD/liar" >out.txt 2>&1
grep -qF "0 of 1 kills landed" out.txt
grep -qF "the world shows no effect" out.txt
[[ ! -s log.txt ]]

# A worker that fails.
must_fail "then it failed" "$programs/demo-kills" one.txt world.jsonl log.txt /bin/false
