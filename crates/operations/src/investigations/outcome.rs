//! `investigation_outcome`: the outcome of an investigation, reported by a person. A confirmed root
//! cause extends the retention and raises the confidence of the records it rests on. A refuted one
//! is shown as refuted, never as an answer. Records refuted by two investigations are quarantined.

use std::collections::BTreeSet;

use loci_engine::access;
use loci_engine::access::View;
use loci_engine::records::record_builder::Building;
use loci_engine::records::state_transition::StateTransition;
use loci_model::memory::Memory;
use loci_model::ports::store::{RecordPage, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::scope::{AccessClause, RecordScope};
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::{FindingCategory, SreType};
use loci_model::{Error, MemoryId, RecordId, Result, SessionId, Timestamp, limits};
use serde_json::{Map, Value, json};

use super::investigation_lookup::{StoredInvestigation, is_hidden};
use super::investigation_write::InvestigationRewrite;
use crate::Operations;
use crate::SreSettings;
use crate::records::namespace_rules;
use crate::records::precedence::words;
use crate::retrieval::scores::{CONFIRMED_BY, REFUTED_BY};

/// The maximum number of incidents stored per record and verdict. Further ones are ignored.
const INCIDENTS_MAX: usize = 50;
/// The number of refuting investigations that quarantines a record.
const WRONG_MAX: usize = 2;
/// The number of records per read.
const PAGE: usize = 500;
/// The metadata key of an investigation's outcome.
pub(crate) const OUTCOME: &str = "outcome";

/// The outcome of an investigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvestigationOutcome {
    /// The memory that contains the investigation.
    pub memory: MemoryId,
    /// The incident of the investigation.
    pub incident: String,
    /// The session. `None`: the caller's own investigation of the incident, otherwise the one
    /// changed last.
    pub session: Option<String>,
    /// The time at which the incident was resolved, if the caller gives it.
    pub resolved_at: Option<Timestamp>,
    /// True if the root cause was right; `None` if unknown.
    pub root_cause_confirmed: Option<bool>,
    /// The root cause as known now.
    pub root_cause: Option<String>,
    /// The URL of the incident's post-mortem, if there is one.
    pub postmortem_url: Option<String>,
    /// The fix of the incident, if the caller gives it.
    pub fix: Option<String>,
    /// The ids of the records that helped in the investigation.
    pub useful: Vec<RecordId>,
    /// The ids of the records that were wrong.
    pub wrong: Vec<RecordId>,
}

/// The effect of an outcome on a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeEffect {
    /// The record.
    pub record: RecordId,
    /// `confirmed`, `refuted`, `recorded`, `quarantined`, or `not_found`.
    pub effect: &'static str,
}

/// The verdict of an outcome on a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Confirmed,
    Refuted,
}

impl Operations {
    /// Records the outcome of an investigation. A later report replaces an earlier one.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `NotFound` if the investigation does not exist; `Denied` if
    /// the caller is neither its user in person nor an administrator, and has no `outcome` grant
    /// for it.
    pub async fn investigation_outcome(
        &self,
        caller: &Principal,
        asked: InvestigationOutcome,
    ) -> Result<Vec<OutcomeEffect>> {
        check(&asked)?;
        let about = (asked.incident.as_str(), asked.session.as_deref());
        let known = self.known_investigation(caller, &asked.memory, about, Capability::Write).await?;
        let about = (&known.record, known.user());
        let about = (about.0, about.1.as_str());
        access::require_outcome(self.engine.products(), caller, &asked.memory, about, self.engine.now())?;
        let place = (asked.memory.clone(), known.record.id.clone());
        let settings = self.settings.of(&asked.memory).clone();
        let effects = self
            .rewrite(caller, (&place.0, &place.1), move |tx, rewriting| {
                let mut effects = vec![note_investigation(tx, rewriting, &asked, &settings)?];
                let InvestigationRewrite { known, building, .. } = rewriting;
                for (record, verdict) in concerned(tx, building, &asked, known)? {
                    effects.push(match record {
                        Err(id) => OutcomeEffect { record: id, effect: "not_found" },
                        Ok(record) => {
                            note_record(tx, building, record, verdict, (&known.incident, &settings))?
                        }
                    });
                }
                Ok(effects)
            })
            .await?;
        self.sre_tell_outcome(&effects);
        Ok(effects)
    }
}

