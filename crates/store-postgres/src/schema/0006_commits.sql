-- Commits that were reported for tasks of coding agents.

CREATE TABLE commits(
  mem      BIGINT NOT NULL,
  actor    TEXT COLLATE "C" NOT NULL,
  sha      TEXT COLLATE "C" NOT NULL,  -- small hex digits
  task     TEXT COLLATE "C",
  patch    TEXT COLLATE "C",           -- the stable id of what it changes
  reported BIGINT NOT NULL,
  body     TEXT NOT NULL,              -- the noun as JSON
  PRIMARY KEY (mem, actor, sha)
);
CREATE INDEX commits_task ON commits(mem, task, reported, sha) WHERE task IS NOT NULL;
CREATE INDEX commits_patch ON commits(mem, actor, patch, reported, sha) WHERE patch IS NOT NULL;
