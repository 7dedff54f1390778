-- Reports of harm by the memory they are about, made of tasks; and what was said in a session by its kind.

CREATE TABLE task_harms(
  mem    BIGINT NOT NULL,
  record TEXT COLLATE "C" NOT NULL,
  actor  TEXT COLLATE "C" NOT NULL,
  task   TEXT COLLATE "C" NOT NULL,
  at     BIGINT NOT NULL,              -- when it was said first; 0 where that was not written down
  PRIMARY KEY (mem, record, actor, task)
);
CREATE INDEX task_harms_actor ON task_harms(mem, actor);

INSERT INTO task_harms(mem, record, actor, task, at)
SELECT t.mem, said.key, t.actor, t.id, 0 FROM tasks t, json_each(t.body::json #> '{feedback,harmful}') said;

CREATE INDEX session_items_kind ON session_items(mem, task, kind, seq);
