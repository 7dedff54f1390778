//! An investigation as a caller sends it. Pure. Its status is the one that the caller states, and
//! never derived from a text. Times in its timeline are those of the events, never the time of
//! saving.

use jiff::ToSpan;
use jiff::tz::TimeZone;
use loci_model::limits::{
    SRE_ITEMS_MAX as ITEMS_MAX, SRE_KNOWLEDGE_BYTES_MAX as ALERT_BYTES_MAX,
    SRE_NAME_CHARS_MAX as NAME_CHARS_MAX, SRE_TEXT_CHARS_MAX as TEXT_CHARS_MAX,
};
use loci_model::services::knowledge::{FindingCategory, ResolutionStatus, SreSource};
use loci_model::{Result, Timestamp};
use serde_json::{Map, Value, json};

use crate::input::members::Members;
use crate::times::time_zone;

const KNOWN: &str = "incident_id, query, timeline, actions_taken, resolution_status, key_findings, root_cause, services, fingerprint, \
                     alert, tz, started_at, completed_at, resolved_at, used_record_ids, harmful_record_ids, context, timestamp";

/// An investigation to save.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Investigation {
    /// The incident. `None`: the server generates one.
    pub(crate) incident: Option<String>,
    /// The status. `None` if the caller states none.
    pub(super) status: Option<ResolutionStatus>,
    /// The status according to a notice of another system. It applies if the caller states none.
    pub(super) noticed: Option<ResolutionStatus>,
    pub(super) services: Vec<String>,
    pub(super) fingerprint: Option<String>,
    pub(super) observed_at: Timestamp,
    /// All stored members.
    members: Map<String, Value>,
}

impl Investigation {
    /// Parses an investigation. Times of day are in its own `tz`, or else in `zone`.
    ///
    /// # Errors
    /// `Invalid`, naming the member.
    pub(crate) fn read(data: Value, zone: &TimeZone, now: Timestamp) -> Result<Self> {
        let mut members = Members::of(data, "data")?;
        let incident = members.text("incident_id", NAME_CHARS_MAX)?;
        let words: Vec<_> = ResolutionStatus::ALL.iter().map(|status| status.as_str()).collect();
        let status = members.word("resolution_status", ResolutionStatus::parse, &words)?;
        let said_at = members.past("timestamp", now)?;
        let started_at = members.time("started_at")?;
        let observed_at = said_at.unwrap_or(now);
        let mut kept = Map::new();
        kept.insert("query".to_owned(), json!(members.required("query", TEXT_CHARS_MAX)?));
        let from = started_at.or(said_at).unwrap_or(now);
        let tz = members.text("tz", NAME_CHARS_MAX)?;
        let own = tz.as_deref().map(|name| time_zone::zone(name, "data.tz")).transpose()?;
        kept.extend(tz.map(|name| ("tz".to_owned(), json!(name))));
        kept.insert("timeline".to_owned(), timeline(&mut members, from, own.as_ref().unwrap_or(zone))?);
        kept.insert("actions_taken".to_owned(), actions(&mut members)?);
        kept.insert("key_findings".to_owned(), findings(&mut members)?);
        let services = texts(&mut members, "services")?;
        let fingerprint = members.text("fingerprint", NAME_CHARS_MAX)?;
        for name in ["root_cause", "context"] {
            kept.extend(members.text(name, TEXT_CHARS_MAX)?.map(|text| (name.to_owned(), json!(text))));
        }
        for name in ["used_record_ids", "harmful_record_ids"] {
            let ids = texts(&mut members, name)?;
            if !ids.is_empty() {
                kept.insert(name.to_owned(), json!(ids));
            }
        }
        if let Some(alert) = members.object("alert", ALERT_BYTES_MAX)? {
            kept.insert("alert".to_owned(), Value::Object(alert));
        }
        let mut times = vec![("started_at", started_at)];
        for name in ["completed_at", "resolved_at"] {
            times.push((name, members.time(name)?));
        }
        for (name, time) in times {
            kept.extend(time.map(|time| (name.to_owned(), json!(time.to_rfc3339()))));
        }
        kept.extend(fingerprint.iter().map(|text| ("fingerprint".to_owned(), json!(text))));
        if !services.is_empty() {
            kept.insert("services".to_owned(), json!(services));
        }
        members.finish(KNOWN)?;
        Ok(Self { incident, status, noticed: None, services, fingerprint, observed_at, members: kept })
    }

