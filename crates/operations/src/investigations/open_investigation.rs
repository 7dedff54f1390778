//! `investigation_find`: adds a finding to an open investigation, as its next version. Also finds
//! the open investigation of a user, and the user of a session, for tool calls that name neither.

use std::collections::BTreeSet;

use loci_engine::access;
use loci_engine::memories::existing;
use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordKind;
use loci_model::record::scope::{AccessClause, RecordScope};
use loci_model::services::knowledge::{FindingCategory, SreType};
use loci_model::{ActorId, Error, MemoryId, RecordId, Result, limits};
use serde_json::{Map, Value, json};

use super::investigation_lookup::{StoredInvestigation, is_hidden};
use super::session_exposures::has_joined;
use crate::Operations;
use crate::records::namespace_rules;

/// The maximum number of a user's investigations that are read, newest first.
const LOOKED_AT: usize = 50;

/// A finding.
#[derive(Debug, Clone, PartialEq)]
pub struct InvestigationFinding {
    /// The memory that contains the investigation.
    pub memory: MemoryId,
    /// The user who receives the finding. The caller works for that user.
    pub user: String,
    /// The incident. `None`: the one of the session, or the user's own open investigation that
    /// started last.
    pub incident: Option<String>,
    /// The session. `None`: determined by the incident, or the user's own open investigation.
    pub session: Option<String>,
    /// The text of the finding.
    pub text: String,
    /// The category of the finding.
    pub category: FindingCategory,
}

/// An open investigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenInvestigation {
    /// The id of the incident that is investigated.
    pub incident: String,
    /// The id of the session that holds the investigation's events.
    pub session: String,
}

