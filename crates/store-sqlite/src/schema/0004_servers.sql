-- Leases of deliveries and of chores, and when a memory is to be looked at by a sweep.

-- Beside the deliveries: a row there may hold megabytes, and is not written anew for a lease.
CREATE TABLE delivery_leases(
  num   INTEGER PRIMARY KEY,            -- of the delivery
  host  TEXT NOT NULL,
  until INTEGER NOT NULL
);
CREATE TRIGGER deliveries_gone AFTER DELETE ON deliveries BEGIN
  DELETE FROM delivery_leases WHERE num = OLD.num;
END;

CREATE TABLE leases(
  name  TEXT PRIMARY KEY,
  host  TEXT NOT NULL,
  until INTEGER NOT NULL
) WITHOUT ROWID;

-- No later than the first deleted content is to be erased, or the first history to be removed; NULL: there is none.
ALTER TABLE memories ADD COLUMN erase_due   INTEGER;
ALTER TABLE memories ADD COLUMN history_due INTEGER;
UPDATE memories SET
  erase_due = (SELECT min(stated) FROM records WHERE mem = memories.num AND state <> 0 AND state = 9 AND gone = 0),
  history_due = 0
WHERE deleted IS NULL;
CREATE INDEX memories_erase ON memories(erase_due) WHERE erase_due IS NOT NULL AND deleted IS NULL;
CREATE INDEX memories_history ON memories(history_due) WHERE history_due IS NOT NULL AND deleted IS NULL;

-- Deleted, not erased yet: state 9.
CREATE INDEX records_deleted ON records(mem, stated) WHERE state = 9 AND gone = 0;