fn check(asked: &InvestigationOutcome) -> Result<()> {
    let texts = [
        ("root_cause", &asked.root_cause, limits::SRE_TEXT_CHARS_MAX),
        ("postmortem_url", &asked.postmortem_url, limits::SRE_CONTEXT_CHARS_MAX),
        ("fix", &asked.fix, limits::SRE_TEXT_CHARS_MAX),
    ];
    for (field, text, most) in texts {
        if text.as_ref().is_some_and(|text| text.chars().count() > most) {
            return Err(Error::invalid(field, format!("{field} must have at most {most} characters")));
        }
    }
    for (field, ids) in [("useful_record_ids", &asked.useful), ("wrong_record_ids", &asked.wrong)] {
        if ids.len() > limits::SRE_ITEMS_MAX {
            return Err(Error::invalid(field, format!("{field} must have at most 200 ids")));
        }
    }
    Ok(())
}

/// Writes the investigation with its outcome, as its next version.
fn note_investigation(
    tx: &mut dyn Tx,
    rewriting: &InvestigationRewrite<'_>,
    asked: &InvestigationOutcome,
    settings: &SreSettings,
) -> Result<OutcomeEffect> {
    let InvestigationRewrite { known, building, .. } = rewriting;
    let mut told = Map::from_iter([
        ("at".to_owned(), json!(building.now.to_rfc3339())),
        ("by".to_owned(), json!(building.by)),
        ("root_cause_confirmed".to_owned(), json!(asked.root_cause_confirmed)),
    ]);
    for (name, text) in [("postmortem_url", &asked.postmortem_url), ("fix", &asked.fix)] {
        told.extend(text.as_ref().map(|text| (name.to_owned(), json!(text))));
    }
    let mut content = known.content.clone();
    content.insert("outcome".to_owned(), Value::Object(told));
    if let Some(at) = asked.resolved_at {
        content.insert("resolved_at".to_owned(), json!(at.to_rfc3339()));
    }
    let is_refuted = asked.root_cause_confirmed == Some(false);
    mark_causes(&mut content, is_refuted);
    if let Some(cause) = &asked.root_cause {
        content.insert("root_cause".to_owned(), json!(cause));
        // The new cause replaces the refuted one.
        content.remove("root_cause_refuted");
    }
    let (effect, word) = match asked.root_cause_confirmed {
        Some(true) => ("confirmed", "confirmed"),
        Some(false) => ("refuted", "refuted"),
        None => ("recorded", "unknown"),
    };
    let record = rewriting.write(tx, content, "its outcome was told", |next| {
        next.metadata.insert(OUTCOME.to_owned(), MetadataValue::String(word.to_owned()));
        if effect == "confirmed" {
            stay(next, settings.investigations.ttl_confirmed_days, building.now);
        }
    })?;
    Ok(OutcomeEffect { record: record.id, effect })
}

/// Marks causes as refuted, or removes the mark.
fn mark_causes(content: &mut Map<String, Value>, is_refuted: bool) {
    content.remove("root_cause_refuted");
    if is_refuted && content.contains_key("root_cause") {
        content.insert("root_cause_refuted".to_owned(), json!(true));
    }
    let findings = content.get_mut("key_findings").and_then(Value::as_array_mut);
    for finding in findings.into_iter().flatten().filter_map(Value::as_object_mut) {
        finding.remove("refuted");
        let category = finding.get("category").and_then(Value::as_str).and_then(FindingCategory::parse);
        if is_refuted && category == Some(FindingCategory::RootCause) {
            finding.insert("refuted".to_owned(), json!(true));
        }
    }
}

/// Returns each record that the outcome affects once. A record named as wrong is refuted,
/// regardless of other rules. For a named record that the caller cannot see, only the id is
/// returned.
fn concerned(
    tx: &dyn Tx,
    building: &Building<'_>,
    asked: &InvestigationOutcome,
    known: &StoredInvestigation,
) -> Result<Vec<(std::result::Result<Record, RecordId>, Verdict)>> {
    let Building { memory, view, now, .. } = *building;
    let mut done: BTreeSet<RecordId> = BTreeSet::from([known.record.id.clone()]);
    let mut all = Vec::new();
    let used = named_in(known, "used_record_ids");
    let general = match asked.root_cause_confirmed {
        Some(true) => Some(Verdict::Confirmed),
        Some(false) => Some(Verdict::Refuted),
        None => None,
    };
    let mut wrong = asked.wrong.clone();
    wrong.extend(named_in(known, "harmful_record_ids").into_iter().filter(|_| general.is_some()));
    let named = wrong
        .iter()
        .map(|id| (id, Some(Verdict::Refuted)))
        .chain(asked.useful.iter().map(|id| (id, Some(Verdict::Confirmed))))
        // Use of a record in a wrong diagnosis does not make the record wrong.
        .chain(used.iter().map(|id| (id, general.filter(|one| *one == Verdict::Confirmed))));
    for (id, verdict) in named {
        let Some(verdict) = verdict.filter(|_| done.insert(id.clone())) else { continue };
        let found = tx.records().get(&memory.id, id)?.filter(|record| {
            record.state == RecordState::Active
                && view.admits(record)
                && !record.is_expired(now)
                && is_of_work(memory, record)
                && !is_hidden(record, &known.user())
        });
        all.push((found.ok_or_else(|| id.clone()), verdict));
    }
    if let Some(verdict) = general {
        for record in learned(tx, memory, view, &known.session, now)? {
            if done.insert(record.id.clone()) {
                all.push((Ok(record), verdict));
            }
        }
    }
    Ok(all)
}

