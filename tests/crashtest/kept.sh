#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A correct integration is not accused, at any class of provider; and the trials that say so did happen.
. "$DEED_SOURCE_DIR/tests/crashtest/lib.sh"

charge=$DEED_SOURCE_DIR/docs/examples/crashtest/charge.sh

# all CLASS: every point that there is was met.
met() {
    is true "$(field kept)"
    is 0 "$(field missed)"
    is 0 "$(field broken)"
}

# Two effects: each request has its own points.
crashtest 0 --json -- python3 "$(integration two.py)"
met
is 2 "$(field expect)"
is 2 "$(field requests)"
is 8 "$(field events)"
is 8 "$(field killed_events)"
is 2 "$(field killed_before)"
is 20 "$(field faults)"
is 31 "$(field trials)"

# What sends once, ever, is right everywhere, and often does not know.
for class in blind lookup keyed closable; do
    crashtest 0 --json --provider $class -- "$(integration careful.sh)"
    met
    is $class "$(field provider)"
    is 9 "$(field uncertain)"
done

# deed does better where the provider helps; where it does not, it says so.
for class in blind:5 lookup:1 keyed:0 keyed+lookup:0 closable:0; do
    crashtest 0 --json --provider ${class%:*} --only event -- "$charge"
    met
    is ${class#*:} "$(field uncertain)"
    crashtest 0 --json --provider ${class%:*} --only before -- "$charge"
    met
done
