# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by errors_golden.sh: where the ledger is.
title 'the ledger named'
unset DEED_LEDGER
t status
t --ledger postgresql://ann:geheim@db/deed status
t --ledger mysql://ann:geheim@db/deed status
t --ledger file:ledger.db status
t --ledger :memory: init --name shop
t --ledger '' status
t --ledger missing.db status
t --ledger missing/missing.db init --name shop
t --ledger input/below/new.db init --name shop
t --ledger . status
export DEED_LEDGER=ledger.db

title 'creating it'
t init --name 'Not A Name'
"$DEED" init --name shop --test >/dev/null
t init --name other
cp "$DEED_SOURCE_DIR/tests/vectors/seed-ledger.sqlite3" fixture.db
chmod 600 fixture.db
t --ledger fixture.db init --name shop
