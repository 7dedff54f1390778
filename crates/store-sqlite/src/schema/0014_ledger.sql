-- What is found by few questions: by its key, or as a list of a shelf, of an actor, of a subject.

CREATE TABLE ledger(
  num     INTEGER PRIMARY KEY,
  mem     INTEGER NOT NULL,
  shelf   TEXT NOT NULL,           -- what kind of noun it is, in a word
  key     TEXT NOT NULL,
  actor   TEXT NOT NULL,
  subject TEXT,
  at      INTEGER NOT NULL,        -- what lists are ordered by
  body    TEXT NOT NULL            -- the entry as JSON
);
CREATE UNIQUE INDEX ledger_key ON ledger(mem, shelf, key);
CREATE INDEX ledger_at ON ledger(mem, shelf, at DESC, key);
CREATE INDEX ledger_actor ON ledger(mem, actor, shelf, at DESC, key);
CREATE INDEX ledger_subject ON ledger(mem, shelf, subject, at DESC, key) WHERE subject IS NOT NULL;
