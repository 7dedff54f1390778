//! `investigation_complete`: the end of the work (sre-memory.md §6.3). The investigation is saved, with what its agents learned and the contacts
//! they name. How it ended is the caller's word; the same said twice is one record, and more said is its next version.

use std::collections::{BTreeMap, BTreeSet};

use loci_api::operations::investigation::AgentResult;
use loci_model::ports::ids::uuid7;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordKind;
use loci_model::services::knowledge::{ResolutionStatus, SreSource, SreType};
use loci_model::{Error, ErrorKind, JobId, MemoryId, RecordId, Result};
use serde_json::{Map, Value, json};

use super::capturing::{Answer, Captured, Wishes};
use super::finding::Known;
use super::responding::{incident_word, reach};
use super::verifying::calls_of;
use crate::Operations;
use crate::capture::{Report, actions, findings, wishes_repeated};
use crate::records::save::SaveAs;
use crate::{SreAction, SreSave};

/// Why nothing is saved.
const AWAITS: &str = "awaiting_approval";
const OFF: &str = "the memory is off (enabled = false)";
/// How often it is read anew where somebody else writes it at the same time.
const TRIES: u32 = 5;
const SUMMARIES_OFF: &str = "auto_generate_summaries is off";

/// An investigation that is over, or goes on, with what was found.
#[derive(Debug, Clone, PartialEq)]
pub struct InvestigationComplete {
    /// The memory.
    pub memory: MemoryId,
    /// Its incident.
    pub incident: String,
    /// Its session; `None`: the caller's own investigation of it, else the last.
    pub session: Option<String>,
    /// What was asked; `None`: as it began.
    pub query: Option<String>,
    /// The final answer, read for findings and actions where none are given, and for preferences of
    /// its
    /// user that it repeats.
    pub final_response: Option<String>,
    /// The answer of each agent. It is read without a model, also for actions where none are given.
    pub agent_results: BTreeMap<String, AgentResult>,
    /// How far it came; `None`: the caller does not say.
    pub status: Option<ResolutionStatus>,
    /// Why it happened.
    pub root_cause: Option<String>,
    /// The actions, as texts or objects; none: those that the results state.
    pub actions: Vec<Value>,
    /// What was found; `None`: what the final answer says.
    pub findings: Option<Vec<Value>>,
    /// What happened when.
    pub timeline: Vec<Value>,
    /// Services that it was about; none: as it began.
    pub services: Vec<String>,
    /// The plan waits for an approval: nothing is saved.
    pub awaits_approval: bool,
    /// Records that helped.
    pub used: Vec<RecordId>,
    /// Records that misled.
    pub harmful: Vec<RecordId>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InvestigationCompleted {
    /// Something was stored, or was known already.
    pub saved: bool,
    /// Why not.
    pub reason: Option<&'static str>,
    /// The record of the investigation.
    pub summary: Option<RecordId>,
    /// What became of that.
    pub action: Option<SreAction>,
    /// How far it came.
    pub status: ResolutionStatus,
    /// Who says so: `caller`, `webhook` or `default`.
    pub status_source: &'static str,
    /// What its agents taught.
    pub captured: Captured,
    /// What to know.
    pub warnings: Vec<String>,
}

impl Operations {
    /// Saves what an investigation found.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `NotFound` for an investigation that is not there; `Denied` for whoever may not write it.
    pub async fn investigation_complete(
        &self,
        caller: &Principal,
        asked: InvestigationComplete,
    ) -> Result<InvestigationCompleted> {
        for _ in 1..TRIES {
            match self.complete_as_read(caller, &asked).await {
                // Its alert said more meanwhile, or somebody else did: that is read first.
                Err(error) if error.kind == ErrorKind::Conflict => {}
                done => return done,
            }
        }
        self.complete_as_read(caller, &asked).await
    }

    async fn complete_as_read(
        &self,
        caller: &Principal,
        asked: &InvestigationComplete,
    ) -> Result<InvestigationCompleted> {
        if !self.settings.of(&asked.memory).enabled {
            return Ok(InvestigationCompleted {
                reason: Some(OFF),
                status_source: "default",
                ..Default::default()
            });
        }
        let about = (asked.incident.as_str(), asked.session.as_deref());
        let known = self.known_investigation(caller, &asked.memory, about, Capability::Write).await?;
        let mut done = InvestigationCompleted {
            status: asked.status.or(known.noticed_status()).unwrap_or_default(),
            status_source: match (asked.status, known.noticed_status()) {
                (Some(_), _) => "caller",
                (None, Some(_)) => "webhook",
                (None, None) => "default",
            },
            ..InvestigationCompleted::default()
        };
        if asked.awaits_approval {
            done.reason = Some(AWAITS);
            return Ok(done);
        }
        if self.settings.of(&asked.memory).auto_generate_summaries {
            self.save_investigation(caller, asked, &known, &mut done).await?;
        } else {
            done.reason = Some(SUMMARIES_OFF);
        }
        self.capture_results(caller, asked, &known, &mut done.captured).await?;
        self.sre_tell_completed(&done);
        let Captured { saved, preferences, pending, .. } = &done.captured;
        done.saved |= [saved, preferences, pending].iter().any(|some| !some.is_empty());
        Ok(done)
    }

