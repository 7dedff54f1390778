-- The first schema. Every row belongs to a memory: by `mem`, or by what it hangs on (`sess`, `rec`, `grp`).
-- Ids are interned to integers inside this file only. Times are milliseconds since the epoch.
-- Columns that are filtered on come first, long ones last: SQLite does not read what lies behind.

CREATE TABLE memories(
  num      INTEGER PRIMARY KEY AUTOINCREMENT,
  id       TEXT NOT NULL UNIQUE,
  name     TEXT NOT NULL,
  created  INTEGER NOT NULL,
  sequence INTEGER NOT NULL DEFAULT 0,  -- of record changes
  arrival  INTEGER NOT NULL DEFAULT 0,  -- of the last event
  deleted  INTEGER,
  body     TEXT NOT NULL                -- the noun as JSON
);
CREATE UNIQUE INDEX memories_name ON memories(name) WHERE deleted IS NULL;
CREATE INDEX memories_created ON memories(created DESC, id DESC) WHERE deleted IS NULL;
CREATE INDEX memories_deleted ON memories(deleted) WHERE deleted IS NOT NULL;

CREATE TABLE sessions(
  num     INTEGER PRIMARY KEY,
  mem     INTEGER NOT NULL,
  actor   TEXT NOT NULL,
  session TEXT NOT NULL,
  created INTEGER,                      -- arrival of the first visible event; NULL: none yet
  ends    INTEGER NOT NULL DEFAULT 0    -- when its last visible event vanishes, or vanished
);
CREATE UNIQUE INDEX sessions_name ON sessions(mem, actor, session);
CREATE INDEX sessions_created ON sessions(mem, actor, created DESC, session);
CREATE INDEX sessions_ends ON sessions(ends);

CREATE TABLE branches(
  num  INTEGER PRIMARY KEY,
  sess INTEGER NOT NULL,
  name TEXT NOT NULL,
  root TEXT NOT NULL
);
CREATE UNIQUE INDEX branches_name ON branches(sess, name);

-- `num` is the memory's number shifted by 40 bits plus the arrival number: rows lie in order of arrival.
CREATE TABLE events(
  num     INTEGER PRIMARY KEY,
  mem     INTEGER NOT NULL,
  sess    INTEGER NOT NULL,
  id      TEXT NOT NULL,
  br      INTEGER,                      -- NULL: the main line
  hidden  INTEGER NOT NULL,
  extract INTEGER NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  expires INTEGER NOT NULL,             -- deleted: when it was
  time    INTEGER NOT NULL,
  arrived INTEGER NOT NULL,
  items   INTEGER NOT NULL,             -- of the payload
  meta    TEXT,
  more    TEXT,
  payload TEXT NOT NULL
);
CREATE UNIQUE INDEX events_id ON events(mem, id);
CREATE INDEX events_session ON events(sess, id);
CREATE INDEX events_unread ON events(sess) WHERE extract = 1;
CREATE INDEX events_hidden ON events(sess) WHERE hidden = 1;
CREATE INDEX events_expires ON events(expires);

CREATE TABLE event_meta(
  sess  INTEGER NOT NULL,
  key   TEXT NOT NULL,
  value TEXT NOT NULL,
  id    TEXT NOT NULL,
  PRIMARY KEY(sess, key, value, id)
) WITHOUT ROWID;

-- The greatest place of a millisecond whose events were removed: ids are never used again.
CREATE TABLE event_places(
  mem   INTEGER NOT NULL,
  time  INTEGER NOT NULL,
  place INTEGER NOT NULL,
  PRIMARY KEY(mem, time)
) WITHOUT ROWID;

CREATE TABLE progress(
  sess     INTEGER NOT NULL,
  strategy TEXT NOT NULL,
  arrival  INTEGER NOT NULL,
  PRIMARY KEY(sess, strategy)
) WITHOUT ROWID;

CREATE TABLE turns(
  sess   INTEGER NOT NULL,
  run    TEXT NOT NULL,
  number INTEGER NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY(sess, run, number, digest)
) WITHOUT ROWID;

-- One strategy ('' for none) and one namespace in normal form.
CREATE TABLE groups(
  num      INTEGER PRIMARY KEY AUTOINCREMENT,
  mem      INTEGER NOT NULL,
  normal   TEXT NOT NULL,
  strategy TEXT NOT NULL,
  sequence INTEGER NOT NULL DEFAULT 0   -- of the last change of a record in it
);
CREATE UNIQUE INDEX groups_name ON groups(mem, normal, strategy);

