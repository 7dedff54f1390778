//! `investigation_complete`: ends an investigation. It saves the investigation, the knowledge of
//! its agents and the contacts that they name. The caller states the outcome. Repeating the same
//! request gives one record, and additional content gives its next version.

use std::collections::BTreeSet;

use loci_api::operations::investigation::InvestigationComplete;
use loci_model::ports::ids::uuid7;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordKind;
use loci_model::services::knowledge::{ResolutionStatus, SreSource, SreType};
use loci_model::{Error, ErrorKind, JobId, MemoryId, RecordId, Result};
use serde_json::{Map, Value, json};

use super::agent_response::{incident_word, reach};
use super::capture::{AnswerContext, Captured, Wishes};
use super::evidence::calls_of;
use super::investigation_lookup::StoredInvestigation;
use crate::Operations;
use crate::capture::{AgentText, actions, findings, wishes_repeated};
use crate::records::save::SaveAs;
use crate::{SreAction, SreSave};

/// The plan state of an executed plan.
const EXECUTED: &str = "executed";
/// The reason for saving nothing while the plan awaits approval.
const AWAITS: &str = "awaiting_approval";
const OFF: &str = "the memory is off (enabled = false)";
/// The maximum number of attempts after write conflicts.
const TRIES: u32 = 5;
const SUMMARIES_OFF: &str = "auto_generate_summaries is off";

/// A validated request.
struct CompletionRequest {
    memory: MemoryId,
    incident: String,
    status: Option<ResolutionStatus>,
    awaits_approval: bool,
    said: InvestigationComplete,
}

impl CompletionRequest {
    fn of((memory, incident): (MemoryId, String), said: InvestigationComplete) -> Result<Self> {
        let awaits_approval = match said.plan_state.as_deref() {
            None | Some(EXECUTED) => false,
            Some(AWAITS) => true,
            Some(_) => {
                return Err(Error::invalid("plan_state", "plan_state must be executed or awaiting_approval"));
            }
        };
        let status = ResolutionStatus::read("status", said.status.as_deref())?;
        let ids =
            [("used_record_ids", &said.used_record_ids), ("harmful_record_ids", &said.harmful_record_ids)];
        for (field, ids) in ids {
            ids.iter().try_for_each(|id| RecordId::read(field, Some(id)).map(drop))?;
        }
        Ok(Self { memory, incident, status, awaits_approval, said })
    }
}

