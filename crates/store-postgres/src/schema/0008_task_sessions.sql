-- Sessions of tasks, and what was said in them.

CREATE TABLE task_sessions(
  mem   BIGINT NOT NULL,
  task  TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  said  TEXT NOT NULL,                 -- what was told at the end, in small letters
  body  TEXT NOT NULL,                 -- the noun as JSON
  PRIMARY KEY (mem, task)
);
CREATE INDEX task_sessions_actor ON task_sessions(mem, actor);

CREATE TABLE session_items(
  mem     BIGINT NOT NULL,
  task    TEXT COLLATE "C" NOT NULL,
  seq     BIGINT NOT NULL,
  actor   TEXT COLLATE "C" NOT NULL,
  kind    SMALLINT NOT NULL,           -- place in its closed list
  tool    SMALLINT NOT NULL,           -- 1 where one was used
  expires BIGINT NOT NULL,
  said    TEXT NOT NULL,               -- what is kept of what was said, in small letters
  body    TEXT NOT NULL,               -- the noun as JSON
  PRIMARY KEY (mem, task, seq)
);
CREATE INDEX session_items_actor ON session_items(mem, actor);
CREATE INDEX session_items_expires ON session_items(expires);
CREATE INDEX commits_everywhere ON commits(mem, sha, actor);
