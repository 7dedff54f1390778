-- What coding agents were shown.

CREATE TABLE exposures(
  num     INTEGER PRIMARY KEY,
  mem     INTEGER NOT NULL,
  id      TEXT NOT NULL,           -- sorts by time
  task    TEXT NOT NULL,
  actor   TEXT NOT NULL,
  body    TEXT NOT NULL            -- the noun as JSON
);
CREATE UNIQUE INDEX exposures_id ON exposures(mem, id);
CREATE INDEX exposures_task ON exposures(mem, task, id);
CREATE INDEX exposures_actor ON exposures(mem, actor);
