#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The examples of docs/guide/testing-your-integration.md are kept at every point; the one with a bug is
# caught; none is longer than twenty lines; and the page shows them as they are.
. "$DEED_SOURCE_DIR/tests/crashtest/lib.sh"

examples=$DEED_SOURCE_DIR/docs/examples/crashtest
page=$DEED_SOURCE_DIR/docs/guide/testing-your-integration.md

# every_seam ARG...: at every point, the seams of deed among them.
every_seam() {
    crashtest 0 --json "$@"
    is 0 "$(field missed)"
    [ "$(field seams)" -gt 5 ] || fail "the seams of deed were not seen"
    is "$(field seams)" "$(field killed_seams)"
}

every_seam --junit cases.xml -- "$examples/charge.sh"
every_seam -- "$EXAMPLE_CHARGE"
crashtest 0 -- "$examples/charge.py"
[ ! -s err ] || fail "there is a warning"
diff out <(sed -n '/^\$ deed crashtest -- python3/,/^```/p' "$page" | sed '1d;$d') >&2 ||
    fail "the page shows another answer"
crashtest 10 --json --only event -- "$examples/charge_twice.py"
broke doubled event:{1,2,3,4}

for file in charge.sh charge.c charge.py charge_twice.py; do
    lines=$(grep -cvE '^ *($|#|/?\*|"""|\{$|\}$)' "$examples/$file")
    [ "$lines" -le 20 ] || fail "$file has $lines lines"
done
for file in charge.sh charge.c charge.py; do
    awk -v file="$file" '$0 == "<!-- " file " -->" {wait = 1; next} wait && /^```/ {on = 1; wait = 0; next}
        on && /^```$/ {exit} on' "$page" >shown
    diff shown "$examples/$file" >&2 || fail "the page shows another $file"
done
# And the one line by which the buggy one differs.
diff "$examples/charge.py" "$examples/charge_twice.py" | sed -n 's/^> *//p' | tail -n 1 >bug
grep -qF "$(cat bug)" "$page" || fail "the page does not show the planted bug: $(cat bug)"

# Its tables have every fault that there is, and every promise.
is "$(grep -oE 'name="fault:[a-z-]+' cases.xml | sed 's/.*://' | sort -u)" \
    "$(grep -oE '`fault:[a-z-]+:N`' "$page" | sed 's/`fault:\(.*\):N`/\1/' | sort -u)"
is "$(jq -r '."$defs".crashtest_trial.properties.broken.items.properties.promise.enum[]' \
    "$DEED_SOURCE_DIR/docs/reference/output.schema.json" | sort)" \
    "$(sed -n '/^## What is a broken promise/,/^## /p' "$page" | sed -nE 's/^\| `([a-z_]+)` .*/\1/p' | sort)"