    /// Returns the status in effect.
    pub(super) fn reached(&self) -> ResolutionStatus {
        self.status.or(self.noticed).unwrap_or_default()
    }

    /// Returns the stored content, with its incident.
    pub(super) fn stored(&self, user: &str, incident: &str) -> Value {
        let mut members = self.said(incident);
        members.insert("user_id".to_owned(), json!(user));
        members.insert("timestamp".to_owned(), json!(self.observed_at.to_rfc3339()));
        Value::Object(members)
    }

    /// Returns the content that identifies a repetition, without the time of saving.
    pub(super) fn said(&self, incident: &str) -> Map<String, Value> {
        let mut members = self.members.clone();
        let source = match (self.status, self.noticed) {
            (Some(_), _) => "caller",
            (None, Some(_)) => SreSource::Webhook.as_str(),
            (None, None) => "default",
        };
        members.insert("incident_id".to_owned(), json!(incident));
        members.insert("resolution_status".to_owned(), json!(self.reached().as_str()));
        members.insert("status_source".to_owned(), json!(source));
        members
    }
}

fn texts(members: &mut Members, name: &str) -> Result<Vec<String>> {
    let items = members.list(name, ITEMS_MAX)?;
    let one = |item: Value| item.as_str().filter(|text| is_text(text)).map(str::to_owned);
    let found: Option<Vec<String>> = items.into_iter().map(one).collect();
    found.ok_or_else(|| members.wrong(name, "must be a list of texts of at most 10000 characters"))
}

fn is_text(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= TEXT_CHARS_MAX
}

/// Reads the timeline. An entry without a time keeps none.
fn timeline(members: &mut Members, from: Timestamp, zone: &TimeZone) -> Result<Value> {
    let rule =
        "must be a list of objects {time, event, by, result}: time in RFC 3339 or as HH:MM, event a text";
    let mut entries = Vec::new();
    for item in members.list("timeline", ITEMS_MAX)? {
        let wrong = || members.wrong("timeline", rule);
        let mut entry = Members::of(item, "data.timeline").map_err(|_| wrong())?;
        let event = entry.required("event", TEXT_CHARS_MAX).map_err(|_| wrong())?;
        let by = entry.text("by", NAME_CHARS_MAX).map_err(|_| wrong())?;
        let result = entry.text("result", TEXT_CHARS_MAX).map_err(|_| wrong())?;
        let time = match entry.text("time", NAME_CHARS_MAX).map_err(|_| wrong())? {
            None => Value::Null,
            Some(text) => json!(time_of(&text, from, zone).ok_or_else(wrong)?.to_rfc3339()),
        };
        entry.finish("time, event, by, result").map_err(|_| wrong())?;
        let mut shown = Map::from_iter([("time".to_owned(), time), ("event".to_owned(), json!(event))]);
        shown.extend(by.map(|by| ("by".to_owned(), json!(by))));
        shown.extend(result.map(|result| ("result".to_owned(), json!(result))));
        entries.push(Value::Object(shown));
    }
    Ok(Value::Array(entries))
}

/// True if a timeline has times of day but no time zone.
pub(crate) fn asks_for_zone(data: &Value) -> bool {
    let is_of_day = |entry: &Value| entry.get("time").and_then(Value::as_str).is_some_and(is_time_of_day);
    let entries = data.get("timeline").and_then(Value::as_array);
    data.get("tz").is_none_or(Value::is_null) && entries.is_some_and(|all| all.iter().any(is_of_day))
}

fn is_time_of_day(text: &str) -> bool {
    text.contains(':') && text.len() <= "HH:MM".len()
}

