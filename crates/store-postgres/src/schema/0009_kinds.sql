-- One kind that is not facts is found without a walk through the facts beside it: reflections, preferences, rules.
CREATE INDEX records_kind ON records(mem, kind, created DESC, key) WHERE kind <> 0;
