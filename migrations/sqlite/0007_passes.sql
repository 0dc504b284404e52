-- How often somebody looked, and what came of it: one row for each pass of reconciliation that saw
-- anything, written when it ended. reasons is canonical JSON: name of a reason -> how many intents
-- were left with it. Of the actions themselves it says nothing; their events do.

CREATE TABLE pass (
    id INTEGER PRIMARY KEY,
    started_ms INTEGER NOT NULL CONSTRAINT pass_started_ms
        CHECK (started_ms BETWEEN 100000000000 AND 99999999999999),
    ended_ms INTEGER NOT NULL CONSTRAINT pass_ended_ms
        CHECK (ended_ms BETWEEN 100000000000 AND 99999999999999),
    actor TEXT,
    seen INTEGER NOT NULL CHECK (seen >= 0),
    settled INTEGER NOT NULL CHECK (settled >= 0),
    waiting INTEGER NOT NULL CHECK (waiting >= 0),
    person INTEGER NOT NULL CHECK (person >= 0),
    failed INTEGER NOT NULL CHECK (failed >= 0),
    reasons TEXT NOT NULL,
    CONSTRAINT pass_adds_up CHECK (settled + waiting + person + failed = seen)
) STRICT;

CREATE TRIGGER pass_is_never_rewritten BEFORE UPDATE ON pass
BEGIN
    SELECT RAISE(ABORT, 'what a pass counted is never rewritten');
END;
