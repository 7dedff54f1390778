-- Kinds of jobs are words: the older ones have codes in `kind`, the others are here, with -1 there.
ALTER TABLE jobs ADD COLUMN kind_word TEXT;
