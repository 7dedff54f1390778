//! The job that summarises the session of an investigation when it is completed. The summary is a
//! separate record in the same namespace, and never replaces the typed record. The job reads only
//! events that the caller who completed the investigation could read.

use std::collections::BTreeSet;

use loci_engine::access;
use loci_engine::hooks::Products;
use loci_engine::memories::existing;
use loci_engine::records::record_builder::{Building, Origin};
use loci_engine::records::{NewRecord, batch};
use loci_engine::safety::SafetyPolicy;
use loci_engine::strategies::turns::turn::{Turn, turns_of_message};
use loci_model::event::{Event, PayloadItem};
use loci_model::job::{DueRule, Job, NewJob};
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{EventQuery, ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::provenance::Provenance;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordOrigin};
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{
    ActorId, EventId, JobId, MemoryId, NamespaceFilter, NamespaceMatch, RecordId, Result, SessionId,
    Timestamp,
};
use serde_json::Value;

use super::agent_response::{INCIDENT, TYPE_RESPONSE, in_stead, incident_word};
use super::investigation_lookup::{StoredInvestigation, of_incident};
use super::session_text::{SessionText, session_text};
use crate::Operations;
use crate::records::precedence::{said_of_it, seal};
use crate::records::save::{EVENT_TYPE, OWNER, PRIVATE, SCOPE};
use crate::records::{drafts, namespace_rules};
use crate::retrieval::scores::{TRUST, UNTRUSTED};
use crate::settings::SreSettings;

/// The prefix of a job's key, before the id of the completing event.
const JOB_KEY: &str = "session-summary:";
/// The prefix of the subtype of session summaries.
const SUBTYPE: &str = "session_summary";
/// The maximum number of events read per actor, newest first.
const EVENTS_MAX: usize = 200;

/// True for a session summary, which is no investigation although it is in the same namespace.
pub(crate) fn is_session_summary(record: &Record) -> bool {
    record.subtype.as_deref().is_some_and(|subtype| subtype.starts_with(SUBTYPE))
}

/// Enqueues the job, in the transaction that stores the event.
pub(crate) fn ask_for_session_summary(
    tx: &mut dyn Tx,
    (memory, actor, session): (&MemoryId, &ActorId, &SessionId),
    event: &EventId,
    job: &JobId,
    now: Timestamp,
) -> Result<()> {
    let new = NewJob {
        id: job.clone(),
        memory: memory.clone(),
        kind: crate::jobs::session_summary::KIND,
        unique_key: format!("{JOB_KEY}{event}"),
        strategy: None,
        actor: Some(actor.clone()),
        session: Some(session.clone()),
        due: now,
        due_rule: DueRule::Earlier,
    };
    tx.jobs_mut().enqueue(&new, now).map(drop)
}

/// The input of a summary.
struct SummaryInput {
    known: StoredInvestigation,
    turns: Vec<Turn>,
    /// True if older events were not read.
    is_cut: bool,
}

impl Operations {
    /// Summarises the session that a job names.
    pub(crate) async fn run_session_summary(&self, job: &Job) -> Result<()> {
        let settings = self.settings.of(&job.memory).clone();
        let (Some(actor), Some(session)) = (job.actor.clone(), job.session.clone()) else { return Ok(()) };
        let Ok(id) = EventId::parse(job.unique_key.strip_prefix(JOB_KEY).unwrap_or_default()) else {
            return Ok(());
        };
        if !settings.auto_generate_summaries {
            return Ok(());
        }
        let (memory, products, now) = (job.memory.clone(), self.engine.products().clone(), self.engine.now());
        let found = self
            .engine
            .store()
            .read(move |tx| {
                let Some(event) = tx.events().get(&memory, &actor, &session, &id, now)? else {
                    return Ok(None);
                };
                let caller = in_stead(&event);
                let memory = existing(tx, &memory)?;
                Ok(said(tx, (&products, &caller, &memory), &event, &settings, now)?
                    .map(|said| (caller, said)))
            })
            .await?;
        let Some((caller, said)) = found else { return Ok(()) };
        let Some(summary) = session_text(&said.turns, said.is_cut) else { return Ok(()) };
        self.put_session_summary(&caller, &job.memory, said.known, summary, now).await
    }

    async fn put_session_summary(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        known: StoredInvestigation,
        summary: SessionText,
        now: Timestamp,
    ) -> Result<()> {
        let id = RecordId::compose(&uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let embed = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Write, now)?;
        let (settings, by, memory) = (self.engine.settings().clone(), caller.name.clone(), memory.clone());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let expiry = namespace_rules::strategy(&memory, SreType::Investigations)?.record_expiry_days;
                let policy = SafetyPolicy::of(&settings, &memory.settings);
                let expiry = expiry.map(ExpirySpecification::Days);
                let building = Building { memory: &memory, view: &view, policy, expiry, by: &by, now };
                let record = record(&building, &known, &summary, &id)?;
                let node = NamespaceFilter::new(&record.namespace, NamespaceMatch::Exact);
                let scope = RecordScope {
                    view: view.clauses().to_vec(),
                    namespaces: vec![node],
                    ..namespace_rules::scope(&memory, SreType::Investigations, None, now)?
                };
                let before = said_of_it(tx, scope, record.subtype.as_deref().unwrap_or_default())?;
                match before.into_iter().next() {
                    Some(old) if old.text == record.text => return Ok(()),
                    Some(old) => {
                        building.replace(tx, &old, record, "more was said in its session").map(drop)?
                    }
                    None => building.insert(tx, &record)?,
                }
                batch::ask_for_vectors(tx, &memory.id, &embed, now)
            })
            .await
    }
}

