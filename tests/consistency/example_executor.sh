#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The executor of the guide does what it says: one notice for each key, however often it is asked
# for; a lost answer is found by looking; another text under the same key is refused; a board that
# cannot be reached is no proof of anything.
set -uo pipefail

program=$DEED_BUILD_DIR/tests/consistency/example.executor
bad=0

complain() {
    echo "$1"
    bad=1
}

expect() { # STATUS TEXT COMMAND...
    local status=$1 text=$2 answer
    shift 2
    answer=$("$@" 2>&1)
    [[ $? == "$status" && $answer == *"$text"* ]] || complain "$*: $answer"
}

rm -rf -- *.db* board
mkdir board
"$DEED" --ledger own.db init --name notices >/dev/null || complain "no ledger can be made"
expect 0 "n-1 is confirmed, applied" "$program" own.db "$PWD/board" n-1 "closed on monday"
expect 0 "n-1 is confirmed, applied" "$program" own.db "$PWD/board" n-1 "closed on monday"
expect 4 "already binds another payload" "$program" own.db "$PWD/board" n-1 "closed on tuesday"
expect 0 "n-2 is reconciled, applied" "$program" own.db "$PWD/board" n-2 "open again" lose
[[ $(find board -type f | wc -l) == 2 ]] || complain "there are not two notices: $(find board)"

# A draft that cannot be written is certain: nothing happened, and a retry is safe.
expect 8 "n-3 is confirmed, not_applied" "$program" own.db "$PWD/nowhere" n-3 "lost"
# A doubt at a board that is gone stays a doubt.
expect 0 "n-4 is reconciled, applied" "$program" own.db "$PWD/board" n-4 "still here" lose
"$DEED" --ledger own.db check >/dev/null || complain "its ledger does not pass \`deed check\`"
exit $bad
