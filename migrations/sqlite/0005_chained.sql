-- How everything came to be as it is: one event for each change, in the transaction of the change,
-- each hashed over the one before. Rows are only ever added, and each step is one the machine has.
--
-- id is the order of the whole ledger, so the newest time seen stands in the last row. intent_id 0
-- is the ledger's own chain. event_step lists (from > event > to) of core/state.def:
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
    hash TEXT NOT NULL CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
    of_intent INTEGER GENERATED ALWAYS AS (nullif(intent_id, 0)) VIRTUAL REFERENCES intent (id),
    CONSTRAINT event_number UNIQUE (intent_id, number),
    CONSTRAINT event_step CHECK (from_state || '>' || event || '>' || to_state IN (
        '0>1>1',
        '1>2>2', '3>2>2', '4>2>2',
        '2>3>3',
        '1>4>4', '2>4>4', '3>4>4', '4>4>4',
        '2>5>2',
        '1>6>3', '3>6>3', '4>6>4',
        '1>7>1', '2>7>2', '3>7>3', '4>7>4',
        '1>8>1', '2>8>2', '3>8>3', '4>8>4',
        '1>9>1', '2>9>2', '3>9>3', '4>9>4',
        '1>10>1', '2>10>2', '3>10>3', '4>10>4',
        '1>11>1', '2>11>2', '3>11>3', '4>11>4',
        '1>12>1', '2>12>2', '3>12>3', '4>12>4',
        '1>13>1', '2>13>2', '3>13>3', '4>13>4',
        '1>14>1', '2>14>2', '3>14>3', '4>14>4',
        '0>15>0', '0>16>0')),
    CONSTRAINT event_chain CHECK ((intent_id = 0) = (to_state = 0)),
    CONSTRAINT event_state_outcome CHECK (to_state || '/' || outcome IN (
        '0/0', '1/0', '2/0', '3/1', '3/2', '3/3', '3/4', '4/1', '4/2', '4/3', '4/4'))
) STRICT;

CREATE TRIGGER event_is_never_rewritten BEFORE UPDATE ON event
BEGIN
    SELECT RAISE(ABORT, 'the chain is append-only: an event is never rewritten');
END;

CREATE TRIGGER event_stays BEFORE DELETE ON event
BEGIN
    SELECT RAISE(ABORT, 'the chain is append-only: an event is never removed');
END;

CREATE TRIGGER event_time_never_falls BEFORE INSERT ON event
WHEN NEW.newest_ms < (SELECT newest_ms FROM event ORDER BY id DESC LIMIT 1)
BEGIN
    SELECT RAISE(ABORT, 'the newest time a ledger has seen never falls');
END;
