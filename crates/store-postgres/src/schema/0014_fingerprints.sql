-- Investigations of one alert are found without a walk through the others. By pattern, not as JSON: a text may have what jsonb refuses,
-- and quotes inside a text are escaped, so that nothing that was said looks like this. What is longer than an entry of an index may be is left out.
CREATE INDEX records_fingerprint
  ON records(mem, (substring(body from '"fingerprint":[{]"string":"([^"\\]{0,200})"')), created DESC, key)
  WHERE kind <> 0 AND substring(body from '"fingerprint":[{]"string":"([^"\\]{0,200})"') IS NOT NULL;
