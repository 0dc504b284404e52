#!/bin/sh
# Charges order-18 once. What was begun is in deed's ledger, $DEED_LEDGER: this script remembers nothing.
deed record order-18 --kind charge --target card-7 --body '{"cents": 990}' || exit
deed run order-18
status=$?
if [ $status = 3 ]; then # not known: never sent again blindly, but settled by evidence
    deed reconcile order-18
    status=$?
fi
exit $status
