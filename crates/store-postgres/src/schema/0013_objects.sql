-- What agents park outside of their context: bytes until they expire.

CREATE TABLE objects(
  mem     BIGINT NOT NULL,
  key     TEXT COLLATE "C" NOT NULL,
  expires BIGINT NOT NULL,
  body    TEXT NOT NULL,               -- what is known of it, as JSON
  content BYTEA NOT NULL,
  PRIMARY KEY (mem, key)
);
CREATE INDEX objects_expires ON objects(expires);
