#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Wrong: it waits for the end of a run that is dead. Not even its children end.
. "$DEED_SOURCE_DIR/tests/crashtest/integrations/http.sh"
if [[ -e lock ]]; then
    echo $$ >waiting
    setsid bash -c 'echo $$ >child; while :; do sleep 1000; done' &
    while [[ -e lock ]]; do sleep 0.1; done
fi
touch lock
post order-18 key-1 '{"cents":990}'
rm lock
