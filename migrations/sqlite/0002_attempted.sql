-- The action leaves the house: an attempt is durable before its first byte goes out.
--
-- Units and forms, here and in every later file: times are milliseconds since 1970 in columns named
-- _ms, and a value a thousand times too small or too large is refused; digests and tokens are
-- lower-case hex, of which later inserts check the length (docs/decisions/0019); numbers of states,
-- outcomes, grades, causes and events are those of deed/base.h.

-- What was applied to this file, and when. user_version is the largest number; both must agree.
CREATE TABLE migration (
    number INTEGER PRIMARY KEY CHECK (number >= 1),
    name TEXT NOT NULL,
    checksum TEXT NOT NULL CHECK (length(checksum) = 64 AND checksum NOT GLOB '*[^0-9a-f]*'),
    applied_ms INTEGER NOT NULL CHECK (applied_ms BETWEEN 100000000000 AND 99999999999999)
) STRICT;

-- One row: the ledger has a name now, because provider keys are made from it.
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 80 AND name NOT GLOB '*[^a-z0-9-]*'),
    test INTEGER NOT NULL CHECK (test IN (0, 1)),
    created_ms INTEGER NOT NULL CHECK (created_ms BETWEEN 100000000000 AND 99999999999999),
    file_device INTEGER NOT NULL,
    file_inode INTEGER NOT NULL
) STRICT;

-- id orders intents by age. The payload comes last, so that a list does not read it. kind, target
-- and body are NULL while the content is not here.
CREATE TABLE intent (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE
        CHECK (length(key) BETWEEN 1 AND 80 AND key NOT GLOB '*[^a-z0-9-]*'),
    digest TEXT NOT NULL CHECK (length(digest) = 64 AND digest NOT GLOB '*[^0-9a-f]*'),
    state INTEGER NOT NULL CONSTRAINT intent_state CHECK (state IN (1, 2)),
    attempts INTEGER NOT NULL CHECK (attempts BETWEEN 0 AND 4294967295),
    recorded_ms INTEGER NOT NULL
        CHECK (recorded_ms = 0 OR recorded_ms BETWEEN 100000000000 AND 99999999999999),
    kind TEXT,
    target TEXT,
    body TEXT
) STRICT;

INSERT INTO intent (key, digest, state, attempts, recorded_ms)
    SELECT action_key, payload_sha256, 1, 0, 0 FROM intents ORDER BY rowid;

DROP TABLE intents;

