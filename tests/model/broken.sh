#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every variant with a broken rule is found broken, by the trail that is kept; and a mutant of the code
# breaks the same rule.
set -euo pipefail
cd "$DEED_SOURCE_DIR"
bad=0
while read -r variant _; do
    name=${variant,,}
    name=${name//_/-}
    if ! grep -qsFx "Test: ^model\\.replay_$name\$" "tests/mutants/model-$name.patch"; then
        echo "tests/mutants/model-$name.patch: it should break this rule in core/, and name ^model\\.replay_$name\$"
        bad=1
    fi
done < <(grep -v '^#' tests/model/variants.list)
scripts/model --broken || bad=1
exit $bad
