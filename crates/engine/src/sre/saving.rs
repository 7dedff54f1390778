//! `sre_save`: what an operations agent learned, as one event and its typed records in one write (sre-memory.md §4). No model reads it: the
//! caller says what it is. Which of several counts is [`super::keeping`]'s matter.

use std::collections::BTreeMap;

use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::expiry::ExpirySpecification;
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::sre::{SreSource, SreType};
use loci_model::{EventId, JobId, MemoryId, RecordId, Result, limits};
use serde_json::Value;

use super::drafts::{Draft, drafts};
use super::keeping::{SreAction, keep};
use super::{canonical, masking, place};
use crate::events::{NewEvent, Prepared};
use crate::memories::existing;
use crate::records::batch;
use crate::records::writing::Building;
use crate::safety::SafetyPolicy;
use crate::{Engine, access};

/// The event's word for what it holds: it feeds that strategy and no other.
const EVENT_TYPE: &str = "loci.memoryType";

/// Something to be remembered.
#[derive(Clone, PartialEq)]
pub struct SreSave {
    /// The memory.
    pub memory: MemoryId,
    /// What it is.
    pub kind: SreType,
    /// The user, or for infrastructure the agent that learned it.
    pub actor: String,
    /// The session; preferences have none.
    pub session: Option<String>,
    /// What is said.
    pub data: Value,
    /// Who says it: the door's word, never the request's.
    pub source: SreSource,
}

/// What became of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreKept {
    /// The record; none where it was refused.
    pub record: Option<RecordId>,
    /// The key of a preference, or the incident.
    pub key: Option<String>,
    /// What became of it.
    pub action: SreAction,
    /// Why, where that is not plain.
    pub reason: Option<String>,
}

/// What became of all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreSaved {
    /// The event; none where nothing was stored.
    pub event: Option<EventId>,
    /// Its records, in the order of their keys.
    pub records: Vec<SreKept>,
}

/// What a write is made of, before it.
#[derive(Clone)]
struct Ready {
    asked: SreSave,
    event: Prepared,
    ids: Vec<RecordId>,
    random: String,
    job: JobId,
}

impl Engine {
    /// Stores what an operations agent learned.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `Denied` for whoever may not write there, and for preferences and investigations of somebody else;
    /// `Conflict` where the memory has no strategy for it.
    pub async fn sre_save(&self, caller: &Principal, asked: SreSave) -> Result<SreSaved> {
        let actor = place::actor(asked.kind, &asked.actor)?;
        let session = place::session(asked.kind, asked.session.as_deref())?;
        access::require_events(caller, &asked.memory, &actor, Some(&session), Capability::Write)?;
        let is_of_user = asked.kind != SreType::Infrastructure;
        if is_of_user {
            access::require_user(caller, &asked.memory, (&actor, &asked.actor))?;
        }
        let event = self.prepare(NewEvent {
            memory: asked.memory.clone(),
            actor,
            session: Some(session),
            time: None,
            payload: Vec::new(),
            branch: None,
            metadata: BTreeMap::from([(EVENT_TYPE.to_owned(), asked.kind.as_str().to_owned())]),
            extraction: ExtractionMode::Skip,
            namespace_variables: BTreeMap::new(),
            over_limit: false,
        })?;
        let now = self.clock.now();
        let id = || RecordId::compose(&uuid7(self.ids.as_ref(), now.millis()));
        let ids = (0..limits::SRE_PREFERENCE_KEYS_MAX).map(|_| id()).collect::<Result<_>>()?;
        let random = loci_model::ports::ids::letters_and_digits(self.ids.as_ref(), 6).to_lowercase();
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let ready = Ready { asked, event, ids, random, job };
        let (engine, caller) = (self.clone(), caller.clone());
        let saved = self.store.write(move |tx| engine.sre_save_in(tx, &caller, &ready)).await?;
        self.wake.call();
        Ok(saved)
    }

    fn sre_save_in(&self, tx: &mut dyn Tx, caller: &Principal, ready: &Ready) -> Result<SreSaved> {
        let memory = existing(tx, &ready.asked.memory)?;
        let strategy = place::strategy(&memory, ready.asked.kind)?;
        let policy = SafetyPolicy::of(&self.settings, &memory.settings);
        let mut asked = ready.asked.clone();
        masking::mask(&mut asked.data, policy.secrets);
        let now = ready.event.now();
        let drafts = drafts(&asked, &ready.random, now)?;
        let mut saved = SreSaved { event: None, records: Vec::new() };
        if drafts.iter().all(|draft| draft.refused.is_some()) {
            saved.records = drafts.iter().map(refused).collect();
            return Ok(saved);
        }
        let event = self.sre_event(tx, caller, &memory, ready, &asked.data)?;
        let view = access::record_view(caller, &memory.id, Capability::Write)?;
        let expiry = strategy.record_expiry_days.map(ExpirySpecification::Days);
        let by = caller.name.as_str();
        let building = Building { memory: &memory, view: &view, policy, expiry, by, now };
        for (draft, (id, part)) in drafts.iter().zip(ready.ids.iter().zip(0_u32..)) {
            if draft.refused.is_some() {
                saved.records.push(refused(draft));
                continue;
            }
            let record = draft.record(&building, strategy, &asked, (&ready.event, &event, part), id)?;
            let near = (asked.kind != SreType::Infrastructure).then_some(ready.event.actor());
            let scope = place::scope(&memory, asked.kind, near, now)?;
            let reason = record.state_reason.clone();
            let (record, action) = keep(tx, &building, record, scope)?;
            saved.records.push(SreKept { record: Some(record), key: draft.key.clone(), action, reason });
        }
        batch::ask_for_vectors(tx, &memory.id, &ready.job, now)?;
        saved.event = Some(event);
        Ok(saved)
    }

    fn sre_event(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        memory: &Memory,
        ready: &Ready,
        data: &Value,
    ) -> Result<EventId> {
        let text = canonical::text(data);
        let payload = vec![PayloadItem::Conversational { role: Role::Assistant, text }];
        let stored = self.event_store_in(tx, caller, memory, &ready.event.with_payload(payload), None)?;
        Ok(stored.event.id)
    }
}

fn refused(draft: &Draft) -> SreKept {
    SreKept {
        record: None,
        key: draft.key.clone(),
        action: SreAction::Rejected,
        reason: draft.refused.map(str::to_owned),
    }
}
