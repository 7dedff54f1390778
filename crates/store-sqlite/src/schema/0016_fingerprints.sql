-- Investigations of one alert are found without a walk through the others. `m` is a record's metadata.
CREATE INDEX records_fingerprint ON records(mem, more ->> '$.m.fingerprint.string', created DESC, key)
  WHERE kind <> 0 AND more ->> '$.m.fingerprint.string' IS NOT NULL;
