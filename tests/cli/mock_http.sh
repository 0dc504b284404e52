#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The executor mock-http at a provider that `deed mock-provider` runs: its address by value and from the
# environment; an answer that is cut is in doubt and settled by a look-up; the counts at the end.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

provider=
trap 'test -z "$provider" || kill "$provider"; rm -rf "$folder"' EXIT

# The line is written before anybody is served, so it is read to its end from a pipe.
start() { # ARGUMENTS
    mkfifo said
    # Not through `deed`, the function: a shell between us and the program would get our signal.
    "$DEED" mock-provider --json "$@" >said 2>provider.err &
    provider=$!
    exec 3<said
    rm said
    read -r line <&3 || fail "the provider did not start: $(cat provider.err)"
    printf '%s\n' "$line" >out
    "$SCHEMA_CHECK" "$DEED_SOURCE_DIR/docs/reference/output.schema.json" <out ||
        fail "the address does not meet the schema"
    DEED_MOCK_URL=$(field url)
    export DEED_MOCK_URL
}
end() {
    kill "$provider"
    wait "$provider" || fail "the provider ended $?"
    provider=
    cat <&3 >out
    exec 3<&-
    "$SCHEMA_CHECK" "$DEED_SOURCE_DIR/docs/reference/output.schema.json" <out ||
        fail "the counts do not meet the schema"
}
counted() { # MEMBER
    grep -o "\"total\":{[^}]*}" out | grep -o "\"$1\":[0-9]*" | cut -d: -f2
}
kind() { # URL [OPTIONS]
    cat >config.json <<END
{"actor": "tester", "kinds": {"payment": {"executor": "mock-http", "window_ms": "forever",
    "reach_ms": "forever", "consistency": "strong", "landing_ms": 1000,
    "options": {"url": "$1", "class": "keyed+lookup"${2:+, $2}}}}}
END
}

ledger

# ---- it acts, and what is in doubt is settled by asking ------------------------------------------
# One world for both: a provider does not use the same reference twice.
start --world world --script '[{"do": "answer", "cut": "body"}, {"do": "answer"}]'
kind env:DEED_MOCK_URL
record pay-1
run 3 run pay-1
run 0 reconcile pay-1
says 'applied (reconciled)'
says 'reference fx-1'
end
is 1 "$(counted sends)"
is 1 "$(counted effects)"
is 1 "$(counted lookups)"
is mock_counts "$(field object)"

# ---- nobody is there -----------------------------------------------------------------------------
record pay-2
run 8 run pay-2
says 'not applied'

# ---- by value, and its first line for people -----------------------------------------------------
start --world world --class keyed+lookup
kind "$DEED_MOCK_URL"
run 0 run pay-2
says 'applied (confirmed)'
end
is 2 "$(counted effects)"

# ---- what is refused -----------------------------------------------------------------------------
refused() { # TEXT
    run 2 run pay-1
    tells "$1"
}
unset DEED_MOCK_URL
kind env:DEED_MOCK_URL
refused 'kinds.payment.options.url: the environment has no variable DEED_MOCK_URL'
DEED_MOCK_URL=https://example.org:443 refused 'kinds.payment.options.url: must be loopback'
DEED_MOCK_URL=http://127.0.0.1.example.org:80 refused 'kinds.payment.options.url: must be loopback'
kind http://127.0.0.1:0
refused 'kinds.payment.options.url: must end with a port'
kind http://127.0.0.1:1 '"lookup": true'
refused 'kinds.payment.options.lookup: the class says'
kind http://127.0.0.1:1 '"ask_ms": 0'
refused 'kinds.payment.options.ask_ms: must have an end'

# A ledger of real deeds takes no mock.
kind http://127.0.0.1:1
run 0 --ledger real.db init --name real
run 2 --ledger real.db run pay-1
tells 'test ledger'

# ---- the program's own command line --------------------------------------------------------------
provider_refused() { # TEXT ARGUMENTS
    local text=$1
    shift
    run 2 mock-provider "$@"
    tells "$text"
    run 2 mock-provider --json "$@"
    is DEED_E_INVALID "$(error_field code)"
}
provider_refused 'class: must be one of' --class magic
provider_refused '--port `80x` must be a whole number from 0 to 65535' --port 80x
provider_refused '--port `65536`' --port 65536
provider_refused 'does not take `--frobnicate`' --frobnicate
provider_refused 'does not take `pay-1`' pay-1
provider_refused '--script: no JSON' --script '{"do"'
provider_refused '--script: cannot be read as JSON: missing.json' --script missing.json
provider_refused 'script.do: must be one of' --script '{"do": "explode"}'
provider_refused '--class is given, and --options has "class" too' --class blind --options '{"class": "keyed"}'
provider_refused '--options must be an object' --options '[]'
provider_refused '--class is given twice' --class blind --class blind
provider_refused '--help takes no value' --help=yes
provider_refused '--port needs a value' --port
provider_refused 'a provider of this class knows no keys' --class blind --script '{"do": "mismatch"}'
run 0 mock-provider --help
says '--control-port N'
run 0 mock-provider --version
