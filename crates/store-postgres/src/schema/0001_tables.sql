-- The first schema. The rules that let it be distributed: every table and every unique constraint begins with the memory
-- (`mem`), nothing refers across memories, there are no sequences and no triggers, and a transaction changes one memory.
-- `memories`, `models`, `access_keys` and `leases` are small tables that every node may hold a copy of.
--
-- `mem` is a digest of the memory's id; `sess` one of actor and session; `grp` one of strategy and namespace. They are made
-- by the program: no row is read to know them. Times are milliseconds since the epoch. Names sort by their bytes.

CREATE TABLE memories(
  mem     BIGINT NOT NULL PRIMARY KEY,
  id      TEXT COLLATE "C" NOT NULL UNIQUE,
  name    TEXT COLLATE "C" NOT NULL,
  created BIGINT NOT NULL,
  deleted BIGINT,
  body    TEXT NOT NULL                  -- the noun as JSON
);
CREATE UNIQUE INDEX memories_name ON memories(name) WHERE deleted IS NULL;
CREATE INDEX memories_created ON memories(created DESC, id DESC) WHERE deleted IS NULL;
CREATE INDEX memories_deleted ON memories(deleted, id) WHERE deleted IS NOT NULL;

-- What every write of a memory counts. Its row is the memory's lock: a write takes it first.
CREATE TABLE counters(
  mem      BIGINT NOT NULL,
  sequence BIGINT NOT NULL,              -- of record changes
  arrival  BIGINT NOT NULL,              -- of the last event
  places   BIGINT NOT NULL,              -- of rows that keep the order in which they came
  erasures BIGINT NOT NULL,              -- how often content was erased
  -- Microseconds of the server's clock: a memory that was purged and imported again has another.
  born     BIGINT NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::BIGINT,
  -- No later than the first deleted content is to be erased, or the first history to be removed; NULL: there is none.
  erase_due   BIGINT,
  history_due BIGINT,
  PRIMARY KEY (mem)
) PARTITION BY HASH (mem);

CREATE INDEX counters_erase ON counters(erase_due) WHERE erase_due IS NOT NULL;
CREATE INDEX counters_history ON counters(history_due) WHERE history_due IS NOT NULL;

CREATE TABLE sessions(
  mem     BIGINT NOT NULL,
  sess    UUID NOT NULL,
  actor   TEXT COLLATE "C" NOT NULL,
  session TEXT COLLATE "C" NOT NULL,
  created BIGINT,                        -- arrival of the first visible event; NULL: none yet
  ends    BIGINT NOT NULL,               -- when its last visible event vanishes, or vanished
  PRIMARY KEY (mem, sess)
) PARTITION BY HASH (mem);
CREATE INDEX sessions_created ON sessions(mem, actor, created DESC, session);
CREATE INDEX sessions_ends ON sessions(ends);

CREATE TABLE branches(
  mem  BIGINT NOT NULL,
  sess UUID NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  root TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (mem, sess, name)
);

CREATE TABLE events(
  mem      BIGINT NOT NULL,
  arrival  BIGINT NOT NULL,
  sess     UUID NOT NULL,
  id       TEXT COLLATE "C" NOT NULL,
  branch   TEXT COLLATE "C",             -- NULL: the main line
  hidden   BOOLEAN NOT NULL,
  extract  BOOLEAN NOT NULL,
  deleted  BOOLEAN NOT NULL DEFAULT FALSE,
  expires  BIGINT NOT NULL,              -- deleted: when it was
  time     BIGINT NOT NULL,
  arrived  BIGINT NOT NULL,
  items    BIGINT NOT NULL,              -- of the payload
  messages BIGINT NOT NULL,              -- of the payload, without blobs
  tokens   BIGINT NOT NULL,              -- estimated
  meta     TEXT,
  more     TEXT,
  payload  TEXT NOT NULL,
  PRIMARY KEY (mem, arrival)
) PARTITION BY HASH (mem);
CREATE UNIQUE INDEX events_id ON events(mem, id);
CREATE INDEX events_session ON events(mem, sess, id);
CREATE INDEX events_unread ON events(mem, sess, arrival) WHERE extract;
CREATE INDEX events_hidden ON events(mem, sess) WHERE hidden;
CREATE INDEX events_expires ON events(expires);

CREATE TABLE event_meta(
  mem   BIGINT NOT NULL,
  sess  UUID NOT NULL,
  key   TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C" NOT NULL,
  id    TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (mem, sess, key, value, id)
) PARTITION BY HASH (mem);
CREATE INDEX event_meta_id ON event_meta(mem, sess, id);

-- The greatest place of a millisecond whose events were removed: ids are never used again.
CREATE TABLE event_places(
  mem   BIGINT NOT NULL,
  time  BIGINT NOT NULL,
  place BIGINT NOT NULL,
  PRIMARY KEY (mem, time)
);

CREATE TABLE progress(
  mem      BIGINT NOT NULL,
  sess     UUID NOT NULL,
  strategy TEXT COLLATE "C" NOT NULL,
  arrival  BIGINT NOT NULL,
  PRIMARY KEY (mem, sess, strategy)
);

