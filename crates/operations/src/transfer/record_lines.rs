//! A record of operations memory as a line: the format of export and import. Pure. `data` is the
//! input of `save` with the later additions: an outcome, refuted findings, the source of a status.
//! Other records are exported as text.

use jiff::tz::TimeZone;
use loci_engine::access::segment;
use loci_model::memory::Memory;
use loci_model::memory::strategy::Strategy;
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::{ResolutionStatus, SreSource, SreType};
use loci_model::{Error, RecordId, Result, Timestamp, limits};
use serde_json::{Map, Value, json};

use crate::input::members::Members;
use crate::preferences::preference::Preference;
use crate::records::investigation::Investigation;
use crate::records::knowledge::Knowledge;
use crate::records::precedence::{self, words};
use crate::records::save::{OWNER, SCOPE, SCOPE_PRIVATE};
use crate::records::{namespace_rules, repetition};
use crate::retrieval::scores::{CONFIRMED_BY, REFUTED_BY, TRUST, UNTRUSTED};
use crate::settings::SreSettings;

/// The members of an outcome.
const OUTCOME_KNOWN: &str = "at, by, root_cause_confirmed, postmortem_url, fix";
const TEXT_CHARS_MAX: usize = limits::SRE_TEXT_CHARS_MAX;

/// The content of a record.
#[derive(Debug, Clone, PartialEq)]
pub enum SreRecordContent {
    /// Content by the rules of its type.
    Data(Value),
    /// Plain text, or the format of another program.
    Text(String),
}

/// A record in a form for import elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct SreLine {
    /// The type of the record.
    pub kind: SreType,
    /// The user, or for infrastructure the agent.
    pub actor: String,
    /// The session. Not used for preferences.
    pub session: Option<String>,
    /// The content of the record.
    pub said: SreRecordContent,
    /// True if the record waits for confirmation.
    pub waits: bool,
    /// The source of the record.
    pub source: SreSource,
    /// The user to whom the record is private.
    pub private_to: Option<String>,
    /// The time when the record was observed, or last confirmed.
    pub observed_at: Timestamp,
    /// The retention of the record in days, if any.
    pub expiry_days: Option<u32>,
    /// The superseded keys.
    pub superseded_keys: Vec<String>,
    /// The record with which it conflicts, by its id in the source memory.
    pub contradicts: Option<RecordId>,
    /// The investigations that confirmed the record.
    pub confirmed_by: Vec<String>,
    /// The investigations that refuted the record.
    pub refuted_by: Vec<String>,
    /// The number of sessions that made the statement, if more than one.
    pub seen: Option<u64>,
    /// The id of the record in the memory from which it was exported.
    pub record: Option<RecordId>,
    /// True if outsiders can write the record's text and no other source has stated it.
    pub untrusted: bool,
}

/// Additions to the author's content of an investigation or of knowledge.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ContentAdditions {
    outcome: Option<Value>,
    cause_is_refuted: bool,
    /// The indexes of refuted findings.
    refuted: Vec<usize>,
    subtype: Option<Value>,
    /// The status according to a notice.
    pub(crate) noticed: Option<ResolutionStatus>,
}

impl SreLine {
    /// Returns the line of a record.
    ///
    /// # Errors
    /// The reason why there is none: the namespace does not match its type.
    pub(crate) fn of(
        (memory, kind): (&Memory, SreType),
        record: &Record,
        settings: &SreSettings,
        now: Timestamp,
    ) -> std::result::Result<Self, String> {
        let strategy = namespace_rules::strategy(memory, kind).map_err(|error| error.message)?;
        let (actor, session) = place_of(strategy, record)
            .ok_or_else(|| format!("the strategy {} does not look in {}", strategy.name, record.namespace))?;
        let stored = serde_json::from_str::<Value>(&record.text).ok();
        let name = stored.as_ref().and_then(|stored| stored.get(named_by(kind))?.as_str());
        // The namespace has the configured name of an agent, and the content may have an alias.
        let is_that =
            |name: &&str| namespace_rules::actor(kind, name, settings).is_ok_and(|one| one.as_str() == actor);
        let name = name.filter(is_that).map_or_else(|| segment::decode(&actor), str::to_owned);
        let data =
            stored.and_then(|stored| data_of(kind, stored)).filter(|data| is_readable(kind, data, now));
        let word = |key: &str| precedence::word(record, key);
        let source = precedence::source(record);
        let untrusted =
            word(TRUST) == Some(UNTRUSTED) || data.as_ref().is_some_and(|data| is_of_alert(source, data));
        Ok(Self {
            kind,
            actor: name,
            session: session.map(|session| segment::decode(&session)),
            said: data.map_or_else(|| SreRecordContent::Text(record.text.clone()), SreRecordContent::Data),
            waits: record.state == RecordState::Candidate,
            source,
            private_to: word(OWNER).filter(|_| word(SCOPE) == Some(SCOPE_PRIVATE)).map(str::to_owned),
            observed_at: record.timestamp,
            expiry_days: record.expiry_days,
            superseded_keys: precedence::gone(record).to_vec(),
            contradicts: precedence::contradicted(record),
            confirmed_by: words(record, CONFIRMED_BY).to_vec(),
            refuted_by: words(record, REFUTED_BY).to_vec(),
            seen: repetition::times(record),
            record: Some(record.id.clone()),
            untrusted,
        })
    }
}

