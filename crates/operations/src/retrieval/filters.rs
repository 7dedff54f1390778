//! Filters of a search: services, environments, a session, a time. Pure.

use loci_model::record::Record;
use loci_model::services::knowledge::SreType;
use loci_model::{SessionId, Timestamp};
use serde_json::Value;

use crate::investigations::{is_hidden, is_session_summary};
use crate::records::record_content;

/// The conditions on a record.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Filters {
    pub(super) kind: SreType,
    pub(super) session: Option<SessionId>,
    pub(super) services: Vec<String>,
    pub(super) environments: Vec<String>,
    /// The time range: inclusive start, exclusive end.
    pub(super) time: (Option<Timestamp>, Option<Timestamp>),
    /// True for a start: services and environments exclude nothing, and session summaries are
    /// excluded.
    pub(super) boost: bool,
    /// The reader. Records private to other users are excluded. `None` for an administrator, who
    /// can read all.
    pub(super) reader: Option<String>,
}

impl Filters {
    /// True if a record may be excluded.
    pub(super) fn are_any(&self) -> bool {
        let by_place = !self.services.is_empty() || !self.environments.is_empty();
        self.session.is_some() || self.time != (None, None) || (by_place && !self.boost)
    }

    /// True if the record matches. A record that cannot be parsed is admitted, and reported later.
    pub(super) fn admit(&self, record: &Record) -> bool {
        if self.reader.as_deref().is_some_and(|reader| is_hidden(record, reader)) {
            return false;
        }
        // A start shows investigations; session summaries are available to later searches.
        if self.boost && is_session_summary(record) {
            return false;
        }
        if self.session.is_some() && record.provenance.session != self.session {
            return false;
        }
        if self.time == (None, None)
            && (self.boost || (self.services.is_empty() && self.environments.is_empty()))
        {
            return true;
        }
        let Ok(content) = record_content::content(&record.text) else { return true };
        let in_place = self.boost || (self.is_of_service(&content) && self.is_of_environment(&content));
        in_place && self.is_of_time(record, &content)
    }

    /// True if it is about one of the services, or no service is requested.
    pub(super) fn is_of_service(&self, content: &Value) -> bool {
        let is_wanted = |name: &str| self.services.iter().any(|one| one.eq_ignore_ascii_case(name));
        let several = content.get("services").and_then(Value::as_array);
        self.services.is_empty()
            || content.get("service_name").and_then(Value::as_str).is_some_and(is_wanted)
            || several.is_some_and(|all| all.iter().filter_map(Value::as_str).any(is_wanted))
    }

    /// True if it is valid in one of the environments, or none is requested. An investigation
    /// without an environment matches any.
    pub(super) fn is_of_environment(&self, content: &Value) -> bool {
        let named = content.get("environment").or_else(|| content.pointer("/alert/labels/environment"));
        match named.and_then(Value::as_str) {
            None => self.environments.is_empty() || self.kind == SreType::Investigations,
            Some(name) => {
                self.environments.is_empty()
                    || self.environments.iter().any(|one| one.eq_ignore_ascii_case(name))
            }
        }
    }

    /// Checks the time of the fact. An investigation has a start and an end.
    fn is_of_time(&self, record: &Record, content: &Value) -> bool {
        let (begun, ended) = match self.kind {
            SreType::Investigations => stretch(record, content),
            SreType::Infrastructure | SreType::Preferences => (record.timestamp, record.timestamp),
        };
        let (from, to) = self.time;
        from.is_none_or(|from| ended >= from) && to.is_none_or(|to| begun < to)
    }
}

