-- Sessions of tasks, and what was said in them.

CREATE TABLE task_sessions(
  num   INTEGER PRIMARY KEY,
  mem   INTEGER NOT NULL,
  task  TEXT NOT NULL,
  actor TEXT NOT NULL,
  said  TEXT NOT NULL,           -- what was told at the end, in small letters
  body  TEXT NOT NULL            -- the noun as JSON
);
CREATE UNIQUE INDEX task_sessions_task ON task_sessions(mem, task);
CREATE INDEX task_sessions_actor ON task_sessions(mem, actor);

CREATE TABLE session_items(
  num     INTEGER PRIMARY KEY,
  mem     INTEGER NOT NULL,
  task    TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  actor   TEXT NOT NULL,
  kind    INTEGER NOT NULL,      -- place in its closed list
  tool    INTEGER NOT NULL,      -- 1 where one was used
  expires INTEGER NOT NULL,
  said    TEXT NOT NULL,         -- what is kept of what was said, in small letters
  body    TEXT NOT NULL          -- the noun as JSON
);
CREATE UNIQUE INDEX session_items_seq ON session_items(mem, task, seq);
CREATE INDEX session_items_actor ON session_items(mem, actor);
CREATE INDEX session_items_expires ON session_items(expires);
CREATE INDEX commits_everywhere ON commits(mem, sha, actor);
