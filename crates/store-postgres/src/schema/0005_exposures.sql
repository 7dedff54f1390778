-- What coding agents were shown.

CREATE TABLE exposures(
  mem     BIGINT NOT NULL,
  id      TEXT COLLATE "C" NOT NULL, -- sorts by time
  task    TEXT COLLATE "C" NOT NULL,
  actor   TEXT COLLATE "C" NOT NULL,
  body    TEXT NOT NULL,             -- the noun as JSON
  PRIMARY KEY (mem, id)
);
CREATE INDEX exposures_task ON exposures(mem, task, id);
CREATE INDEX exposures_actor ON exposures(mem, actor);
