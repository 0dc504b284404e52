-- The answer never came: an outcome that was in doubt and was established later, by evidence. It is
-- never merged with one that was seen. With it come holds, disputes, the fence after a restore,
-- first and second looks, and the chain that every change leaves a link in.

CREATE TABLE intent_reconciled (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE
        CHECK (length(key) BETWEEN 1 AND 80 AND key NOT GLOB '*[^a-z0-9-]*'),
    digest TEXT NOT NULL CHECK (length(digest) = 64),
    state INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    grade INTEGER NOT NULL CONSTRAINT intent_grade CHECK (grade BETWEEN 0 AND 6),
    attempts INTEGER NOT NULL CHECK (attempts BETWEEN 0 AND 4294967295),
    settled_attempts INTEGER NOT NULL CHECK (settled_attempts BETWEEN 0 AND attempts),
    fence_raised INTEGER NOT NULL CHECK (fence_raised IN (0, 1)),
    held INTEGER NOT NULL CHECK (held IN (0, 1)),
    disputed INTEGER NOT NULL CHECK (disputed IN (0, 1)),
    held_reason TEXT,
    disputed_reason TEXT,
    reference TEXT,
    recorded_ms INTEGER NOT NULL CONSTRAINT intent_recorded_ms
        CHECK (recorded_ms = 0 OR recorded_ms BETWEEN 100000000000 AND 99999999999999),
    settled_ms INTEGER NOT NULL CONSTRAINT intent_settled_ms
        CHECK (settled_ms = 0 OR settled_ms BETWEEN 100000000000 AND 99999999999999),
    not_after_ms INTEGER NOT NULL CONSTRAINT intent_not_after_ms
        CHECK (not_after_ms = 0 OR not_after_ms BETWEEN 100000000000 AND 99999999999999),
    next_due_ms INTEGER NOT NULL CONSTRAINT intent_next_due_ms
        CHECK (next_due_ms = 0 OR next_due_ms BETWEEN 100000000000 AND 99999999999999),
    tries INTEGER NOT NULL CHECK (tries BETWEEN 0 AND 4294967295),
    looks_left INTEGER NOT NULL CHECK (looks_left BETWEEN 0 AND 4294967295),
    look_due_ms INTEGER NOT NULL CONSTRAINT intent_look_due_ms
        CHECK (look_due_ms = 0 OR look_due_ms BETWEEN 100000000000 AND 99999999999999),
    absent_ms INTEGER NOT NULL CONSTRAINT intent_absent_ms
        CHECK (absent_ms = 0 OR absent_ms BETWEEN 100000000000 AND 99999999999999),
    absent_mono_ms INTEGER NOT NULL,
    absent_boot TEXT NOT NULL CHECK (length(absent_boot) < 40),
    absent_attempts INTEGER NOT NULL CHECK (absent_attempts BETWEEN 0 AND 4294967295),
    chain_length INTEGER NOT NULL CHECK (chain_length >= 0),
    chain_head TEXT NOT NULL CHECK (length(chain_head) = 64),
    kind TEXT,
    target TEXT,
    body TEXT,
    CONSTRAINT intent_state_outcome CHECK (CASE state
        WHEN 1 THEN outcome = 0
        WHEN 2 THEN outcome = 0
        WHEN 3 THEN outcome BETWEEN 1 AND 4
        WHEN 4 THEN outcome BETWEEN 1 AND 4
        ELSE 0 END),
    CONSTRAINT intent_open_is_unsettled CHECK (state > 2 OR grade = 0 AND settled_ms = 0),
    CONSTRAINT intent_payload_is_whole CHECK (
        (target IS NULL) = (body IS NULL) AND (kind IS NOT NULL OR body IS NULL))
) STRICT;

INSERT INTO intent_reconciled (id, key, digest, state, outcome, grade, attempts, settled_attempts,
        fence_raised, held, disputed, reference, recorded_ms, settled_ms, not_after_ms,
        next_due_ms, tries, looks_left, look_due_ms, absent_ms, absent_mono_ms, absent_boot,
        absent_attempts, chain_length, chain_head, kind, target, body)
    SELECT id, key, digest, state, outcome, grade, attempts, settled_attempts,
        0, 0, 0, reference, recorded_ms, settled_ms, not_after_ms,
        next_due_ms, tries, 0, 0, 0, 0, '',
        0, 0, '0000000000000000000000000000000000000000000000000000000000000000',
        kind, target, body
    FROM intent ORDER BY id;

DROP TABLE intent;

ALTER TABLE intent_reconciled RENAME TO intent;

-- Most intents of an old ledger are settled for good; these indexes hold the others. id comes
-- first, because lists are by age; state and next_due_ms spare a look at the row.
CREATE INDEX intent_open ON intent (id, state, next_due_ms)
    WHERE state = 1 OR state = 2 OR outcome = 3 OR held = 1 OR disputed = 1;

CREATE INDEX intent_flagged ON intent (id) WHERE held = 1 OR disputed = 1;

CREATE INDEX intent_look ON intent (look_due_ms) WHERE looks_left > 0;

-- A key is for ever: it is bound to one digest, and the row outlives its content.
CREATE TRIGGER intent_stays BEFORE DELETE ON intent
BEGIN
    SELECT RAISE(ABORT, 'an intent is never removed: a key is for ever');
END;

CREATE TRIGGER intent_keeps_key BEFORE UPDATE OF id, key, digest, recorded_ms ON intent
BEGIN
    SELECT RAISE(ABORT, 'an action key is bound to one digest for ever');
END;

CREATE TRIGGER intent_keeps_payload BEFORE UPDATE OF kind, target, body ON intent
WHEN OLD.kind IS NOT NULL AND NEW.kind IS NOT OLD.kind
    OR OLD.target IS NOT NULL AND NEW.target IS NOT NULL AND NEW.target IS NOT OLD.target
    OR OLD.body IS NOT NULL AND NEW.body IS NOT NULL AND NEW.body IS NOT OLD.body
BEGIN
    SELECT RAISE(ABORT, 'a payload can be stored or removed, not rewritten');
END;

-- Of the ledger: how often it was restored, and whether the gap of the last time is closed.
ALTER TABLE ledger ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0 CHECK (epoch >= 0);
ALTER TABLE ledger ADD COLUMN fenced INTEGER NOT NULL DEFAULT 0 CHECK (fenced IN (0, 1));
ALTER TABLE ledger ADD COLUMN restored_ms INTEGER NOT NULL DEFAULT 0
    CHECK (restored_ms = 0 OR restored_ms BETWEEN 100000000000 AND 99999999999999);
ALTER TABLE ledger ADD COLUMN fence_send_ms INTEGER NOT NULL DEFAULT 0
    CHECK (fence_send_ms BETWEEN 0 AND 3155760000000 OR fence_send_ms = 9223372036854775807);
ALTER TABLE ledger ADD COLUMN chain_length INTEGER NOT NULL DEFAULT 0 CHECK (chain_length >= 0);
ALTER TABLE ledger ADD COLUMN chain_head TEXT NOT NULL
    DEFAULT '0000000000000000000000000000000000000000000000000000000000000000'
    CHECK (length(chain_head) = 64 AND chain_head NOT GLOB '*[^0-9a-f]*');
