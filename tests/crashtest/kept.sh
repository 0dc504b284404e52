#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A correct integration is not accused, at any class of provider; and the trials that say so did happen.
. "$DEED_SOURCE_DIR/tests/crashtest/lib.sh"

charge=$DEED_SOURCE_DIR/docs/examples/crashtest/charge.sh

# A busy machine may add time-outs, and a time-out is one more end that is not known.
at_least() { [ "$2" -ge "$1" ] || fail "wanted at least $1, got $2"; }

# Every point that there is was met, and no promise was broken.
met() {
    is true "$(field kept)"
    is 0 "$(field missed)"
    is 0 "$(field broken)"
}

# Two effects: each request has its own points.
crashtest 0 --json -- "$(integration two.sh)"
met
is 2 "$(field expect)"
is 2 "$(field requests)"
is 8 "$(field events)"
is 8 "$(field killed_events)"
is 2 "$(field killed_before)"
is 20 "$(field faults)"
is 31 "$(field trials)"

# What sends once, ever, is right everywhere, and often does not know.
crashtest 0 --json --provider blind -- "$(integration careful.sh)"
met
is blind "$(field provider)"
at_least 9 "$(field uncertain)"
for class in lookup keyed closable; do
    crashtest 0 --json --provider $class --only event -- "$(integration careful.sh)"
    met
    is $class "$(field provider)"
    is 4 "$(field uncertain)"
done

# deed does better where the provider helps; where it does not, it says so.
for class in blind:4 lookup:0 closable:0; do
    crashtest 0 --json --provider ${class%:*} --only event -- "$charge"
    met
    at_least ${class#*:} "$(field uncertain)"
done
crashtest 0 --json --provider lookup --only before -- "$charge"
met
is 1 "$(field uncertain)"
