-- Memories too great for a server to hold their index: what they are searched by lies here. All of it follows from records
-- and is caught up by the memory's sequence, as indexes in memory are: servers that know nothing of it may go on writing.

-- One row for each such memory. Locked by whoever catches up.
CREATE TABLE great(
  mem        BIGINT NOT NULL,
  sequence   BIGINT NOT NULL,            -- of the last change that the rest stands at
  analysis   INTEGER NOT NULL,           -- the version of what cut texts into terms
  passages   BIGINT NOT NULL,
  turns      BIGINT NOT NULL,            -- passages of active records
  -- As they were when they were last measured: sums over active turns.
  measured   BIGINT NOT NULL,            -- turns
  sessions   BIGINT NOT NULL,
  terms      BIGINT NOT NULL,
  pairs      BIGINT NOT NULL,
  windows    BIGINT NOT NULL,
  paths      BIGINT NOT NULL,
  path_terms BIGINT NOT NULL,
  PRIMARY KEY (mem)
);

CREATE TABLE passages(
  mem        BIGINT NOT NULL,
  key        BYTEA NOT NULL,
  part       INTEGER NOT NULL,
  content    BIGINT NOT NULL,            -- of the record, when this was read from it
  grp        UUID NOT NULL,
  chain      UUID,                       -- the conversation it is a turn of; NULL: it stands alone
  place      BIGINT NOT NULL,            -- its time: the order of a conversation, but for turns of one millisecond
  state      SMALLINT NOT NULL,
  kind       SMALLINT NOT NULL,
  expires    BIGINT,
  actor      BIGINT,                     -- digests
  session    BIGINT,
  path       BIGINT,
  name       TEXT COLLATE "C",           -- what it starts with like a speaker's name
  path_terms INTEGER NOT NULL,           -- how many terms are the path's
  name_terms INTEGER NOT NULL,           -- how many after those are the name's
  terms      INTEGER NOT NULL,           -- how many there are in all
  -- Digests of memory and term: all terms in order, those of the name as complements, then those of metadata.
  words      BIGINT[] NOT NULL,
  created    BIGINT NOT NULL,            -- when its record was first written
  updated    BIGINT NOT NULL,
  held_from  BIGINT,                     -- held for true from here on; NULL: it never was
  held_until BIGINT,
  -- Numbers of metadata, in whole numbers of the same order, and times, by digests of their keys.
  number_keys BIGINT[],
  numbers     BIGINT[],
  PRIMARY KEY (mem, key, part)
) PARTITION BY HASH (mem);
CREATE INDEX passages_words ON passages USING gin (words) WITH (fastupdate = off);
CREATE INDEX passages_group ON passages(mem, grp, state);
CREATE INDEX passages_chain ON passages(mem, chain, place, key, part) INCLUDE (terms, name_terms)
  WHERE chain IS NOT NULL AND state = 0;
CREATE INDEX passages_actor ON passages(mem, actor, session) WHERE actor IS NOT NULL;
CREATE INDEX passages_name ON passages(mem, name) WHERE name IS NOT NULL AND chain IS NOT NULL AND state = 0;
CREATE INDEX passages_expires ON passages(mem, expires) WHERE expires IS NOT NULL AND state = 0;

-- In how many active turns a term is; in names in front of them, under its complement.
CREATE TABLE term_counts(
  mem   BIGINT NOT NULL,
  word  BIGINT NOT NULL,
  turns BIGINT NOT NULL,
  PRIMARY KEY (mem, word)
) PARTITION BY HASH (mem);

-- How many active turns of talk start with a name.
CREATE TABLE name_counts(
  mem   BIGINT NOT NULL,
  name  TEXT COLLATE "C" NOT NULL,
  turns BIGINT NOT NULL,
  PRIMARY KEY (mem, name)
);