/// Parses a time: a full timestamp, or a local time of day, which is taken on the day closest to
/// the start of the investigation.
fn time_of(text: &str, from: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let Some((hour, minute)) = text.split_once(':').filter(|_| is_time_of_day(text)) else {
        return Timestamp::parse(text).ok();
    };
    let (hour, minute) = (hour.parse::<i8>().ok()?, minute.parse::<i8>().ok()?);
    if !(0..24).contains(&hour) || !(0..60).contains(&minute) {
        return None;
    }
    let day = time_zone::civil(from, zone).date();
    let at = |days: i64| {
        let day = day.checked_add(days.days()).ok()?;
        time_zone::at(day.at(hour, minute, 0, 0), zone)
    };
    let near = |time: &Timestamp| (time.millis() - from.millis()).abs();
    [at(0), at(-1), at(1)].into_iter().flatten().min_by_key(near)
}

fn actions(members: &mut Members) -> Result<Value> {
    let rule = "must be a list of texts, or of objects {at, what, by, result} with what";
    let mut kept = Vec::new();
    for item in members.list("actions_taken", ITEMS_MAX)? {
        let wrong = || members.wrong("actions_taken", rule);
        if item.as_str().is_some_and(is_text) {
            kept.push(item);
            continue;
        }
        let mut action = Members::of(item.clone(), "data.actions_taken").map_err(|_| wrong())?;
        action.required("what", TEXT_CHARS_MAX).map_err(|_| wrong())?;
        action.time("at").map_err(|_| wrong())?;
        action.text("by", NAME_CHARS_MAX).map_err(|_| wrong())?;
        action.text("result", TEXT_CHARS_MAX).map_err(|_| wrong())?;
        action.finish("at, what, by, result").map_err(|_| wrong())?;
        kept.push(item);
    }
    Ok(Value::Array(kept))
}

/// Reads the findings, each kept whole.
fn findings(members: &mut Members) -> Result<Value> {
    let words: Vec<_> = FindingCategory::ALL.iter().map(|category| category.as_str()).collect();
    let rule = format!(
        "must be a list of at most {ITEMS_MAX} texts, or of objects {{text, category, evidence}}: category one of {}",
        words.join(", ")
    );
    let mut kept = Vec::new();
    for item in members.list("key_findings", ITEMS_MAX)? {
        let wrong = || members.wrong("key_findings", &rule);
        if item.as_str().is_some_and(is_text) {
            kept.push(item);
            continue;
        }
        let mut finding = Members::of(item.clone(), "data.key_findings").map_err(|_| wrong())?;
        finding.required("text", TEXT_CHARS_MAX).map_err(|_| wrong())?;
        finding.word("category", FindingCategory::parse, &words).map_err(|_| wrong())?;
        let evidence = finding.list("evidence", ITEMS_MAX).map_err(|_| wrong())?;
        // Evidence determines if a finding is verified, not its author.
        finding.take("unverified");
        finding.finish("text, category, evidence").map_err(|_| wrong())?;
        kept.push(marked(item, evidence.is_empty()));
    }
    Ok(Value::Array(kept))
}

