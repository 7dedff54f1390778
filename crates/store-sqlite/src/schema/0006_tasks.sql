-- Tasks of coding agents.

CREATE TABLE tasks(
  num            INTEGER PRIMARY KEY,
  mem            INTEGER NOT NULL,
  id             TEXT NOT NULL,
  actor          TEXT NOT NULL,
  person         TEXT,                  -- who asked, by name
  status         INTEGER NOT NULL,      -- place in its closed list
  issue          INTEGER,
  pr             INTEGER,
  branch         TEXT,
  prompt_version TEXT,
  variant        TEXT,
  created        INTEGER NOT NULL,
  said           TEXT NOT NULL,         -- what is to be done, in small letters
  body           TEXT NOT NULL          -- the noun as JSON
);
CREATE UNIQUE INDEX tasks_id ON tasks(mem, id);
CREATE INDEX tasks_created ON tasks(mem, created DESC, id);
CREATE INDEX tasks_actor ON tasks(mem, actor, created DESC, id);
