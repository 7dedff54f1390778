-- What is found by few questions: by its key, or as a list of a shelf, of an actor, of a subject.

CREATE TABLE ledger(
  mem     BIGINT NOT NULL,
  shelf   TEXT COLLATE "C" NOT NULL,   -- what kind of noun it is, in a word
  key     TEXT COLLATE "C" NOT NULL,
  actor   TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C",
  at      BIGINT NOT NULL,             -- what lists are ordered by
  body    TEXT NOT NULL,               -- the entry as JSON
  PRIMARY KEY (mem, shelf, key)
);
CREATE INDEX ledger_at ON ledger(mem, shelf, at DESC, key);
CREATE INDEX ledger_actor ON ledger(mem, actor, shelf, at DESC, key);
CREATE INDEX ledger_subject ON ledger(mem, shelf, subject, at DESC, key) WHERE subject IS NOT NULL;
