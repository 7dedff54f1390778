-- Verified memory: repositories, facts that cite code, what happened to them, verifications that are kept. `repository` and
-- the ids of events are the 16 bytes of a UUID, as keys of records are.

CREATE TABLE repositories(
  num     INTEGER PRIMARY KEY,
  mem     INTEGER NOT NULL,
  id      BLOB NOT NULL,
  key     TEXT NOT NULL,                -- `owner/name`
  checked INTEGER NOT NULL,             -- when its tip was last looked at; 0: never
  body    TEXT NOT NULL                 -- the noun as JSON
);
CREATE UNIQUE INDEX repositories_id ON repositories(mem, id);
CREATE UNIQUE INDEX repositories_key ON repositories(mem, key);
CREATE INDEX repositories_checked ON repositories(checked);

-- Its key and all aliases. A name may be several repositories'.
CREATE TABLE repository_names(
  mem  INTEGER NOT NULL,
  name TEXT NOT NULL,
  id   BLOB NOT NULL,
  PRIMARY KEY(mem, name, id)
) WITHOUT ROWID;

-- `num` is the record's number.
CREATE TABLE facts(
  num           INTEGER PRIMARY KEY,
  mem           INTEGER NOT NULL,
  key           BLOB NOT NULL,          -- of the record
  repository    BLOB NOT NULL,
  hash          TEXT NOT NULL,          -- of the content
  status        INTEGER NOT NULL,       -- as states of records
  proposed      INTEGER NOT NULL,
  citations     INTEGER NOT NULL CHECK (citations > 0),
  refreshed     INTEGER NOT NULL,
  created       INTEGER NOT NULL,
  used          INTEGER,
  expires       INTEGER NOT NULL,
  verifications INTEGER NOT NULL,
  rejections    INTEGER NOT NULL,
  applied       INTEGER NOT NULL,
  paths         TEXT NOT NULL,          -- as JSON: its rows in `fact_paths`
  body          TEXT NOT NULL           -- citations and the rest, as JSON
);
CREATE UNIQUE INDEX facts_content ON facts(mem, repository, hash) WHERE status = 0 AND proposed = 0;
CREATE INDEX facts_same ON facts(mem, repository, hash);
CREATE INDEX facts_page ON facts(mem, repository, proposed, status, refreshed DESC, key);
CREATE INDEX facts_expires ON facts(expires) WHERE status = 0;

-- Beside the facts: a row there may hold much code, and is not written anew for being read.
CREATE TABLE fact_reads(
  num       INTEGER PRIMARY KEY,        -- of the fact
  retrieved INTEGER NOT NULL,
  swept     INTEGER NOT NULL            -- of those, whose events are removed
);

CREATE TABLE fact_paths(
  mem        INTEGER NOT NULL,
  repository BLOB NOT NULL,
  path       TEXT NOT NULL,
  key        BLOB NOT NULL,
  PRIMARY KEY(mem, repository, path, key)
) WITHOUT ROWID;

-- What happened. Outlives facts, and holds no text of theirs.
CREATE TABLE fact_events(
  mem        INTEGER NOT NULL,
  id         BLOB NOT NULL,
  repository BLOB NOT NULL,
  key        BLOB,                      -- of the record
  kind       INTEGER NOT NULL,          -- kind, verdict, method: place in their closed list
  at         INTEGER NOT NULL,
  kept       INTEGER NOT NULL,          -- however old it is
  verdict    INTEGER,
  cause      TEXT,
  duration   INTEGER,
  principal  TEXT NOT NULL,
  agent      TEXT,
  session    TEXT,
  reference  TEXT,
  revision   BLOB,
  method     INTEGER,
  details    TEXT,
  PRIMARY KEY(mem, id)
) WITHOUT ROWID;
CREATE INDEX fact_events_record ON fact_events(mem, key, at, id, kind) WHERE key IS NOT NULL;
CREATE INDEX fact_events_tally ON fact_events(mem, repository, at, kind, verdict, cause);
-- Verifications: valid, invalid, skipped.
CREATE INDEX fact_events_timed ON fact_events(mem, repository, at, id, duration)
  WHERE kind IN (2, 3, 14) AND duration IS NOT NULL;
CREATE INDEX fact_events_at ON fact_events(at) WHERE kept = 0;

CREATE TABLE fact_verdicts(
  num      INTEGER PRIMARY KEY,
  mem      INTEGER NOT NULL,
  key      BLOB NOT NULL,               -- of the record
  digest   TEXT NOT NULL,
  revision BLOB NOT NULL,
  at       INTEGER NOT NULL,
  body     TEXT NOT NULL                -- the noun as JSON
);
CREATE UNIQUE INDEX fact_verdicts_digest ON fact_verdicts(mem, revision, digest);
CREATE INDEX fact_verdicts_record ON fact_verdicts(mem, key);
CREATE INDEX fact_verdicts_at ON fact_verdicts(at);