/// Returns the conversation in the session of the investigation that an event completed, as far as
/// the caller may read it.
fn said(
    tx: &dyn ReadTx,
    (products, caller, memory): (&Products, &Principal, &Memory),
    event: &Event,
    settings: &SreSettings,
    now: Timestamp,
) -> Result<Option<SummaryInput>> {
    let Some(incident) = incident_of(event) else { return Ok(None) };
    let view = access::bound_view(products, caller, &memory.id, Capability::Write, now)?;
    let all = of_incident(tx, memory, &view, &incident, now)?;
    let is_it = |one: &StoredInvestigation| one.actor == event.actor && one.session == event.session;
    let Some(known) = all.into_iter().find(is_it) else { return Ok(None) };
    let agents = settings.agents.iter().chain(&settings.capture_agents);
    let agents =
        agents.filter_map(|name| namespace_rules::actor(SreType::Infrastructure, name, settings).ok());
    let actors: BTreeSet<ActorId> = agents.chain([known.actor.clone()]).collect();
    let (mut turns, mut is_cut) = (Vec::new(), false);
    for actor in actors {
        let may = access::event_view(caller, &memory.id, &actor, Some(&known.session), Capability::Read, now);
        let Ok(may) = may else { continue };
        let mut events = tx.events().list(&EventQuery {
            memory: memory.id.clone(),
            actor,
            session: known.session.clone(),
            branches: None,
            metadata: Vec::new(),
            only: may.only(),
            before: None,
            limit: EVENTS_MAX + 1,
            now,
            with_payload: true,
        })?;
        is_cut |= events.len() > EVENTS_MAX;
        events.truncate(EVENTS_MAX);
        for event in events.iter().filter(|event| is_talk(event, &known)) {
            turns.extend((0..event.payload.len()).flat_map(|message| turns_of_message(event, message)));
        }
    }
    turns.sort_by_key(Turn::position);
    Ok(Some(SummaryInput { known, turns, is_cut }))
}

/// True for conversation about an investigation, as opposed to events whose content is a typed
/// record. In a shared session, an event belongs to the incident that it names. An event without an
/// incident counts only if its actor is the investigation's user. Private events count only for a
/// private investigation.
fn is_talk(event: &Event, known: &StoredInvestigation) -> bool {
    let is_said = event.metadata.get(EVENT_TYPE).is_none_or(|kind| kind == TYPE_RESPONSE);
    let is_of_it = match event.metadata.get(INCIDENT) {
        Some(word) => *word == incident_word(&known.incident),
        None => event.actor == known.actor,
    };
    let may_be_told = !event.metadata.contains_key(PRIVATE) || known.private_to().is_some();
    is_said && is_of_it && may_be_told
}

/// Returns the incident of a saved investigation.
fn incident_of(event: &Event) -> Option<String> {
    let text = event.payload.iter().find_map(|item| match item {
        PayloadItem::Conversational { text, .. } => Some(text),
        PayloadItem::Blob(_) | PayloadItem::Json(_) => None,
    })?;
    let data: Value = loci_json::from_str(text).ok()?;
    data.get("incident_id")?.as_str().map(str::to_owned)
}

fn record(
    building: &Building<'_>,
    known: &StoredInvestigation,
    summary: &SessionText,
    id: &RecordId,
) -> Result<Record> {
    let text = |text: &str| MetadataValue::String(text.to_owned());
    let mut metadata = Metadata::from([
        ("incident_id".to_owned(), text(&known.incident)),
        // It may contain tool output.
        (TRUST.to_owned(), text(UNTRUSTED)),
    ]);
    for key in [SCOPE, OWNER] {
        let kept = known.record.metadata.get(key);
        metadata.extend(kept.map(|value| (key.to_owned(), value.clone())));
    }
    let namespaces = vec![known.record.namespace.clone()];
    let of_incident = drafts::incident_subtype(&known.incident);
    let new = NewRecord {
        kind: RecordKind::Summary,
        subtype: Some(format!("{SUBTYPE}/{of_incident}")),
        strategy: known.record.strategy.clone(),
        metadata,
        ..NewRecord::fact(String::new(), namespaces, summary.text.clone(), building.now)
    };
    let provenance = Provenance {
        actor: Some(known.actor.clone()),
        session: Some(known.session.clone()),
        sources: summary.sources.clone(),
        ..Provenance::default()
    };
    let index_text = Some(summary.index_text.clone());
    let (mut record, _) =
        building.build(&new, id, Origin { provenance, origin: RecordOrigin::Extracted, index_text })?;
    seal(&mut record, SreSource::Extracted);
    Ok(record)
}