/// True for knowledge about services and for investigations. Outcomes do not affect preferences.
fn is_of_work(memory: &Memory, record: &Record) -> bool {
    let of = |kind| {
        namespace_rules::strategy(memory, kind)
            .is_ok_and(|strategy| record.strategy.as_ref() == Some(&strategy.id))
    };
    of(SreType::Infrastructure) || of(SreType::Investigations)
}

fn named_in(known: &StoredInvestigation, member: &str) -> Vec<RecordId> {
    let ids = known.content.get(member).and_then(Value::as_array).into_iter().flatten();
    ids.filter_map(|id| RecordId::parse(id.as_str()?).ok()).collect()
}

/// Returns the knowledge about services learned in a session.
fn learned(
    tx: &dyn Tx,
    memory: &Memory,
    view: &View,
    session: &SessionId,
    now: Timestamp,
) -> Result<Vec<Record>> {
    let of_session = |clause: &AccessClause| {
        let may = clause.session.as_ref().is_none_or(|own| own == session);
        may.then(|| AccessClause { session: Some(session.clone()), ..clause.clone() })
    };
    let scope = RecordScope {
        view: view.clauses().iter().filter_map(of_session).collect(),
        ..namespace_rules::scope(memory, SreType::Infrastructure, None, now)?
    };
    if scope.view.is_empty() {
        return Ok(Vec::new());
    }
    let mut page = RecordPage { scope, after: None, limit: PAGE };
    let mut all: Vec<Record> = Vec::new();
    loop {
        let some = tx.records().list(&page)?;
        let is_last = some.len() < PAGE;
        page.after = some.last().map(|record| (record.created_at, record.id.clone()));
        all.extend(some);
        if is_last {
            return Ok(all);
        }
    }
}

/// Writes a record with the verdict of one more investigation.
fn note_record(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    record: Record,
    verdict: Verdict,
    (incident, settings): (&str, &SreSettings),
) -> Result<OutcomeEffect> {
    let (now_in, not_in) = match verdict {
        Verdict::Confirmed => (CONFIRMED_BY, REFUTED_BY),
        Verdict::Refuted => (REFUTED_BY, CONFIRMED_BY),
    };
    let mut next = record.clone();
    let mut with = words(&record, now_in).to_vec();
    if !with.iter().any(|one| one == incident) && with.len() < INCIDENTS_MAX {
        with.push(incident.to_owned());
    }
    with.sort();
    let mut without = words(&record, not_in).to_vec();
    without.retain(|one| one != incident);
    let is_wrong = verdict == Verdict::Refuted && with.len() >= WRONG_MAX;
    put(&mut next.metadata, now_in, with);
    put(&mut next.metadata, not_in, without);
    next.updated_at = building.now;
    if verdict == Verdict::Confirmed {
        stay(&mut next, settings.infrastructure.ttl_confirmed_days, building.now);
    }
    let next = if next == record {
        record
    } else {
        building.replace(tx, &record, next, "an investigation's outcome was told")?
    };
    if is_wrong {
        let changing = StateTransition { memory: building.memory, by: building.by, at: building.now };
        changing.set_state(tx, &next, RecordState::Quarantined, "two investigations found it wrong")?;
    }
    let effect = match (verdict, is_wrong) {
        (Verdict::Confirmed, _) => "confirmed",
        (Verdict::Refuted, false) => "refuted",
        (Verdict::Refuted, true) => "quarantined",
    };
    Ok(OutcomeEffect { record: next.id, effect })
}

fn put(metadata: &mut Metadata, key: &str, incidents: Vec<String>) {
    if incidents.is_empty() {
        metadata.remove(key);
    } else {
        metadata.insert(key.to_owned(), MetadataValue::StringList(incidents));
    }
}

/// Extends the retention of a record to `days`, if that is not shorter. A record without expiry
/// keeps having none.
fn stay(record: &mut Record, days: Option<u32>, now: Timestamp) {
    let Some(days) = days else { return };
    if record.expiry_days.is_some_and(|own| own <= days) {
        record.expiry_days = Some(days);
        record.expires_at = Some(now.plus_days(days));
    }
}