/// Marks a finding without evidence.
fn marked(finding: Value, is_unverified: bool) -> Value {
    let Value::Object(mut members) = finding else { return finding };
    members.remove("unverified");
    if is_unverified {
        members.insert("unverified".to_owned(), json!(true));
    }
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-11-22T09:00:00Z").unwrap()
    }

    fn stored(data: Value) -> Value {
        Investigation::read(data, &TimeZone::UTC, now()).unwrap().stored("Alice", "incident_1")
    }

    #[test]
    fn a_status_is_what_the_caller_says() {
        let texts = [
            "The issue is unresolved and needs escalation",
            "Root cause not yet fixed",
            "All checks completed. Issue persists.",
        ];
        for text in texts {
            let told = stored(json!({"query": text, "key_findings": [text]}));
            assert_eq!(
                (&told["resolution_status"], &told["status_source"]),
                (&json!("ongoing"), &json!("default"))
            );
        }
        for status in ["completed", "ongoing", "escalated"] {
            let told = stored(json!({"query": "q", "resolution_status": status}));
            assert_eq!(
                (&told["resolution_status"], &told["status_source"]),
                (&json!(status), &json!("caller"))
            );
        }
    }

    #[test]
    fn findings_are_whole() {
        let mut findings = vec![json!("found: latency at 1.5s. It rose."); 12];
        findings.push(json!({"text": "a.b", "category": "root_cause", "evidence": ["tc_12"]}));
        let told = stored(json!({"query": "q", "key_findings": findings}));
        assert_eq!(told["key_findings"], json!(findings));
        assert!(
            Investigation::read(json!({"query": "q", "key_findings": vec!["f"; 200]}), &TimeZone::UTC, now())
                .is_ok()
        );
    }

    #[test]
    fn a_timeline_has_the_times_of_what_happened() {
        let told = stored(json!({
            "query": "q",
            "started_at": "2026-11-21T14:30:00Z",
            "timeline": [
                {"time": "14:30", "event": "alert"},
                {"time": "14:38", "event": "restart", "by": "Alice"},
                {"time": "2026-11-21T15:00:00+01:00", "event": "earlier"},
                {"time": "00:05", "event": "past midnight"},
                {"event": "whenever"},
            ],
        }));
        let times: Vec<_> =
            told["timeline"].as_array().unwrap().iter().map(|entry| entry["time"].clone()).collect();
        let expect = json!([
            "2026-11-21T14:30:00Z",
            "2026-11-21T14:38:00Z",
            "2026-11-21T14:00:00Z",
            "2026-11-22T00:05:00Z",
            null,
        ]);
        assert_eq!(Value::Array(times), expect);
    }

    #[test]
    fn a_time_of_day_is_of_a_zone() {
        let check = |time: &str, began: &str, zone: &str, tz: Option<&str>, expect: &str| {
            let data = json!({
                "query": "q", "started_at": began, "tz": tz, "timeline": [{"time": time, "event": "e"}],
            });
            assert_eq!(asks_for_zone(&data), tz.is_none() && time.len() <= 5);
            let read = Investigation::read(data, &TimeZone::get(zone).unwrap(), now()).unwrap();
            let told = read.stored("Alice", "incident_1");
            assert_eq!(told["timeline"][0]["time"], json!(expect), "{time} {began} {zone} {tz:?}");
        };
        let began = "2026-11-20T23:30:00Z";
        check("00:35", began, "UTC", None, "2026-11-21T00:35:00Z");
        // 00:35 in Berlin, on the day that began there half an hour before.
        check("00:35", began, "Europe/Berlin", None, "2026-11-20T23:35:00Z");
        check("23:50", began, "Europe/Berlin", None, "2026-11-20T22:50:00Z");
        check("08:31", began, "UTC", Some("Asia/Tokyo"), "2026-11-20T23:31:00Z");
        check("2026-11-20T08:31:00Z", began, "Asia/Tokyo", None, "2026-11-20T08:31:00Z");
        // A time in the hour skipped by a clock change counts as directly after it.
        check("02:30", "2026-03-29T00:50:00Z", "Europe/Berlin", None, "2026-03-29T01:30:00Z");
    }

    #[test]
    fn what_is_refused_names_its_member() {
        let check = |name: &str, value: Value| {
            let mut data = json!({"query": "q"});
            data[name] = value;
            let error = Investigation::read(data, &TimeZone::UTC, now()).unwrap_err();
            assert_eq!(error.field, Some(format!("data.{name}")), "{}", error.message);
        };
        check("query", Value::Null);
        check("resolution_status", json!("resolved"));
        check("timeline", json!([{"time": "14:30"}]));
        check("timeline", json!([{"time": "25:00", "event": "e"}]));
        check("timeline", json!(["e"]));
        check("actions_taken", json!([{"by": "Alice"}]));
        check("key_findings", json!([{"text": "t", "category": "guess"}]));
        check("key_findings", json!(vec!["f"; 201]));
        check("services", json!([1]));
        check("outcome", json!({}));
        check("started_at", json!("soon"));
        check("tz", json!("Berlin"));
    }
}