/// Returns the start of an investigation, and its completion or its last event.
fn stretch(record: &Record, content: &Value) -> (Timestamp, Timestamp) {
    let time =
        |value: Option<&Value>| value.and_then(Value::as_str).and_then(|text| Timestamp::parse(text).ok());
    let entries = content.get("timeline").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let times: Vec<Timestamp> = entries.iter().filter_map(|entry| time(entry.get("time"))).collect();
    let begun = time(content.get("started_at"));
    let begun = begun.unwrap_or_else(|| times.iter().copied().fold(record.timestamp, Timestamp::min));
    let ended = time(content.get("completed_at")).or_else(|| time(content.get("resolved_at")));
    let ended = ended.unwrap_or_else(|| times.iter().copied().fold(record.timestamp, Timestamp::max));
    (begun, ended.max(begun))
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::MemoryId;
    use loci_testkit_ports::samples;
    use serde_json::json;

    fn filters(kind: SreType) -> Filters {
        Filters {
            kind,
            session: None,
            services: Vec::new(),
            environments: Vec::new(),
            time: (None, None),
            boost: false,
            reader: None,
        }
    }

    fn record(content: &Value) -> Record {
        let memory = MemoryId::parse("sre-0123456789").unwrap();
        let mut record = samples::record(&memory, 1, &content.to_string()).unwrap();
        record.timestamp = at("2026-11-21T12:00:00Z");
        record
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn services_and_environments() {
        let check = |kind, services: &[&str], environments: &[&str], content: Value, expect: bool| {
            let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
            let filters =
                Filters { services: owned(services), environments: owned(environments), ..filters(kind) };
            assert_eq!(filters.admit(&record(&content)), expect, "{services:?} {environments:?} {content}");
            assert!(Filters { boost: true, ..filters }.admit(&record(&content)));
        };
        use SreType::{Infrastructure, Investigations};
        let fact = || json!({"service_name": "api-server", "environment": "prod"});
        check(Infrastructure, &[], &[], fact(), true);
        check(Infrastructure, &["db", "API-server"], &["prod"], fact(), true);
        check(Infrastructure, &["api"], &[], fact(), false);
        check(Infrastructure, &[], &["staging"], fact(), false);
        check(Infrastructure, &[], &["prod"], json!({"service_name": "x", "environment": "unknown"}), false);
        check(Infrastructure, &[], &["prod"], json!({"text": "x"}), false);
        check(Investigations, &["db"], &["prod"], json!({"services": ["api", "db"]}), true);
        check(Investigations, &["web"], &[], json!({"services": ["api", "db"]}), false);
        let alert = json!({"alert": {"labels": {"environment": "staging"}}});
        check(Investigations, &[], &["prod"], alert, false);
    }

    #[test]
    fn times() {
        let check = |kind, from: &str, to: &str, content: Value, expect: bool| {
            let time = |text: &str| (!text.is_empty()).then(|| at(text));
            let filters = Filters { time: (time(from), time(to)), ..filters(kind) };
            assert_eq!(filters.admit(&record(&content)), expect, "{from} {to} {content}");
        };
        use SreType::{Infrastructure, Investigations};
        let fact = || json!({"a": 1});
        check(Infrastructure, "2026-11-21", "2026-11-22", fact(), true);
        check(Infrastructure, "2026-11-21T12:00:00Z", "", fact(), true);
        check(Infrastructure, "", "2026-11-21T12:00:00Z", fact(), false);
        check(Infrastructure, "2026-11-22", "", fact(), false);
        // From the 18th to the 20th, although it was saved on the 21st.
        let over = || json!({"started_at": "2026-11-18T10:00:00Z", "completed_at": "2026-11-20T10:00:00Z"});
        check(Investigations, "2026-11-19", "2026-11-20", over(), true);
        check(Investigations, "2026-11-21", "", over(), false);
        check(Investigations, "", "2026-11-18", over(), false);
        // It is open: it extends to its last event.
        let open = || json!({"started_at": "2026-11-18T10:00:00Z", "timeline": [{"time": "2026-11-23T10:00:00Z"}, {"time": null}]});
        check(Investigations, "2026-11-23", "", open(), true);
        check(Investigations, "2026-11-24", "", open(), false);
    }
}
