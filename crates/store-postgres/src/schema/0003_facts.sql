-- Verified memory: repositories, facts that cite code, what happened to them, verifications that are kept. `repository` and
-- the ids of events are the 16 bytes of a UUID, as keys of records are.

CREATE TABLE repositories(
  mem     BIGINT NOT NULL,
  id      BYTEA NOT NULL,
  key     TEXT COLLATE "C" NOT NULL,     -- `owner/name`
  checked BIGINT NOT NULL,               -- when its tip was last looked at; 0: never
  body    TEXT NOT NULL,                 -- the noun as JSON
  PRIMARY KEY (mem, id)
);
CREATE UNIQUE INDEX repositories_key ON repositories(mem, key);
CREATE INDEX repositories_checked ON repositories(checked);

-- Its key and all aliases. A name may be several repositories'.
CREATE TABLE repository_names(
  mem  BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  id   BYTEA NOT NULL,
  PRIMARY KEY (mem, name, id)
);

CREATE TABLE facts(
  mem           BIGINT NOT NULL,
  key           BYTEA NOT NULL,          -- of the record
  repository    BYTEA NOT NULL,
  hash          TEXT COLLATE "C" NOT NULL, -- of the content
  status        SMALLINT NOT NULL,       -- as states of records
  proposed      BOOLEAN NOT NULL,
  citations     INTEGER NOT NULL CHECK (citations > 0),
  refreshed     BIGINT NOT NULL,
  created       BIGINT NOT NULL,
  used          BIGINT,
  expires       BIGINT NOT NULL,
  verifications BIGINT NOT NULL,
  rejections    BIGINT NOT NULL,
  applied       BIGINT NOT NULL,
  paths         TEXT[] NOT NULL,         -- its rows in `fact_paths`
  body          TEXT NOT NULL,           -- citations and the rest, as JSON
  PRIMARY KEY (mem, key)
) PARTITION BY HASH (mem);
CREATE UNIQUE INDEX facts_content ON facts(mem, repository, hash) WHERE status = 0 AND NOT proposed;
CREATE INDEX facts_same ON facts(mem, repository, hash);
CREATE INDEX facts_page ON facts(mem, repository, proposed, status, refreshed DESC, key);
CREATE INDEX facts_expires ON facts(expires) WHERE status = 0;

-- Beside the facts: a row there may hold much code, and is not written anew for being read.
CREATE TABLE fact_reads(
  mem       BIGINT NOT NULL,
  key       BYTEA NOT NULL,              -- of the record
  retrieved BIGINT NOT NULL,
  swept     BIGINT NOT NULL,             -- of those, whose events are removed
  PRIMARY KEY (mem, key)
) PARTITION BY HASH (mem);

CREATE TABLE fact_paths(
  mem        BIGINT NOT NULL,
  repository BYTEA NOT NULL,
  path       TEXT COLLATE "C" NOT NULL,
  key        BYTEA NOT NULL,
  PRIMARY KEY (mem, repository, path, key)
) PARTITION BY HASH (mem);

-- What happened. Outlives facts, and holds no text of theirs.
CREATE TABLE fact_events(
  mem        BIGINT NOT NULL,
  id         BYTEA NOT NULL,
  repository BYTEA NOT NULL,
  key        BYTEA,                      -- of the record
  kind       SMALLINT NOT NULL,          -- kind, verdict, method: place in their closed list
  at         BIGINT NOT NULL,
  kept       BOOLEAN NOT NULL,           -- however old it is
  verdict    SMALLINT,
  cause      TEXT COLLATE "C",
  duration   BIGINT,
  principal  TEXT NOT NULL,
  agent      TEXT,
  session    TEXT,
  reference  TEXT,
  revision   BYTEA,
  method     SMALLINT,
  details    TEXT,
  PRIMARY KEY (mem, id)
) PARTITION BY HASH (mem);
CREATE INDEX fact_events_record ON fact_events(mem, key, at, id, kind) WHERE key IS NOT NULL;
CREATE INDEX fact_events_tally ON fact_events(mem, repository, at, kind, verdict, cause);
-- Verifications: valid, invalid, skipped.
CREATE INDEX fact_events_timed ON fact_events(mem, repository, at, id, duration)
  WHERE kind IN (2, 3, 14) AND duration IS NOT NULL;
CREATE INDEX fact_events_at ON fact_events(at) WHERE NOT kept;

CREATE TABLE fact_verdicts(
  mem      BIGINT NOT NULL,
  key      BYTEA NOT NULL,               -- of the record
  digest   TEXT COLLATE "C" NOT NULL,
  revision BYTEA NOT NULL,
  at       BIGINT NOT NULL,
  body     TEXT NOT NULL,                -- the noun as JSON
  PRIMARY KEY (mem, revision, digest)
) PARTITION BY HASH (mem);
CREATE INDEX fact_verdicts_record ON fact_verdicts(mem, key);
CREATE INDEX fact_verdicts_at ON fact_verdicts(at);
