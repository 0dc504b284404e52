-- An action key is bound to the digest of its payload, durably. Nothing is ever attempted.
--
-- This is, letter by letter, the table of the recorded-intent ledger that deed started from: a
-- database made by that program is a ledger with this one migration applied.
CREATE TABLE intents (
            action_key TEXT PRIMARY KEY, payload_sha256 TEXT NOT NULL,
            status TEXT NOT NULL CHECK(status = 'recorded'));
