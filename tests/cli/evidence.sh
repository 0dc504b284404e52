#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# evidence brings a word from outside: a person's settles with a name; a signed message counts as the
# provider's if the configuration can verify it, and is refused whole if it does not pass; the same
# event twice writes nothing; no word proves that nothing happened.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

events() { run 0 --json history "$1"; wc -l <out | tr -d ' '; }
sign() { openssl dgst -sha256 -hmac "$1" "$2" | sed 's/.*= *//'; }

ledger
mock lookup '"landing_ms": 1000, "consistency": "strong", "reach_ms": "forever"' '"scripts": {"lost-*": {"do": "lose"}}'
record lost-1 lost-2 lost-3 pay-1
run 3 run lost-1 lost-2 lost-3

cp config.json mock.json

# A person's word.
echo '{}' >config.json
run 2 evidence lost-1 --outcome applied --by ann
tells '--source SOURCE'
run 2 evidence lost-1 --source bank --outcome applied
tells 'who brings it?'
run 2 evidence lost-1 --source bank --outcome not_applied --by ann
tells 'nothing else'
run 2 evidence lost-1 --source 'Not A Source' --outcome applied --by ann
run 5 evidence missing --source bank --outcome applied --by ann
run 0 --json evidence lost-1 --source bank --outcome applied --by ann --reference line-12 \
    --event statement-5 --statement 'line 12 of May'
is reconciled "$(field state)"
is applied "$(field outcome)"
is operator "$(field grade)"
is line-12 "$(field reference)"
run 0 --json show lost-1
says 'line 12 of May'
before=$(events lost-1)
run 0 evidence lost-1 --source bank --outcome applied --by ann --reference line-12 \
    --event statement-5 --statement 'line 12 of May'
says 'this was known already, nothing was written'
is "$before" "$(events lost-1)"
run 4 evidence lost-1 --source bank --outcome applied --by ann --reference line-13 --event statement-5
run 0 --json find --reference line-12
is lost-1 "$(fields key)"

# A signed message. What it says counts only with our marker in it, and only if it is genuine.
key_of() { run 0 --json show "$1"; grep -o '"provider_key":"[^"]*"' out | head -n 1 | cut -d'"' -f4; }
cat >config.json <<'EOF'
{"actor": "hooks", "verifiers": {"hook": {"type": "webhook", "scheme": "hex", "secret": "env:HOOK",
    "event_id": "/id", "provider_key": "/data/key", "digest": "/data/digest", "reference": "/data/id",
    "outcome": "/type", "outcome_value": "charge.succeeded"}}}
EOF
export HOOK=geheim
message() { # EVENT KEY [REFERENCE]
    printf '{"id":"%s","type":"charge.succeeded","data":{"key":"%s","digest":"%s","id":"%s"}}' \
        "$1" "$(key_of "$2")" "$(field digest)" "${3:-ch-2}" >message
}
message evt-1 lost-2
sha256sum ledger.db >unchanged
run 2 evidence lost-2 --source hook --message message --signature "$(sign other message)"
tells_not geheim
run 2 evidence lost-2 --source hook --message message
HOOK='' run 2 evidence lost-2 --source hook --message message --signature "$(sign geheim message)"
tells 'verifiers.hook.secret'
run 0 --json show lost-2
is attempted "$(field state)"
sha256sum --status -c unchanged

signature=$(sign geheim message)
run 0 --json evidence lost-2 --source hook --message - --signature "$signature" <message
is reconciled "$(field state)"
is provider_present "$(field grade)"
is ch-2 "$(field reference)"
before=$(events lost-2)
run 0 --json evidence lost-2 --source hook --message message --signature "$signature"
is true "$(field replayed)"
is "$before" "$(events lost-2)"

# The message of another intent, genuine as it is, settles nothing here.
message evt-2 lost-2
before=$(events lost-3)
run 2 evidence lost-3 --source hook --message message --signature "$(sign geheim message)"
tells 'the provider key of lost-2'
is "$before" "$(events lost-3)"

# Nor does one under a key that nobody here sent under.
sed -i 's/"key":"[^"]*"/"key":"00000000-0000-4000-8000-000000000000"/' message
cp ledger.db copy.db
run 0 --ledger copy.db evidence lost-3 --source hook --message message --signature "$(sign geheim message)"
says 'held: the message does not carry our key'
says 'the word is kept and settles nothing'
run 0 --json evidence lost-3 --source hook --message message --signature "$(sign geheim message)"
is attempted "$(field state)"
is true "$(field needs_person)"

# A ledger that was put back from a copy does not know what it sent: our key in the message tells it.
record lost-4 lost-5
sqlite3 ledger.db 'PRAGMA wal_checkpoint(TRUNCATE)' >checkpoint
cp ledger.db ledger.copy
DEED_CONFIG=$PWD/mock.json run 3 run lost-4
message evt-4 lost-4 ch-4
rm -f ledger.db-wal ledger.db-shm
cp ledger.copy ledger.db
run 0 explain lost-4
says 'nothing was sent'
run 0 --json evidence lost-4 --source hook --message message --signature "$(sign geheim message)"
is reconciled "$(field state)"
is applied "$(field outcome)"

# A word that is worth less holds it, and the way that is named is not the one to a second effect.
run 0 evidence lost-5 --source bank --outcome applied --by ann --reference line-14
run 0 --json explain lost-5
says 'bank says that it was applied (reference line-14)'
says 'that may do it a second time'
run 0 explain lost-5
is '  deed resolve lost-5 --outcome applied --by WHO --reason WHY' "$(tail -n 1 out)"
run 12 resolve lost-5 --outcome not_applied --by ann --reason 'not seen'
run 0 --json resolve lost-5 --outcome applied --by ann --reason 'on the statement'
is reconciled "$(field state)"
run 2 --json evidence pay-1 --source hook --outcome rejected
is DEED_E_INVALID "$(error_field code)"
mkdir folder
run 2 evidence lost-3 --source hook --message folder
head -c 1100000 /dev/zero >long
run 2 evidence lost-3 --source hook --message long

# Which attempt a person's word speaks of.
record token-1
mock lookup '"landing_ms": 1000, "consistency": "strong", "reach_ms": "forever"' '"script": {"do": "lose"}'
run 3 run token-1
run 0 --json show token-1
token=$(grep -o '"token":"[^"]*"' out | head -n 1 | cut -d'"' -f4)
for bad in '' "${token}00" "${token%?}g"; do
    run 2 evidence token-1 --source bank --outcome applied --by ann --token "$bad"
    tells 'is no token'
done
run 0 evidence token-1 --source bank --outcome applied --by ann --reference 4711 --token "${token^^}"
run 0 --json show token-1
is applied "$(field outcome)"
