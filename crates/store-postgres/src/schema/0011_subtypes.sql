-- Records of one subtype are found in a memory without a walk through the others: self-feedback, for the themes of a hydration.
CREATE INDEX records_memory_subtype ON records(mem, subtype, created DESC, key) WHERE subtype IS NOT NULL;
