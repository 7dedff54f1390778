-- Commits that were reported for tasks of coding agents.

CREATE TABLE commits(
  num      INTEGER PRIMARY KEY,
  mem      INTEGER NOT NULL,
  actor    TEXT NOT NULL,
  sha      TEXT NOT NULL,          -- small hex digits
  task     TEXT,
  patch    TEXT,                   -- the stable id of what it changes
  reported INTEGER NOT NULL,
  body     TEXT NOT NULL           -- the noun as JSON
);
CREATE UNIQUE INDEX commits_sha ON commits(mem, actor, sha);
CREATE INDEX commits_task ON commits(mem, task, reported, sha) WHERE task IS NOT NULL;
CREATE INDEX commits_patch ON commits(mem, actor, patch, reported, sha) WHERE patch IS NOT NULL;