impl SreLine {
    /// Checks the import rules of a line, in addition to the rules of its type.
    ///
    /// # Errors
    /// `Invalid`, naming the member.
    pub(super) fn check(&self, now: Timestamp) -> Result<()> {
        if self.observed_at > now {
            return Err(Error::invalid("observed_at", "observed_at must not be in the future"));
        }
        if self.expiry_days.is_some_and(|days| !(1..=limits::SRE_LINE_DAYS_MAX).contains(&days)) {
            let rule = format!("expiry_days must be 1 to {}", limits::SRE_LINE_DAYS_MAX);
            return Err(Error::invalid("expiry_days", rule));
        }
        match &self.said {
            SreRecordContent::Text(text) if text.trim().is_empty() => {
                return Err(Error::invalid("text", "text is required where there is no data"));
            }
            SreRecordContent::Text(text) if text.chars().count() > limits::MESSAGE_CHARS_MAX => {
                let rule = format!("text must have at most {} characters", limits::MESSAGE_CHARS_MAX);
                return Err(Error::invalid("text", rule));
            }
            SreRecordContent::Text(_) | SreRecordContent::Data(_) => {}
        }
        let is_id = |id: &String| (1..=limits::SRE_ID_CHARS_MAX).contains(&id.chars().count());
        if self.private_to.as_ref().is_some_and(|user| !is_id(user)) {
            return Err(Error::invalid(
                "private_to",
                "private_to must be a user's id of at most 120 characters",
            ));
        }
        let lists = [
            ("superseded_keys", &self.superseded_keys),
            ("confirmed_by", &self.confirmed_by),
            ("refuted_by", &self.refuted_by),
        ];
        let is_name = |text: &String| (1..=limits::SRE_NAME_CHARS_MAX).contains(&text.chars().count());
        for (field, all) in lists {
            if all.len() > limits::SRE_ITEMS_MAX || !all.iter().all(is_name) {
                let rule = format!("{field} must have at most 200 texts of 1 to 200 characters");
                return Err(Error::invalid(field, rule));
            }
        }
        Ok(())
    }
}

/// True for an investigation that an alert opened and no agent has updated: its text is that of the
/// alert.
pub(super) fn is_of_alert(source: SreSource, data: &Value) -> bool {
    let trust = data.get("alert").and_then(|alert| alert.get(TRUST)).and_then(Value::as_str);
    source == SreSource::Webhook && trust == Some(UNTRUSTED)
}

/// Returns the actor and the session in the namespace of a record.
pub(crate) fn place_of(strategy: &Strategy, record: &Record) -> Option<(String, Option<String>)> {
    let known =
        |name: &str| matches!(name, "memoryStrategyId" | "strategyId").then(|| strategy.id.to_string());
    let mut values = strategy.template.read(&record.namespace, &known)?;
    Some((values.remove("actorId")?, values.remove("sessionId")))
}

/// Returns the name of the member with the owner of a record.
fn named_by(kind: SreType) -> &'static str {
    match kind {
        SreType::Infrastructure => "discovered_by",
        SreType::Preferences | SreType::Investigations => "user_id",
    }
}

/// Returns the stored content without derived members. `None` if it is not an object.
fn data_of(kind: SreType, stored: Value) -> Option<Value> {
    let Value::Object(mut members) = stored else { return None };
    members.remove(named_by(kind));
    if kind == SreType::Preferences {
        members.remove("preference");
        members.remove("categories");
        members.retain(|_, value| !value.is_null());
    }
    Some(Value::Object(members))
}

