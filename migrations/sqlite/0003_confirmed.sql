-- The answer comes home: an outcome that was seen first-hand, and the evidence for it. An answer
-- may also say nothing definite; then the intent stays attempted, and the evidence is kept.

CREATE TABLE intent_confirmed (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE
        CHECK (length(key) BETWEEN 1 AND 80 AND key NOT GLOB '*[^a-z0-9-]*'),
    digest TEXT NOT NULL CHECK (length(digest) = 64),
    state INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    grade INTEGER NOT NULL CONSTRAINT intent_grade CHECK (grade BETWEEN 0 AND 6),
    attempts INTEGER NOT NULL CHECK (attempts BETWEEN 0 AND 4294967295),
    settled_attempts INTEGER NOT NULL CHECK (settled_attempts BETWEEN 0 AND attempts),
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
    kind TEXT,
    target TEXT,
    body TEXT,
    CONSTRAINT intent_state_outcome
        CHECK (CASE state
        WHEN 1 THEN outcome = 0
        WHEN 2 THEN outcome = 0
        WHEN 3 THEN outcome BETWEEN 1 AND 4
        ELSE 0 END)
) STRICT;

INSERT INTO intent_confirmed (id, key, digest, state, outcome, grade, attempts, settled_attempts,
        recorded_ms, settled_ms, not_after_ms, next_due_ms, tries, kind, target, body)
    SELECT id, key, digest, state, 0, 0, attempts, 0, recorded_ms, 0, 0, 0, 0, kind, target, body
    FROM intent ORDER BY id;

DROP TABLE intent;

ALTER TABLE intent_confirmed RENAME TO intent;

-- Why we believe what we believe. id is the intent's and a number within it, so that the rows of an
-- intent stand together and need no index. A reference belongs to one intent; reference_taken asks by
-- it. Retention may empty an excerpt, never its digest.
CREATE TABLE evidence (
    id INTEGER PRIMARY KEY CONSTRAINT evidence_id
        CHECK (id >> 32 = intent_id AND intent_id BETWEEN 1 AND 2147483647),
    intent_id INTEGER NOT NULL REFERENCES intent (id),
    attempt INTEGER NOT NULL CHECK (attempt BETWEEN 0 AND 4294967295),
    token TEXT CHECK (length(token) = 32),
    source TEXT NOT NULL,
    grade INTEGER NOT NULL CONSTRAINT evidence_grade CHECK (grade BETWEEN 0 AND 6),
    outcome INTEGER NOT NULL CONSTRAINT evidence_outcome CHECK (outcome BETWEEN 0 AND 4),
    settled INTEGER NOT NULL CHECK (settled IN (0, 1)),
    reference TEXT,
    excerpt_digest TEXT NOT NULL CHECK (length(excerpt_digest) = 64),
    at_ms INTEGER NOT NULL CONSTRAINT evidence_at_ms
        CHECK (at_ms BETWEEN 100000000000 AND 99999999999999),
    actor TEXT,
    statement TEXT,
    excerpt BLOB CHECK (length(excerpt) <= 2000)
) STRICT;

CREATE INDEX evidence_reference ON evidence (reference) WHERE reference IS NOT NULL;

CREATE TRIGGER evidence_stays BEFORE DELETE ON evidence
BEGIN
    SELECT RAISE(ABORT, 'evidence is never removed');
END;

CREATE TRIGGER evidence_keeps_what_it_says
BEFORE UPDATE OF id, intent_id, attempt, token, source, grade, outcome, settled, reference,
    excerpt_digest, at_ms, actor, statement ON evidence
BEGIN
    SELECT RAISE(ABORT, 'evidence is never rewritten');
END;

CREATE TRIGGER evidence_keeps_excerpt
BEFORE UPDATE OF excerpt ON evidence WHEN NEW.excerpt IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'an excerpt can be removed, not rewritten');
END;