/// The result of `investigation_complete`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InvestigationCompleted {
    /// True if something was stored, or was already stored.
    pub saved: bool,
    /// The reason why the investigation was not saved.
    pub reason: Option<&'static str>,
    /// The record of the investigation.
    pub summary: Option<RecordId>,
    /// The action taken on that record.
    pub action: Option<SreAction>,
    /// The resolution status that the completed investigation has.
    pub status: ResolutionStatus,
    /// The source of the status: `caller`, `webhook` or `default`.
    pub status_source: &'static str,
    /// Knowledge and preferences captured from the agents' answers.
    pub captured: Captured,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl Operations {
    /// Saves the result of the investigation of an incident in a memory.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `NotFound` if the investigation does not exist; `Denied` if
    /// the caller may not write it.
    pub async fn investigation_complete(
        &self,
        caller: &Principal,
        of: (MemoryId, String),
        said: InvestigationComplete,
    ) -> Result<InvestigationCompleted> {
        let asked = CompletionRequest::of(of, said)?;
        for _ in 1..TRIES {
            match self.complete_as_read(caller, &asked).await {
                // An alert notice or another caller changed the record meanwhile: read it again.
                Err(error) if error.kind == ErrorKind::Conflict => {}
                done => return done,
            }
        }
        self.complete_as_read(caller, &asked).await
    }

    async fn complete_as_read(
        &self,
        caller: &Principal,
        asked: &CompletionRequest,
    ) -> Result<InvestigationCompleted> {
        if !self.settings.of(&asked.memory).enabled {
            return Ok(InvestigationCompleted {
                reason: Some(OFF),
                status_source: "default",
                ..Default::default()
            });
        }
        let about = (asked.incident.as_str(), asked.said.session_id.as_deref());
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

    /// Saves the knowledge and preferences in the agents' answers and the final answer.
    async fn capture_results(
        &self,
        caller: &Principal,
        asked: &CompletionRequest,
        known: &StoredInvestigation,
        captured: &mut Captured,
    ) -> Result<()> {
        let calls: BTreeSet<String> =
            asked.said.agent_results.values().flat_map(|result| calls_of(&result.tool_calls)).collect();
        for (agent, result) in &asked.said.agent_results {
            let answer = AnswerContext {
                memory: &asked.memory,
                incident: &incident_word(&known.incident),
                agent,
                session: &known.session_id(),
                user: &known.proposes_for(caller).1,
                private_to: known.private_to(),
                text: &result.text,
                services: if asked.said.services.is_empty() {
                    known.services()
                } else {
                    asked.said.services.clone()
                },
                calls: &calls,
                job: None,
            };
            captured.append(self.capture(caller, &answer).await?.0);
            self.capture_sentences(caller, &answer, captured).await?;
        }
        let answer = asked.said.final_response.as_deref().unwrap_or_default();
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
        asked: &CompletionRequest,
        known: &StoredInvestigation,
        done: &mut InvestigationCompleted,
    ) -> Result<()> {
        let at = self.engine.now();
        let now = at.to_rfc3339();
        let findings = findings_of(asked, done);
        let taken = actions_of(asked, done);
        let mut data = began(known);
        let mut put = |name: &str, value: Value| data.insert(name.to_owned(), value);
        put("incident_id", json!(known.incident));
        asked.said.query.as_ref().map(|query| put("query", json!(query)));
        if !asked.said.services.is_empty() {
            put("services", json!(asked.said.services));
        }
        put("timeline", Value::Array(asked.said.timeline.clone()));
        put("actions_taken", Value::Array(taken));
        put("key_findings", Value::Array(findings.into_iter().map(as_object).collect()));
        put("root_cause", json!(asked.said.root_cause));
        put("used_record_ids", json!(asked.said.used_record_ids));
        put("harmful_record_ids", json!(asked.said.harmful_record_ids));
        put("resolution_status", json!(asked.status.map(ResolutionStatus::as_str)));
        // A repeated completion keeps the first completion time.
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

/// Returns the findings in the request. If it has none, returns those of the final answer.
fn findings_of(asked: &CompletionRequest, done: &mut InvestigationCompleted) -> Vec<Value> {
    if let Some(given) = &asked.said.findings {
        return given.clone();
    }
    let (found, lost) = findings(asked.said.final_response.as_deref().unwrap_or_default());
    if lost > 0 {
        done.warnings
            .push(format!("findings: {lost} of the final answer are too long or too many and not kept"));
    }
    found
}

/// Returns the actions in the request. If it has none, returns those that the results report.
fn actions_of(asked: &CompletionRequest, done: &mut InvestigationCompleted) -> Vec<Value> {
    if !asked.said.actions.is_empty() {
        return asked.said.actions.clone();
    }
    let mut reports: Vec<AgentText<'_>> = Vec::new();
    for (agent, result) in &asked.said.agent_results {
        reports.push(AgentText { by: Some(agent), text: &result.text, calls: &result.tool_calls });
    }
    if let Some(answer) = &asked.said.final_response {
        reports.push(AgentText { by: None, text: answer, calls: &[] });
    }
    let (found, lost) = actions(&reports);
    if lost > 0 {
        done.warnings.push(format!("actions: {lost} of the results are too many and not kept: name them"));
    }
    found
}

/// Returns the members set at the start, which a completion keeps.
fn began(known: &StoredInvestigation) -> Map<String, Value> {
    debug_assert_eq!(
        known.record.kind,
        RecordKind::Investigation,
        "investigations are found by their subtype"
    );
    let stays = ["query", "services", "fingerprint", "alert", "tz", "started_at", "resolved_at", "context"];
    let member = |name: &str| known.content.get(name).map(|value| (name.to_owned(), value.clone()));
    stays.into_iter().filter_map(member).collect()
}

/// Returns a finding as an object with a category, so that it can be marked as unverified.
fn as_object(finding: Value) -> Value {
    match finding {
        Value::String(text) => json!({"text": text, "category": "observation"}),
        other => other,
    }
}

/// Returns the error with the request member in place of the record member.
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