CREATE TABLE turns(
  mem    BIGINT NOT NULL,
  sess   UUID NOT NULL,
  run    TEXT COLLATE "C" NOT NULL,
  number BIGINT NOT NULL,
  digest TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (mem, sess, run, number, digest)
);

-- One strategy ('' for none) and one namespace in normal form.
CREATE TABLE groups(
  mem      BIGINT NOT NULL,
  grp      UUID NOT NULL,
  normal   TEXT COLLATE "C" NOT NULL,
  strategy TEXT COLLATE "C" NOT NULL,
  sequence BIGINT NOT NULL,              -- of the last change of a record in it
  PRIMARY KEY (mem, grp)
);
CREATE INDEX groups_name ON groups(mem, normal, strategy);

CREATE TABLE records(
  mem      BIGINT NOT NULL,
  key      BYTEA NOT NULL,               -- the id: 16 bytes of its UUID
  grp      UUID NOT NULL,
  state    SMALLINT NOT NULL,            -- codes: place in the closed list
  kind     SMALLINT NOT NULL,
  gone     BOOLEAN NOT NULL,             -- the content is erased
  parts    INTEGER NOT NULL,             -- passages
  version  INTEGER NOT NULL,
  sequence BIGINT NOT NULL,
  content  BIGINT NOT NULL,              -- the sequence at which anything but vectors last changed
  created  BIGINT NOT NULL,
  stated   BIGINT NOT NULL,              -- when the state last changed
  left_at  BIGINT,                       -- when it ceased to be active; NULL: it is, or never was
  expires  BIGINT,
  model    BIGINT,                       -- all passages have a vector of this model
  digest   BIGINT NOT NULL,              -- of the text without its white space
  strategy TEXT COLLATE "C" NOT NULL,    -- '' for none
  actor    TEXT COLLATE "C",
  session  TEXT COLLATE "C",
  subtype  BIGINT,                       -- a digest
  body     TEXT NOT NULL,                -- the noun as JSON
  PRIMARY KEY (mem, key)
) PARTITION BY HASH (mem);
CREATE UNIQUE INDEX records_sequence ON records(mem, sequence);
CREATE INDEX records_created ON records(mem, created DESC, key);
CREATE INDEX records_group ON records(mem, grp, created DESC, key);
CREATE INDEX records_digest ON records(mem, grp, digest) WHERE state = 0;
CREATE INDEX records_subtype ON records(mem, grp, subtype) WHERE state = 0 AND subtype IS NOT NULL;
CREATE INDEX records_actor ON records(mem, actor, session) WHERE actor IS NOT NULL;
CREATE INDEX records_expires ON records(expires) WHERE state = 0 AND expires IS NOT NULL;
CREATE INDEX records_ended ON records(mem, stated) WHERE state <> 0;
CREATE INDEX records_deleted ON records(mem, stated) WHERE state = 9 AND NOT gone;
CREATE INDEX records_lacking ON records(mem) WHERE model IS NULL AND state IN (0, 1, 4, 5, 7) AND parts > 0;
CREATE INDEX records_model ON records(mem, model, sequence) WHERE parts > 0;

-- Earlier versions, as JSON of the noun. `until`: when the next version was written.
CREATE TABLE record_versions(
  mem     BIGINT NOT NULL,
  key     BYTEA NOT NULL,
  version INTEGER NOT NULL,
  updated BIGINT NOT NULL,
  until   BIGINT NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (mem, key, version)
) PARTITION BY HASH (mem);
CREATE INDEX record_versions_until ON record_versions(mem, until);

-- Which records rest on an event; `event` is a digest of its id.
CREATE TABLE record_sources(
  mem     BIGINT NOT NULL,
  event   BIGINT NOT NULL,
  message BIGINT NOT NULL,
  key     BYTEA NOT NULL,
  PRIMARY KEY (mem, event, message, key)
) PARTITION BY HASH (mem);

-- Embedding models; `model` is a digest of the id.
CREATE TABLE models(
  model BIGINT NOT NULL PRIMARY KEY,
  id    TEXT COLLATE "C" NOT NULL
);

-- Of unit length; the values of one byte per dimension that indexes hold come back from it exactly.
CREATE TABLE vectors(
  mem    BIGINT NOT NULL,
  key    BYTEA NOT NULL,
  part   INTEGER NOT NULL,
  model  BIGINT NOT NULL,
  vector HALFVEC NOT NULL,
  PRIMARY KEY (mem, key, part)
) PARTITION BY HASH (mem);
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE PLAIN;

CREATE TABLE telemetry(
  mem     BIGINT NOT NULL,
  key     BYTEA NOT NULL,
  number  BIGINT NOT NULL,
  at      BIGINT NOT NULL,
  version BIGINT NOT NULL,
  source  SMALLINT,
  target  SMALLINT NOT NULL,
  reason  TEXT NOT NULL,
  by      TEXT NOT NULL,
  PRIMARY KEY (mem, key, number)
) PARTITION BY HASH (mem);
CREATE INDEX telemetry_at ON telemetry(at);

