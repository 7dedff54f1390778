-- What the pipeline with a model needs: how much an event brings to read, jobs that wait for an answer from outside,
-- exchanges with models, and deliveries by page.

ALTER TABLE events ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;  -- of the payload, without blobs; 0 in older rows
ALTER TABLE events ADD COLUMN tokens   INTEGER NOT NULL DEFAULT 0;  -- estimated
-- The new columns lie behind the payload: their sums come from the index, which every event has already.
DROP INDEX events_unread;
CREATE INDEX events_unread ON events(sess, num, deleted, expires, messages, tokens) WHERE extract = 1;

ALTER TABLE jobs ADD COLUMN waits    INTEGER NOT NULL DEFAULT 0;    -- pending, but for an answer from outside
ALTER TABLE jobs ADD COLUMN fallback INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN win      TEXT;                          -- the window of the round under way, as JSON
CREATE INDEX jobs_failed ON jobs(updated) WHERE state = 2;

CREATE TABLE exchanges(
  num       INTEGER PRIMARY KEY AUTOINCREMENT,
  mem       INTEGER NOT NULL,
  job       TEXT NOT NULL,
  id        TEXT NOT NULL,
  step      INTEGER NOT NULL,
  state     INTEGER NOT NULL,
  lease     INTEGER,
  leased_by TEXT,
  turn      INTEGER NOT NULL,
  attempts  INTEGER NOT NULL DEFAULT 0,
  created   INTEGER NOT NULL,
  digest    BLOB NOT NULL,
  prompt    TEXT NOT NULL,
  model     TEXT,
  grammar   TEXT NOT NULL,
  reply     TEXT,
  system    TEXT NOT NULL,
  input     TEXT NOT NULL
);
CREATE UNIQUE INDEX exchanges_id ON exchanges(mem, id);
CREATE UNIQUE INDEX exchanges_digest ON exchanges(mem, job, digest);
CREATE INDEX exchanges_open ON exchanges(created, id) WHERE state < 2;
CREATE INDEX exchanges_created ON exchanges(created);

DROP INDEX deliveries_due;
CREATE INDEX deliveries_target ON deliveries(direction, target, due, id) WHERE state = 0;
CREATE INDEX deliveries_page ON deliveries(mem, direction, num DESC);
CREATE INDEX deliveries_done ON deliveries(due) WHERE direction = 1 AND state = 1;
CREATE INDEX deliveries_dead ON deliveries(due) WHERE direction = 1 AND state = 2;
CREATE INDEX deliveries_failed ON deliveries(mem, direction, order_key) WHERE state = 2;
