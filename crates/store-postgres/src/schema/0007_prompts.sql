-- Versions of the prompts that agents are given.

CREATE TABLE prompts(
  mem      BIGINT NOT NULL,
  version  TEXT COLLATE "C" NOT NULL,
  template TEXT COLLATE "C" NOT NULL,
  since    BIGINT NOT NULL,        -- when it last became its template's current version
  body     TEXT NOT NULL,          -- the noun as JSON
  PRIMARY KEY (mem, version)
);
CREATE INDEX prompts_since ON prompts(mem, since DESC, version);
CREATE INDEX prompts_template ON prompts(mem, template, since DESC, version);