CREATE TABLE jobs(
  mem        BIGINT NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  memory     TEXT COLLATE "C" NOT NULL,  -- the id of the memory: a purge outlives it
  state      SMALLINT NOT NULL,
  kind       SMALLINT NOT NULL,
  unique_key TEXT COLLATE "C" NOT NULL,
  strategy   TEXT COLLATE "C",
  actor      TEXT COLLATE "C",
  session    TEXT COLLATE "C",
  due        BIGINT NOT NULL,
  host       TEXT COLLATE "C",
  lease      BIGINT,
  rerun      BOOLEAN NOT NULL DEFAULT FALSE,
  waits      BOOLEAN NOT NULL DEFAULT FALSE, -- pending, but for an answer from outside
  fallback   BOOLEAN NOT NULL DEFAULT FALSE,
  attempts   BIGINT NOT NULL DEFAULT 0,
  created    BIGINT NOT NULL,
  updated    BIGINT NOT NULL,
  failure    TEXT,
  messages   TEXT,
  win        TEXT,                       -- the window of the round under way, as JSON
  PRIMARY KEY (mem, id)
);
CREATE UNIQUE INDEX jobs_unique ON jobs(mem, unique_key) WHERE state < 2;
CREATE INDEX jobs_due ON jobs(due, id) WHERE state = 0 AND NOT waits;
CREATE INDEX jobs_lease ON jobs(lease) WHERE state = 1;
CREATE INDEX jobs_updated ON jobs(mem, updated DESC, id);
CREATE INDEX jobs_open ON jobs(mem, state) WHERE state < 3;
CREATE INDEX jobs_ended ON jobs(state, updated) WHERE state > 1;

CREATE TABLE exchanges(
  mem       BIGINT NOT NULL,
  id        TEXT COLLATE "C" NOT NULL,
  memory    TEXT COLLATE "C" NOT NULL,
  place     BIGINT NOT NULL,             -- the order in which they came
  job       TEXT COLLATE "C" NOT NULL,
  step      SMALLINT NOT NULL,
  state     SMALLINT NOT NULL,
  lease     BIGINT,
  leased_by TEXT,
  turn      BIGINT NOT NULL,
  attempts  BIGINT NOT NULL DEFAULT 0,
  created   BIGINT NOT NULL,
  digest    BYTEA NOT NULL,
  prompt    TEXT NOT NULL,
  model     TEXT,
  grammar   TEXT NOT NULL,
  reply     TEXT,
  system    TEXT NOT NULL,
  input     TEXT NOT NULL,
  PRIMARY KEY (mem, id)
);
CREATE UNIQUE INDEX exchanges_digest ON exchanges(mem, job, digest);
CREATE INDEX exchanges_open ON exchanges(created, id) WHERE state < 2;
CREATE INDEX exchanges_created ON exchanges(created);

CREATE TABLE access_keys(
  id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  token   TEXT COLLATE "C" NOT NULL UNIQUE,
  created BIGINT NOT NULL,
  revoked BIGINT,
  body    TEXT NOT NULL
);

CREATE TABLE deliveries(
  mem       BIGINT NOT NULL,
  direction SMALLINT NOT NULL,
  id        TEXT COLLATE "C" NOT NULL,
  memory    TEXT COLLATE "C" NOT NULL,
  place     BIGINT NOT NULL,             -- the order in which they came
  state     SMALLINT NOT NULL,
  due       BIGINT NOT NULL,
  attempts  BIGINT NOT NULL,
  created   BIGINT NOT NULL,
  target    TEXT COLLATE "C" NOT NULL,
  order_key TEXT COLLATE "C" NOT NULL,
  holder    TEXT COLLATE "C",
  lease     BIGINT,
  error     TEXT,
  body      TEXT NOT NULL,
  PRIMARY KEY (mem, direction, id)
);
CREATE INDEX deliveries_order ON deliveries(mem, direction, order_key, place) WHERE state = 0;
CREATE INDEX deliveries_target ON deliveries(direction, target, due, id) WHERE state = 0;
CREATE INDEX deliveries_page ON deliveries(mem, direction, place DESC);
CREATE INDEX deliveries_done ON deliveries(due) WHERE direction = 1 AND state = 1;
CREATE INDEX deliveries_dead ON deliveries(due) WHERE direction = 1 AND state = 2;
CREATE INDEX deliveries_failed ON deliveries(mem, direction, order_key) WHERE state = 2;

CREATE TABLE tokens(
  mem        BIGINT NOT NULL,            -- 0: the server
  digest     BYTEA NOT NULL,
  expires    BIGINT NOT NULL,
  parameters BYTEA NOT NULL,
  answer     TEXT NOT NULL,
  PRIMARY KEY (mem, digest)
) PARTITION BY HASH (mem);
CREATE INDEX tokens_expires ON tokens(expires);

-- What one of many servers does for all.
CREATE TABLE leases(
  name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  host  TEXT COLLATE "C" NOT NULL,
  until BIGINT NOT NULL
);

CREATE TABLE probes(
  server TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  seen   BIGINT NOT NULL
);
