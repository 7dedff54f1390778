-- What snapshots of indexes are bound to: this database, and what has been erased from each memory so far.

CREATE TABLE identity(
  num   INTEGER PRIMARY KEY CHECK (num = 1),
  store TEXT NOT NULL                   -- random; another one after a restore
);
INSERT INTO identity(num, store) VALUES (1, lower(hex(randomblob(16))));

ALTER TABLE memories ADD COLUMN erasures INTEGER NOT NULL DEFAULT 0;