-- One try. The number orders, the token identifies; id is both parts of the one key, so that the
-- rows of an intent stand together and need no index. Everything up to second_look_2_ms was true when
-- the first byte went out and is never rewritten; 9223372036854775807 is "without end".
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY CONSTRAINT attempt_id
        CHECK (id = (intent_id << 32 | number) AND intent_id BETWEEN 1 AND 2147483647),
    intent_id INTEGER NOT NULL REFERENCES intent (id),
    number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 4294967295),
    token TEXT NOT NULL UNIQUE CHECK (length(token) = 32),
    cause INTEGER NOT NULL CONSTRAINT attempt_cause CHECK (cause BETWEEN 1 AND 4),
    executor TEXT NOT NULL,
    executor_version TEXT NOT NULL,
    account_scope TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    provider_key TEXT NOT NULL,
    generation INTEGER NOT NULL CHECK (generation BETWEEN 0 AND 4294967295),
    bytes_digest TEXT NOT NULL CHECK (length(bytes_digest) = 64),
    owner INTEGER NOT NULL,
    start_ms INTEGER NOT NULL CHECK (start_ms BETWEEN 100000000000 AND 99999999999999),
    start_mono_ms INTEGER NOT NULL,
    start_boot TEXT NOT NULL CHECK (length(start_boot) < 40),
    send_ms INTEGER NOT NULL CONSTRAINT attempt_send
        CHECK (send_ms BETWEEN 0 AND 3155760000000 OR send_ms = 9223372036854775807),
    answer_ms INTEGER NOT NULL CONSTRAINT attempt_answer
        CHECK (answer_ms BETWEEN 0 AND 3155760000000 OR answer_ms = 9223372036854775807),
    landing_ms INTEGER NOT NULL CONSTRAINT attempt_landing
        CHECK (landing_ms BETWEEN 0 AND 3155760000000 OR landing_ms = 9223372036854775807),
    lag_ms INTEGER NOT NULL CONSTRAINT attempt_lag
        CHECK (lag_ms BETWEEN 0 AND 3155760000000 OR lag_ms = 9223372036854775807),
    reach_ms INTEGER NOT NULL CONSTRAINT attempt_reach
        CHECK (reach_ms BETWEEN 0 AND 3155760000000 OR reach_ms = 9223372036854775807),
    window_ms INTEGER NOT NULL CONSTRAINT attempt_window
        CHECK (window_ms BETWEEN 0 AND 3155760000000 OR window_ms = 9223372036854775807),
    second_look_1_ms INTEGER NOT NULL CONSTRAINT attempt_second_look_1
        CHECK (second_look_1_ms BETWEEN 0 AND 3155760000000
            OR second_look_1_ms = 9223372036854775807),
    second_look_2_ms INTEGER NOT NULL CONSTRAINT attempt_second_look_2
        CHECK (second_look_2_ms BETWEEN 0 AND 3155760000000
            OR second_look_2_ms = 9223372036854775807),
    flags INTEGER NOT NULL CHECK (flags BETWEEN 0 AND 65535),
    answered INTEGER NOT NULL CHECK (answered IN (0, 1)),
    answered_ms INTEGER NOT NULL CONSTRAINT attempt_answered_ms
        CHECK (answered_ms = 0 OR answered_ms BETWEEN 100000000000 AND 99999999999999),
    verdict INTEGER NOT NULL CONSTRAINT attempt_verdict CHECK (verdict BETWEEN 0 AND 3),
    pending INTEGER NOT NULL CHECK (pending IN (0, 1)),
    handle TEXT,
    first_look_ms INTEGER NOT NULL CONSTRAINT attempt_first_look_ms
        CHECK (first_look_ms = 0 OR first_look_ms BETWEEN 100000000000 AND 99999999999999),
    first_look_mono_ms INTEGER NOT NULL,
    first_look_boot TEXT NOT NULL CHECK (length(first_look_boot) < 40),
    bytes BLOB CHECK (length(bytes) <= 512)
) STRICT;

-- The bytes that were to be sent, once per provider key. Few stand in the attempt's row; many stand
-- apart, for an answer rewrites that row and shall not rewrite them. Retention may drop both; no replay
-- after that.
CREATE TABLE request (
    id INTEGER PRIMARY KEY REFERENCES attempt (id),
    bytes BLOB NOT NULL CHECK (length(bytes) <= 1048576)
) STRICT;

CREATE TRIGGER ledger_stays BEFORE DELETE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'a ledger keeps its row');
END;

CREATE TRIGGER ledger_keeps_name BEFORE UPDATE OF name ON ledger WHEN NEW.name IS NOT OLD.name
BEGIN
    SELECT RAISE(ABORT, 'the name of a ledger is for ever: provider keys are made from it');
END;

CREATE TRIGGER attempt_stays BEFORE DELETE ON attempt
BEGIN
    SELECT RAISE(ABORT, 'an attempt is never removed');
END;

CREATE TRIGGER attempt_keeps_what_was_true
BEFORE UPDATE OF id, intent_id, number, token, cause, executor, executor_version, account_scope,
    endpoint, provider_key, generation, bytes_digest, owner, start_ms, start_mono_ms, start_boot,
    send_ms, answer_ms, landing_ms, lag_ms, reach_ms, window_ms, second_look_1_ms,
    second_look_2_ms ON attempt
BEGIN
    SELECT RAISE(ABORT, 'what an attempt stored before its first byte is never rewritten');
END;

CREATE TRIGGER attempt_keeps_bytes BEFORE UPDATE OF bytes ON attempt WHEN NEW.bytes IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'the bytes of a request can be removed, not rewritten');
END;

CREATE TRIGGER request_keeps_bytes BEFORE UPDATE ON request
BEGIN
    SELECT RAISE(ABORT, 'the bytes of a request are never rewritten');
END;
