#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The program of the guide on testing is docs/examples/crash_kit.c; what is right is kept, and what is
# wrong is broken, by name, with a time line and a trail.
set -uo pipefail

program=$DEED_BUILD_DIR/tests/consistency/example.crash_kit
source=$DEED_SOURCE_DIR/docs/examples/crash_kit.c
guide=$DEED_SOURCE_DIR/docs/guide/testing-your-integration.md
bad=0

complain() {
    echo "$1"
    bad=1
}

shown=$(awk '/^<!-- crash_kit.c -->$/ {here = 1} here && /^```c$/ {on = 1; next}
    on && /^```$/ {exit} on' "$guide")
[[ $shown == "$(sed -n '/^#include/,$p' "$source")" ]] ||
    complain "the C program in $guide is not docs/examples/crash_kit.c from its first #include on"
answer=$("$program") || complain "with deed it ends $?: $answer"
[[ $answer =~ ^[1-9][0-9]*\ crash\ points,\ [1-9][0-9]*\ distinct\ states$ ]] ||
    complain "with deed it says: $answer"
answer=$("$program" wrong)
[[ $? == 10 ]] || complain "by hand it does not end 10: $answer"
for part in 'IE1: ' 'EFFECT fx-2' ' crash '; do
    [[ $answer == *"$part"* ]] || complain "by hand it does not say '$part': $answer"
done
exit "$bad"
