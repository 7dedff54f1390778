-- Versions of the prompts that agents are given.

CREATE TABLE prompts(
  num      INTEGER PRIMARY KEY,
  mem      INTEGER NOT NULL,
  version  TEXT NOT NULL,
  template TEXT NOT NULL,
  since    INTEGER NOT NULL,       -- when it last became its template's current version
  body     TEXT NOT NULL           -- the noun as JSON
);
CREATE UNIQUE INDEX prompts_version ON prompts(mem, version);
CREATE INDEX prompts_since ON prompts(mem, since DESC, version);
CREATE INDEX prompts_template ON prompts(mem, template, since DESC, version);
