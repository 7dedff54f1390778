-- What agents park outside of their context: bytes until they expire.

CREATE TABLE objects(
  num     INTEGER PRIMARY KEY,
  mem     INTEGER NOT NULL,
  key     TEXT NOT NULL,
  expires INTEGER NOT NULL,
  body    TEXT NOT NULL,           -- what is known of it, as JSON
  content BLOB NOT NULL
);
CREATE UNIQUE INDEX objects_key ON objects(mem, key);
CREATE INDEX objects_expires ON objects(expires);
