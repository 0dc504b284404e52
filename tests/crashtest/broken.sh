#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each deliberately wrong integration is caught, at the points where it is wrong and at no other, and its
# fault has the right name.
. "$DEED_SOURCE_DIR/tests/crashtest/lib.sh"

# A second start draws a second key.
crashtest 10 --json -- "$(integration naive_retry.sh)"
broke doubled event:{1,2,3,4} fault:{lost,late,late-look,error,hang}:1
is 0 "$(field missed)"
is false "$(field kept)"
is 9 "$(field broken)"

# The retry draws its payload anew, and a key derived from it makes two different effects of it.
crashtest 10 --json --only event -- python3 "$(integration content_key.py)"
broke doubled event:{1,2,3,4}
says 'under 2 different keys'

# The same with the name of the action. Points that belong to a name are not met then, and that is said.
crashtest 10 --json --only event -- python3 "$(integration new_name.py)"
broke doubled event:{1,2,3,4}
says '2 different effects instead of 1'
crashtest 0 --only before -- python3 "$(integration new_name.py)"
tells 'warning: points that were not reached: 1'

# It ends 0 whatever was answered.
crashtest 10 --json --only fault -- "$(integration claims.sh)"
broke claimed fault:{unreachable,refuse}:1

# It ends 0 because it has forgotten.
crashtest 10 --json --only before -- "$(integration forgets.sh)"
broke lost before:1
crashtest 10 --json --only fault:refuse -- "$(integration forgets.sh)"
broke lost fault:refuse:1

# It comes to no end: by itself, or in any number of starts.
kept=yes
crashtest 10 --json --only event:1 --time-limit 2s --keep -- "$(integration loops.sh)"
broke never_finished event:1
says 'did not end within its time limit'
is 2 "$(jq -s '.[0].runs' out)"
work=$(jq -r 'select(.object == "crashtest_trial").folder' out)/work
for pid in $(cat "$work/waiting" "$work/child"); do
    ! kill -0 "$pid" 2>/dev/null || fail "process $pid of the command lives on"
done
rm -r tmp/*
kept=
crashtest 10 --json --only event:1 --restarts 2 -- "$(integration stuck.sh)"
broke never_finished event:1
says 'started 3 times'
says 'the last run ended 75'

# It does nothing at all, and says that all is done.
crashtest 10 --json --expect 1 -- true
broke claimed unharmed
# What nobody harmed is enough to be wrong.
crashtest 10 --json --expect 1 --only unharmed -- "$(integration two.sh)"
broke doubled unharmed
says '2 different effects instead of 1'
