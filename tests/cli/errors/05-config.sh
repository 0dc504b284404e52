# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by errors_golden.sh: the configuration.
title 'the configuration'
kind() { printf '{"kinds": {"payment": {"executor": "mock", %s}}}' "$1"; }
t --config missing.json run pay-1
t --config . run pay-1
configured '{kinds' run pay-1
configured '{} {}' run pay-1
configured '{"kinds": {}, "kinds": {}}' run pay-1
configured '[]' run pay-1
configured '{"kind": {}}' run pay-1
configured '{"xyzzyxyzzy": {}}' run pay-1
configured '{"actor": ""}' run pay-1
configured '{"kinds": []}' run pay-1
configured '{"kinds": {"payment": 1}}' run pay-1
configured '{"kinds": {"payment": {}}}' run pay-1
configured '{"kinds": {"payment": {"executor": 1}}}' run pay-1
configured '{"kinds": {"payment": {"executor": "htp"}}}' run pay-1
configured "$(kind '"landing": 5')" run pay-1
configured "$(kind '"xyzzyxyzzy": 5')" run pay-1
configured "$(kind '"options": 1')" run pay-1
configured "$(kind '"send_ms": 0')" run pay-1
configured "$(kind '"landing_ms": "forever"')" run pay-1
configured "$(kind '"consistency": "mostly"')" run pay-1
configured "$(kind '"stored_errors": 1')" run pay-1
configured "$(kind '"second_look_ms": [1]')" run pay-1

title 'the mock executor'
configured "$(kind '"options": {}')" run pay-1
configured "$(kind '"options": {"world": "w"}')" run pay-1
configured "$(kind '"options": {"world": "w", "class": "magic"}')" run pay-1
configured "$(kind '"options": {"world": "text.db", "class": "blind"}')" run pay-1
configured "$(kind '"options": {"world": ".", "class": "blind"}')" run pay-1
configured "$(kind '"options": {"world": "missing/world", "class": "blind"}')" run pay-1
"$DEED" --ledger real.db init --name real >/dev/null
"$DEED" --ledger real.db record pay-1 --kind payment --target acme --body x >/dev/null
configured "$(kind '"options": {"world": "w", "class": "blind"}')" --ledger real.db run pay-1