CREATE TABLE records(
  num        INTEGER PRIMARY KEY,
  mem        INTEGER NOT NULL,
  key        BLOB NOT NULL,             -- the id: 16 bytes of its UUID
  grp        INTEGER NOT NULL,
  state      INTEGER NOT NULL,          -- codes of states, kinds, origins, roles: place in their closed list
  kind       INTEGER NOT NULL,
  version    INTEGER NOT NULL,
  sequence   INTEGER NOT NULL,
  created    INTEGER NOT NULL,
  updated    INTEGER NOT NULL,
  stated     INTEGER NOT NULL,          -- when the state last changed
  left_at    INTEGER,                   -- when it ceased to be active; NULL: it is, or never was
  expires    INTEGER,
  valid_from INTEGER NOT NULL,
  valid_to   INTEGER,
  gone       INTEGER NOT NULL DEFAULT 0,-- the content is erased
  parts      INTEGER NOT NULL,          -- passages
  model      INTEGER,                   -- all passages have a vector of this model
  digest     INTEGER NOT NULL,          -- of the text without its white space
  actor      TEXT,
  session    TEXT,
  subtype    TEXT,
  spelled    TEXT,                      -- the namespace as written, where it differs from the normal form
  time       INTEGER NOT NULL,
  expiry     INTEGER,
  origin     INTEGER NOT NULL,
  trust      REAL NOT NULL,
  reason     TEXT,
  verbatim   INTEGER NOT NULL,
  role       INTEGER,
  more       TEXT,                      -- the rest, as JSON
  text       TEXT NOT NULL
);
CREATE UNIQUE INDEX records_key ON records(mem, key);
CREATE UNIQUE INDEX records_sequence ON records(mem, sequence);
CREATE INDEX records_created ON records(mem, created DESC, key);
CREATE INDEX records_group ON records(grp, created DESC, key);
CREATE INDEX records_digest ON records(grp, digest) WHERE state = 0;
CREATE INDEX records_subtype ON records(grp, subtype) WHERE state = 0 AND subtype IS NOT NULL;
CREATE INDEX records_actor ON records(mem, actor) WHERE actor IS NOT NULL;
CREATE INDEX records_expires ON records(expires) WHERE state = 0 AND expires IS NOT NULL;
CREATE INDEX records_ended ON records(mem, stated) WHERE state <> 0;
CREATE INDEX records_model ON records(mem, model, sequence, state, parts);

-- Earlier versions, as JSON of the noun. `until`: when the next version was written.
CREATE TABLE record_versions(
  rec     INTEGER NOT NULL,
  version INTEGER NOT NULL,
  mem     INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  until   INTEGER NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY(rec, version)
) WITHOUT ROWID;
CREATE INDEX record_versions_until ON record_versions(mem, until);

-- Which records rest on an event; `event` is a digest of its id.
CREATE TABLE record_sources(
  mem     INTEGER NOT NULL,
  event   INTEGER NOT NULL,
  message INTEGER NOT NULL,
  rec     INTEGER NOT NULL,
  PRIMARY KEY(mem, event, message, rec)
) WITHOUT ROWID;

CREATE TABLE models(
  num INTEGER PRIMARY KEY,
  id  TEXT NOT NULL UNIQUE
);

-- `num` is the record's number shifted by 20 bits plus the part.
CREATE TABLE vectors(
  num   INTEGER PRIMARY KEY,
  model INTEGER NOT NULL,
  scale REAL NOT NULL,
  bytes BLOB NOT NULL
);

CREATE TABLE telemetry(
  rec     INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  version INTEGER NOT NULL,
  source  INTEGER,
  target  INTEGER NOT NULL,
  reason  TEXT NOT NULL,
  by      TEXT NOT NULL,
  PRIMARY KEY(rec, number)
) WITHOUT ROWID;
CREATE INDEX telemetry_at ON telemetry(at);

CREATE TABLE jobs(
  num        INTEGER PRIMARY KEY,
  mem        INTEGER NOT NULL,
  id         TEXT NOT NULL,
  state      INTEGER NOT NULL,
  kind       INTEGER NOT NULL,
  unique_key TEXT NOT NULL,
  strategy   TEXT,
  actor      TEXT,
  session    TEXT,
  due        INTEGER NOT NULL,
  host       TEXT,
  lease      INTEGER,
  rerun      INTEGER NOT NULL DEFAULT 0,
  attempts   INTEGER NOT NULL DEFAULT 0,
  created    INTEGER NOT NULL,
  updated    INTEGER NOT NULL,
  failure    TEXT,
  messages   TEXT
);
CREATE UNIQUE INDEX jobs_id ON jobs(mem, id);
CREATE UNIQUE INDEX jobs_unique ON jobs(mem, unique_key) WHERE state < 2;
CREATE INDEX jobs_due ON jobs(due, id) WHERE state = 0;
CREATE INDEX jobs_lease ON jobs(lease) WHERE state = 1;
CREATE INDEX jobs_updated ON jobs(mem, updated DESC, id);
CREATE INDEX jobs_open ON jobs(mem, state) WHERE state < 3;
CREATE INDEX jobs_done ON jobs(updated) WHERE state = 3;

CREATE TABLE access_keys(
  id      TEXT PRIMARY KEY,
  token   TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL,
  revoked INTEGER,
  body    TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE deliveries(
  num       INTEGER PRIMARY KEY AUTOINCREMENT,
  mem       INTEGER NOT NULL,
  direction INTEGER NOT NULL,
  id        TEXT NOT NULL,
  state     INTEGER NOT NULL,
  due       INTEGER NOT NULL,
  attempts  INTEGER NOT NULL,
  created   INTEGER NOT NULL,
  target    TEXT NOT NULL,
  order_key TEXT NOT NULL,
  error     TEXT,
  body      TEXT NOT NULL
);
CREATE UNIQUE INDEX deliveries_id ON deliveries(mem, direction, id);
CREATE INDEX deliveries_due ON deliveries(direction, due, id) WHERE state = 0;
CREATE INDEX deliveries_order ON deliveries(mem, direction, order_key, num) WHERE state = 0;

CREATE TABLE tokens(
  mem        INTEGER NOT NULL,          -- 0: the server
  digest     BLOB NOT NULL,
  expires    INTEGER NOT NULL,
  parameters BLOB NOT NULL,
  answer     TEXT NOT NULL,
  PRIMARY KEY(mem, digest)
) WITHOUT ROWID;
CREATE INDEX tokens_expires ON tokens(expires);

CREATE TABLE probes(
  num  INTEGER PRIMARY KEY,
  seen INTEGER NOT NULL
);