/// True if an import would accept it.
fn is_readable(kind: SreType, data: &Value, now: Timestamp) -> bool {
    let Ok((data, _)) = parted(kind, data.clone()) else { return false };
    match kind {
        SreType::Preferences => Preference::read(data, now).is_ok_and(|one| one.keys().len() == 1),
        SreType::Infrastructure => Knowledge::read(data, "data", now).is_ok(),
        SreType::Investigations => {
            Investigation::read(data, &TimeZone::UTC, now).is_ok_and(|one| one.incident.is_some())
        }
    }
}

/// Splits the content into the author's part and the later additions.
///
/// # Errors
/// `Invalid`, naming the member.
pub(crate) fn parted(kind: SreType, data: Value) -> Result<(Value, ContentAdditions)> {
    let mut told = ContentAdditions::default();
    let Value::Object(mut members) = data else { return Ok((data, told)) };
    match kind {
        SreType::Preferences => {}
        SreType::Infrastructure => told.subtype = members.remove("subtype").filter(Value::is_string),
        SreType::Investigations => {
            told.outcome = members.remove("outcome").map(outcome).transpose()?;
            told.cause_is_refuted = members.remove("root_cause_refuted") == Some(json!(true));
            told.noticed = noticed(&mut members)?;
            let findings = members.get_mut("key_findings").and_then(Value::as_array_mut);
            for (at, finding) in findings.into_iter().flatten().enumerate() {
                if finding.as_object_mut().and_then(|finding| finding.remove("refuted")) == Some(json!(true))
                {
                    told.refuted.push(at);
                }
            }
        }
    }
    Ok((Value::Object(members), told))
}

fn outcome(value: Value) -> Result<Value> {
    let mut members = Members::of(value.clone(), "data.outcome")?;
    members.time("at")?;
    for name in ["by", "postmortem_url", "fix"] {
        members.text(name, TEXT_CHARS_MAX)?;
    }
    if members.take("root_cause_confirmed").is_some_and(|known| !known.is_boolean()) {
        return Err(members.wrong("root_cause_confirmed", "must be true or false, or left out"));
    }
    members.finish(OUTCOME_KNOWN)?;
    Ok(value)
}

/// Reads the source of a status: removes a default status, and returns one that a notice set.
fn noticed(members: &mut Map<String, Value>) -> Result<Option<ResolutionStatus>> {
    let Some(source) = members.remove("status_source") else { return Ok(None) };
    let status = members.get("resolution_status").and_then(Value::as_str).and_then(ResolutionStatus::parse);
    match source.as_str() {
        Some("caller") => Ok(None),
        Some("default") => {
            if status == Some(ResolutionStatus::default()) {
                members.remove("resolution_status");
            }
            Ok(None)
        }
        Some("webhook") => {
            members.remove("resolution_status");
            Ok(status)
        }
        Some(_) | None => {
            let rule = "status_source must be caller, webhook or default";
            Err(Error::invalid("data.status_source", rule))
        }
    }
}

impl ContentAdditions {
    /// Adds the additions to the author's content.
    pub(super) fn with(&self, content: &mut Map<String, Value>) {
        let mut put = |name: &str, value: Option<Value>| {
            content.extend(value.map(|value| (name.to_owned(), value)));
        };
        put("outcome", self.outcome.clone());
        put("root_cause_refuted", self.cause_is_refuted.then(|| json!(true)));
        put("subtype", self.subtype.clone());
        let findings = content.get_mut("key_findings").and_then(Value::as_array_mut);
        for (at, finding) in findings.into_iter().flatten().enumerate() {
            if let Some(members) = finding.as_object_mut().filter(|_| self.refuted.contains(&at)) {
                members.insert("refuted".to_owned(), json!(true));
            }
        }
    }

    /// Returns the outcome, for masking.
    pub(super) fn outcome_mut(&mut self) -> Option<&mut Value> {
        self.outcome.as_mut()
    }