    /// Saves what the agents' answers and the final answer teach.
    async fn capture_results(
        &self,
        caller: &Principal,
        asked: &InvestigationComplete,
        known: &Known,
        captured: &mut Captured,
    ) -> Result<()> {
        let calls: BTreeSet<String> =
            asked.agent_results.values().flat_map(|result| calls_of(&result.tool_calls)).collect();
        for (agent, result) in &asked.agent_results {
            let answer = Answer {
                memory: &asked.memory,
                incident: &incident_word(&known.incident),
                agent,
                session: &known.session_id(),
                user: &known.proposes_for(caller).1,
                private_to: known.private_to(),
                text: &result.text,
                services: if asked.services.is_empty() { known.services() } else { asked.services.clone() },
                calls: &calls,
                job: None,
            };
            captured.append(self.capture(caller, &answer).await?.0);
            self.capture_sentences(caller, &answer, captured).await?;
        }
        let answer = asked.final_response.as_deref().unwrap_or_default();
        let wishes = Wishes {
            memory: &asked.memory,
            user: &known.proposes_for(caller).1,
            items: wishes_repeated(answer, self.engine.now()),
            in_person: false,
        };
        self.capture_preferences(caller, wishes, |_| Ok(None), captured).await?;
        Ok(())
    }

    async fn save_investigation(
        &self,
        caller: &Principal,
        asked: &InvestigationComplete,
        known: &Known,
        done: &mut InvestigationCompleted,
    ) -> Result<()> {
        let at = self.engine.now();
        let now = at.to_rfc3339();
        let findings = findings_of(asked, done);
        let taken = actions_of(asked, done);
        let ids = |ids: &[RecordId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut data = began(known);
        let mut put = |name: &str, value: Value| data.insert(name.to_owned(), value);
        put("incident_id", json!(known.incident));
        asked.query.as_ref().map(|query| put("query", json!(query)));
        if !asked.services.is_empty() {
            put("services", json!(asked.services));
        }
        put("timeline", Value::Array(asked.timeline.clone()));
        put("actions_taken", Value::Array(taken));
        put("key_findings", Value::Array(findings.into_iter().map(as_object).collect()));
        put("root_cause", json!(asked.root_cause));
        put("used_record_ids", json!(ids(&asked.used)));
        put("harmful_record_ids", json!(ids(&asked.harmful)));
        put("resolution_status", json!(asked.status.map(ResolutionStatus::as_str)));
        // What is said again is the same: when it was over stays.
        put("completed_at", json!(known.text("completed_at").unwrap_or(&now)));
        let save = SreSave {
            memory: asked.memory.clone(),
            kind: SreType::Investigations,
            actor: known.user(),
            session: Some(known.session_id()),
            data: Value::Object(data),
            source: SreSource::Agent,
        };
        let how = SaveAs {
            private_to: known.private_to(),
            joined: true,
            noticed: known.noticed_status(),
            as_read: Some((known.record.id.clone(), known.record.version)),
            metadata: reach(caller, &asked.memory, &known.actor, at),
            summing_up: Some(JobId::parse(uuid7(self.engine.ids().as_ref(), at.millis()))?),
            ..SaveAs::default()
        };
        let saved = self.sre_save_as(caller, save, how).await.map_err(member_of_body)?;
        let kept = saved.records.into_iter().next();
        done.saved = kept.as_ref().is_some_and(|kept| kept.record.is_some());
        done.action = kept.as_ref().map(|kept| kept.action);
        done.summary = kept.and_then(|kept| kept.record);
        Ok(())
    }
}

/// Returns the findings that the caller names; where it names none, those of the final answer.
fn findings_of(asked: &InvestigationComplete, done: &mut InvestigationCompleted) -> Vec<Value> {
    if let Some(given) = &asked.findings {
        return given.clone();
    }
    let (found, lost) = findings(asked.final_response.as_deref().unwrap_or_default());
    if lost > 0 {
        done.warnings
            .push(format!("findings: {lost} of the final answer are too long or too many and not kept"));
    }
    found
}

/// Returns the actions that the caller names; where it names none, those that the results state.
fn actions_of(asked: &InvestigationComplete, done: &mut InvestigationCompleted) -> Vec<Value> {
    if !asked.actions.is_empty() {
        return asked.actions.clone();
    }
    let mut reports: Vec<Report<'_>> = Vec::new();
    for (agent, result) in &asked.agent_results {
        reports.push(Report { by: Some(agent), text: &result.text, calls: &result.tool_calls });
    }
    if let Some(answer) = &asked.final_response {
        reports.push(Report { by: None, text: answer, calls: &[] });
    }
    let (found, lost) = actions(&reports);
    if lost > 0 {
        done.warnings.push(format!("actions: {lost} of the results are too many and not kept: name them"));
    }
    found
}

/// What its start said, which stays.
fn began(known: &Known) -> Map<String, Value> {
    debug_assert_eq!(
        known.record.kind,
        RecordKind::Investigation,
        "investigations are found by their subtype"
    );
    let stays = ["query", "services", "fingerprint", "alert", "tz", "started_at", "resolved_at", "context"];
    let member = |name: &str| known.content.get(name).map(|value| (name.to_owned(), value.clone()));
    stays.into_iter().filter_map(member).collect()
}

/// A finding with its category, so that it can be marked as unverified.
fn as_object(finding: Value) -> Value {
    match finding {
        Value::String(text) => json!({"text": text, "category": "observation"}),
        other => other,
    }
}

/// The member of the request that a rule of investigations is about.
fn member_of_body(error: Error) -> Error {
    let named =
        error.field.as_deref().and_then(|field| field.strip_prefix("data.")).map(|field| match field {
            "key_findings" => "findings",
            "actions_taken" => "actions",
            "resolution_status" => "status",
            other => other,
        });
    match named.map(str::to_owned) {
        Some(field) => error.on(field),
        None => error,
    }
}
