-- Words from outside: an event has the name its source gave it, so that a second delivery is known;
-- and the key an action was sent under leads back to its intent.

ALTER TABLE evidence ADD COLUMN event_id TEXT
    CONSTRAINT evidence_event_id CHECK (length(CAST(event_id AS BLOB)) BETWEEN 1 AND 255);

CREATE TRIGGER evidence_keeps_event_id BEFORE UPDATE OF event_id ON evidence
BEGIN
    SELECT RAISE(ABORT, 'evidence is never rewritten');
END;

CREATE INDEX attempt_provider_key ON attempt (provider_key);