impl Operations {
    /// Returns the open investigation of a user: the user's own that started last, otherwise the
    /// last open one by another user or an alert that the user joined. If a session is named,
    /// returns the open investigation of that session.
    ///
    /// # Errors
    /// `Denied` for a caller who may not read, or does not work for that user.
    pub async fn investigation_open(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        (user, session): (&str, Option<&str>),
    ) -> Result<Option<OpenInvestigation>> {
        let actor = self.sre_actor_of_user(memory, user)?;
        access::require_user(caller, memory, (&actor, user), Capability::Read)?;
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Read, now)?;
        let memory = memory.clone();
        let (session, name) = (session.map(str::to_owned), user.to_owned());
        let mut open = self
            .engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let open_of = |actor: Option<&ActorId>| -> Result<Vec<StoredInvestigation>> {
                    let scope = namespace_rules::scope(&memory, SreType::Investigations, actor, now)?;
                    let kinds = vec![RecordKind::Investigation];
                    let scope = RecordScope { view: view.clauses().to_vec(), kinds, ..scope };
                    let records = tx.records().list(&RecordPage { scope, after: None, limit: LOOKED_AT })?;
                    let is_meant = |one: &StoredInvestigation| {
                        one.is_open()
                            && !is_hidden(&one.record, &name)
                            && session.as_ref().is_none_or(|session| one.session_id() == *session)
                    };
                    Ok(records.into_iter().filter_map(StoredInvestigation::of).filter(is_meant).collect())
                };
                let mut open = open_of(Some(&actor))?;
                if open.is_empty() {
                    for one in open_of(None)? {
                        if session.is_some() || has_joined(tx, &memory.id, &one.session, &actor)? {
                            open.push(one);
                        }
                    }
                }
                Ok(open)
            })
            .await?;
        open.sort_by(|a, b| (b.began(), &b.record.id).cmp(&(a.began(), &a.record.id)));
        Ok(open
            .first()
            .map(|one| OpenInvestigation { incident: one.incident.clone(), session: one.session_id() }))
    }

    /// Returns the user whose investigation is in a session. `None` if the caller can see none, if
    /// an alerting system opened it, or if several users have a session with that name.
    ///
    /// # Errors
    /// `Invalid` if the text is not a session id; `Denied` for a caller who may not read.
    pub(crate) async fn sre_user_of_session(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        session: &str,
    ) -> Result<Option<String>> {
        let session = namespace_rules::session(SreType::Investigations, Some(session))?;
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Read, now)?;
        let memory = memory.clone();
        let clause = AccessClause { session: Some(session.clone()), ..AccessClause::default() };
        let users = self
            .engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let scope = namespace_rules::scope(&memory, SreType::Investigations, None, now)?;
                let kinds = vec![RecordKind::Investigation];
                let scope = RecordScope { view: vec![clause.clone()], kinds, ..scope };
                let records = tx.records().list(&RecordPage { scope, after: None, limit: LOOKED_AT })?;
                let seen = records
                    .into_iter()
                    .filter(|record| view.admits(record))
                    .filter_map(StoredInvestigation::of);
                let of_session = seen.filter(|one| one.session == session);
                let of_users = of_session.filter(|one| one.alert("source") != Some(one.user().as_str()));
                Ok(of_users.map(|one| one.user()).collect::<BTreeSet<String>>())
            })
            .await?;
        let mut users = users.into_iter();
        Ok(users.next().filter(|_| users.next().is_none()))
    }

    /// Adds a finding to an investigation. Repeating a finding changes nothing.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `NotFound` if no investigation is open; `Denied` if the caller
    /// may not write it.
    pub async fn investigation_find(
        &self,
        caller: &Principal,
        asked: InvestigationFinding,
    ) -> Result<RecordId> {
        let length = asked.text.chars().count();
        if asked.text.trim().is_empty() || length > limits::SRE_TEXT_CHARS_MAX {
            let rule = format!("finding must have 1 to {} characters", limits::SRE_TEXT_CHARS_MAX);
            return Err(Error::invalid("finding", rule));
        }
        let incident = match &asked.incident {
            Some(incident) => incident.clone(),
            None => {
                let of = (asked.user.as_str(), asked.session.as_deref());
                let open = self.investigation_open(caller, &asked.memory, of).await?;
                let rule = format!(
                    "no investigation of {} is open: begin one with POST /v1/investigations, or give incident_id",
                    asked.user
                );
                open.map(|open| open.incident).ok_or_else(|| Error::not_found(rule).on("incident_id"))?
            }
        };
        let about = (incident.as_str(), asked.session.as_deref());
        let known =
            self.investigation_for(caller, (&asked.memory, &asked.user), about, Capability::Write).await?;
        let place = (asked.memory.clone(), known.record.id.clone());
        self.rewrite(caller, (&place.0, &place.1), move |tx, rewriting| {
            match with_finding(&rewriting.known, &asked)? {
                None => Ok(rewriting.known.record.id.clone()),
                Some(content) => {
                    rewriting.write(tx, content, "a finding was added", |_| {}).map(|record| record.id)
                }
            }
        })
        .await
    }
}

/// Returns the content with the finding added. `None` if it already contains the finding.
fn with_finding(
    known: &StoredInvestigation,
    asked: &InvestigationFinding,
) -> Result<Option<Map<String, Value>>> {
    let mut content = known.content.clone();
    let findings = content.entry("key_findings").or_insert_with(|| json!([]));
    let Some(findings) = findings.as_array_mut() else {
        return Err(Error::bug("findings of an investigation are no list"));
    };
    let is_same = |one: &Value| {
        one.as_str().or_else(|| one.get("text").and_then(Value::as_str)) == Some(asked.text.as_str())
    };
    if findings.iter().any(is_same) {
        return Ok(None);
    }
    if findings.len() >= limits::SRE_ITEMS_MAX {
        let rule = format!("an investigation has at most {} findings", limits::SRE_ITEMS_MAX);
        return Err(Error::invalid("finding", rule));
    }
    findings.push(json!({"text": asked.text, "category": asked.category.as_str(), "unverified": true}));
    Ok(Some(content))
}
