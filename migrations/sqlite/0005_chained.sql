-- How everything came to be as it is: one event for each change, in the transaction of the change,
-- each hashed over the one before. Rows are only ever added, and each step is one the machine has.
--
-- id is the order of the whole ledger, so the newest time seen stands in the last row. It never falls:
-- the store, which knows the last row, refuses that, and the check compares them all. intent_id 0
-- is the ledger's own chain. event_step holds the steps of core/state.def, and no other:
--   1 record, 2 attempt, 3 confirm, 4 reconcile, 5 replay, 6 retract; 7 to 14 change no state;
--   15 fence and 16 lift belong to the ledger's own chain.
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    intent_id INTEGER NOT NULL CHECK (intent_id >= 0),
    number INTEGER NOT NULL CHECK (number >= 1),
    event INTEGER NOT NULL,
    from_state INTEGER NOT NULL,
    to_state INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    attempt INTEGER NOT NULL CHECK (attempt BETWEEN 0 AND 4294967295),
    grade INTEGER NOT NULL CONSTRAINT event_grade CHECK (grade BETWEEN 0 AND 6),
    at_ms INTEGER NOT NULL CONSTRAINT event_at_ms
        CHECK (at_ms BETWEEN 100000000000 AND 99999999999999),
    newest_ms INTEGER NOT NULL CONSTRAINT event_newest_ms
        CHECK (newest_ms BETWEEN at_ms AND 99999999999999),
    actor TEXT,
    detail TEXT NOT NULL,
    hash TEXT NOT NULL CHECK (length(hash) = 64),
    of_intent INTEGER GENERATED ALWAYS AS (nullif(intent_id, 0)) VIRTUAL REFERENCES intent (id),
    CONSTRAINT event_number UNIQUE (intent_id, number),
    CONSTRAINT event_step CHECK (CASE event
        WHEN 1 THEN from_state = 0 AND to_state = 1
        WHEN 2 THEN (from_state = 1 OR from_state = 3 OR from_state = 4) AND to_state = 2
        WHEN 3 THEN from_state = 2 AND to_state = 3
        WHEN 4 THEN from_state BETWEEN 1 AND 4 AND to_state = 4
        WHEN 5 THEN from_state = 2 AND to_state = 2
        WHEN 6 THEN (from_state = 1 OR from_state = 3) AND to_state = 3
            OR from_state = 4 AND to_state = 4
        WHEN 15 THEN from_state = 0 AND to_state = 0
        WHEN 16 THEN from_state = 0 AND to_state = 0
        ELSE event BETWEEN 7 AND 14 AND from_state BETWEEN 1 AND 4 AND to_state = from_state
        END),
    CONSTRAINT event_chain CHECK ((intent_id = 0) = (to_state = 0)),
    CONSTRAINT event_state_outcome CHECK (CASE to_state
        WHEN 0 THEN outcome = 0
        WHEN 1 THEN outcome = 0
        WHEN 2 THEN outcome = 0
        WHEN 3 THEN outcome BETWEEN 1 AND 4
        WHEN 4 THEN outcome BETWEEN 1 AND 4
        ELSE 0 END)
) STRICT;

CREATE TRIGGER event_is_never_rewritten BEFORE UPDATE ON event
BEGIN
    SELECT RAISE(ABORT, 'the chain is append-only: an event is never rewritten');
END;

CREATE TRIGGER event_stays BEFORE DELETE ON event
BEGIN
    SELECT RAISE(ABORT, 'the chain is append-only: an event is never removed');
END;