    /// Returns the verdict of the outcome on the cause. `None` without an outcome.
    pub(super) fn judged(&self) -> Option<&'static str> {
        let outcome = self.outcome.as_ref()?;
        Some(match outcome.get("root_cause_confirmed").and_then(Value::as_bool) {
            Some(true) => "confirmed",
            Some(false) => "refuted",
            None => "unknown",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::clamped(1_795_500_000_000);

    fn line(change: impl FnOnce(&mut SreLine)) -> SreLine {
        let mut line = SreLine {
            kind: SreType::Infrastructure,
            actor: "logs-agent".to_owned(),
            session: Some("s-1".to_owned()),
            said: SreRecordContent::Text("words".to_owned()),
            waits: false,
            source: SreSource::Agent,
            private_to: None,
            observed_at: NOW,
            expiry_days: None,
            superseded_keys: Vec::new(),
            contradicts: None,
            confirmed_by: Vec::new(),
            refuted_by: Vec::new(),
            seen: None,
            record: None,
            untrusted: false,
        };
        change(&mut line);
        line
    }

    #[test]
    fn what_was_told_is_parted_and_put_back() {
        let whole = json!({
            "incident_id": "inc-1", "query": "why?", "resolution_status": "completed", "status_source": "caller",
            "key_findings": [{"text": "a"}, {"text": "b", "refuted": true}, "c"], "root_cause": "a limit",
            "root_cause_refuted": true, "outcome": {"by": "alice", "root_cause_confirmed": false, "fix": "none"},
        });
        let (mut plain, told) = parted(SreType::Investigations, whole.clone()).unwrap();
        assert_eq!(plain["key_findings"], json!([{"text": "a"}, {"text": "b"}, "c"]));
        assert!(Investigation::read(plain.clone(), &TimeZone::UTC, NOW).is_ok());
        assert_eq!(told.judged(), Some("refuted"));
        let members = plain.as_object_mut().unwrap();
        members.insert("status_source".to_owned(), json!("caller"));
        told.with(members);
        assert_eq!(plain, whole);
    }

    #[test]
    fn whose_word_a_status_is() {
        let check = |status: &str, source: &str, left: Value, noticed: Option<ResolutionStatus>| {
            let whole = json!({"resolution_status": status, "status_source": source});
            let (plain, told) = parted(SreType::Investigations, whole).unwrap();
            assert_eq!((plain, told.noticed), (left, noticed), "{status} {source}");
        };
        let said = |status: &str| json!({"resolution_status": status});
        check("completed", "caller", said("completed"), None);
        check("ongoing", "default", json!({}), None);
        check("completed", "default", said("completed"), None);
        check("escalated", "webhook", json!({}), Some(ResolutionStatus::Escalated));
    }

    #[test]
    fn what_is_refused_names_its_member() {
        let of = |name: &str, value: Value| parted(SreType::Investigations, json!({ name: value }));
        for (name, value, field) in [
            ("status_source", json!("guess"), "data.status_source"),
            ("outcome", json!("fine"), "data.outcome"),
            ("outcome", json!({"root_cause_confirmed": "yes"}), "data.outcome.root_cause_confirmed"),
            ("outcome", json!({"verdict": true}), "data.outcome.verdict"),
        ] {
            let error = of(name, value).unwrap_err();
            assert_eq!(error.field.as_deref(), Some(field), "{}", error.message);
        }
    }

    #[test]
    fn what_a_line_is_held_to() {
        let check = |change: &dyn Fn(&mut SreLine), expect: Option<&str>| {
            let found = line(change).check(NOW).err().and_then(|error| error.field);
            assert_eq!(found.as_deref(), expect);
        };
        check(&|_| {}, None);
        check(&|line| line.observed_at = NOW.plus_millis(1), Some("observed_at"));
        check(&|line| line.said = SreRecordContent::Text(" ".to_owned()), Some("text"));
        check(
            &|line| line.said = SreRecordContent::Text("ä".repeat(loci_model::limits::MESSAGE_CHARS_MAX)),
            None,
        );
        check(
            &|line| line.said = SreRecordContent::Text("ä".repeat(loci_model::limits::MESSAGE_CHARS_MAX + 1)),
            Some("text"),
        );
        check(&|line| line.expiry_days = Some(0), Some("expiry_days"));
        check(&|line| line.expiry_days = Some(36_500), None);
        check(&|line| line.expiry_days = Some(36_501), Some("expiry_days"));
        check(&|line| line.private_to = Some(String::new()), Some("private_to"));
        check(&|line| line.confirmed_by = vec!["a".to_owned(); 200], None);
        check(&|line| line.confirmed_by = vec!["a".to_owned(); 201], Some("confirmed_by"));
        check(&|line| line.superseded_keys = vec!["k".repeat(200)], None);
        check(&|line| line.superseded_keys = vec!["k".repeat(201)], Some("superseded_keys"));
    }
}
