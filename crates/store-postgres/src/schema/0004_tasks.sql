-- Tasks of coding agents.

CREATE TABLE tasks(
  mem            BIGINT NOT NULL,
  id             TEXT COLLATE "C" NOT NULL,
  actor          TEXT COLLATE "C" NOT NULL,
  person         TEXT COLLATE "C",       -- who asked, by name
  status         SMALLINT NOT NULL,      -- place in its closed list
  issue          BIGINT,
  pr             BIGINT,
  branch         TEXT COLLATE "C",
  prompt_version TEXT COLLATE "C",
  variant        TEXT COLLATE "C",
  created        BIGINT NOT NULL,
  said           TEXT COLLATE "C" NOT NULL, -- what is to be done, in small letters
  body           TEXT NOT NULL,          -- the noun as JSON
  PRIMARY KEY (mem, id)
);
CREATE INDEX tasks_created ON tasks(mem, created DESC, id);
CREATE INDEX tasks_actor ON tasks(mem, actor, created DESC, id);
