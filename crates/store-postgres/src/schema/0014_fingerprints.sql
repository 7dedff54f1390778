-- Investigations of one alert are found without a walk through the others. By pattern, not as JSON: a text may have what jsonb refuses,
-- and quotes inside a text are escaped, so that nothing that was said looks like this.
CREATE INDEX records_fingerprint
  ON records(mem, (substring(body from '"fingerprint":[{]"string":"([^"\\]*)"')), created DESC, key)
  WHERE kind <> 0 AND substring(body from '"fingerprint":[{]"string":"([^"\\]*)"') IS NOT NULL;
