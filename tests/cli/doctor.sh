#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# doctor looks at what the ledger stands on, says of each check what to do, ends 10 if one is broken,
# and leaves every byte as it is.
. "$DEED_SOURCE_DIR/tests/cli/lib.sh"

health() { # CHECK: what the last answer says of it
    field checks | tr '{' '\n' | sed -nE "s/.*\"check\":\"$1\",\"health\":\"([a-z]*)\".*/\1/p" | sort -u | tr '\n' ' ' | sed 's/ $//'
}
remedy() { field checks | tr '{' '\n' | sed -nE "s/.*\"check\":\"$1\".*\"remedy\":(.*)\}.*/\1/p" | head -n 1; }
all_files() { find . -type f ! -name out ! -name err ! -name before ! -name after -exec sha256sum {} + | sort -k 2; }

unset DEED_LEDGER
run 2 doctor
tells 'which ledger?'
export DEED_LEDGER=ledger.db

run 10 --json doctor
is broken "$(health file)"
is DEED_E_CHECK "$(error_field code)"
[ ! -e ledger.db ] || fail "doctor made a file"
: >ledger.db-wal
run 10 doctor
says 'its log ledger.db-wal is'
rm ledger.db-wal

mock blind '' ''
ledger
record pay-1
all_files >before
run 0 --json doctor
is '' "$(field checks | grep -o '"health":"broken"' || true)"
is 0 "$(field broken)"
for check in library sqlite owner mode access log file_system disk schema ledger clock boot_id config kind; do
    [ -n "$(health $check)" ] || fail "$check was not looked at"
done
is ok "$(health kind)"
is null "$(remedy mode)"
run 0 doctor
says 'ok       mode'
says '0 broken'
all_files >after
cmp before after

chmod 640 ledger.db
run 0 --json doctor
is warning "$(health mode)"
says 'chmod 600'
chmod 600 ledger.db

: >stray.db-shm
cp ledger.db stray.db
run 0 --json --ledger stray.db doctor
is warning "$(health log)"
truncate -s 70M stray.db-wal
run 0 --json --ledger stray.db doctor
is warning "$(health log)"

# Beside a link lies nothing: what belongs to the ledger lies beside the file itself.
mkdir links
ln -s ../stray.db links/linked.db
run 0 --json --ledger links/linked.db doctor
is warning "$(health log)"
rm -r links

# The newest time in the ledger lies ahead of the clock.
cp ledger.db ahead.db
sqlite3 ahead.db "SELECT name FROM sqlite_master WHERE type = 'trigger'" | while read -r trigger; do
    sqlite3 ahead.db "DROP TRIGGER $trigger"
done
sqlite3 ahead.db 'UPDATE event SET newest_ms = newest_ms + 86400000000'
chmod 600 ahead.db
run 10 --json --ledger ahead.db doctor
says 'the clock stands before the newest time in the ledger'

# Other schemas, and what is none.
cp "$DEED_SOURCE_DIR/tests/vectors/seed-ledger.sqlite3" fixture.db
chmod 600 fixture.db
run 10 --json --ledger fixture.db doctor
is broken "$(health schema)"
says 'deed migrate --name NAME'
newest=$(sqlite3 ledger.db 'PRAGMA user_version')
cp ledger.db newer.db
sqlite3 newer.db "PRAGMA user_version = $((newest + 1))"
run 10 --json --ledger newer.db doctor
is broken "$(health ledger)"
printf 'a text that is long enough to be read as a header of something, but is none of it, and so on, and on' >text.db
run 10 --json --ledger text.db doctor
is broken "$(health ledger)"
mkdir folder.db
run 10 --json --ledger folder.db doctor
is broken "$(health file)"

# The configuration.
echo '{kinds' >config.json
run 10 --json doctor
is broken "$(health config)"
echo '{"kinds": {"payment": {"executor": "htp"}}}' >config.json
run 10 --json doctor
is broken "$(health kind)"
run 0 --ledger real.db init --name real
mock blind '' ''
run 10 --json --ledger real.db doctor
is broken "$(health kind)"
says 'test ledgers only'
export DEED_CONFIG=
run 0 --json doctor
is warning "$(health config)"
export DEED_CONFIG=$folder/config.json

verifier() {
    printf '{"verifiers": {"hook": {"type": "webhook", "scheme": "hex", "secret": "%s"}}}' "$1" >config.json
}
verifier env:HOOK_SECRET
run 10 --json doctor
is broken "$(health verifier)"
HOOK_SECRET=geheim run 0 --json doctor
is ok "$(health verifier)"
says_not geheim
verifier file:hook.secret
run 10 doctor
says 'hook.secret cannot be read'
echo geheim >hook.secret
run 0 doctor
says 'messages of hook can be verified'
says_not geheim
