//! `sre_save`: saves what an operations agent learned as one event and its typed records, in one
//! transaction. No model is involved: the caller states the type. [`super::precedence`] decides
//! which records become active.

use std::collections::BTreeMap;

use loci_engine::access;
use loci_engine::access::segment;
use loci_engine::calls::idempotency::{ClientToken, look_up, recall, remember, replayed};
use loci_engine::events::{NewEvent, PreparedEvent};
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::record_builder::Building;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{RedactionMode, SafetyPolicy, SecretKind, Tally};
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::derivation::RecordDerivation;
use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::scope::RecordScope;
use loci_model::services::knowledge::{ResolutionStatus, SreSource, SreType};
use loci_model::{
    ActorId, Error, EventId, JobId, MemoryId, NamespaceFilter, NamespaceMatch, RecordId, Result, SessionId,
    Timestamp, limits,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::drafts::{Draft, Speaker, drafts};
use super::incident_name::incident_random;
use super::namespace_rules;
use super::precedence::{SreAction, keep};
use crate::Operations;
use crate::input::{canonical_json, secret_mask};
use crate::investigations::{ask_for_session_summary, require_first};
use crate::users::correction::gives_way;

/// The metadata key of an event's type: only the strategy of this type processes the event.
pub(crate) const EVENT_TYPE: &str = "loci.memoryType";
/// The metadata key of private events, with the actor of the owner as its value.
pub(crate) const PRIVATE: &str = "loci.private";

/// The operation name of its idempotency tokens.
const OPERATION: &str = "sre_save";

/// The maximum number of records per request.
const RECORDS_MAX: usize = if limits::SRE_PREFERENCE_KEYS_MAX > limits::SRE_BATCH_ITEMS_MAX {
    limits::SRE_PREFERENCE_KEYS_MAX
} else {
    limits::SRE_BATCH_ITEMS_MAX
};

/// A request to save.
#[derive(Clone, PartialEq)]
pub struct SreSave {
    /// The memory in which the record is saved.
    pub memory: MemoryId,
    /// The record type.
    pub kind: SreType,
    /// The user, or for infrastructure the agent that learned it.
    pub actor: String,
    /// The session. Not used for preferences.
    pub session: Option<String>,
    /// The content.
    pub data: Value,
    /// The source, as determined by the interface and never by the request.
    pub source: SreSource,
}

/// The result for one record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SreKept {
    /// The record. `None` if it was rejected.
    pub record: Option<RecordId>,
    /// The key of a preference, or the incident.
    pub key: Option<String>,
    /// The action taken.
    pub action: SreAction,
    /// The reason, if the action needs one.
    pub reason: Option<String>,
}

/// The result of a save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SreSaved {
    /// The event. `None` if nothing was stored.
    pub event: Option<EventId>,
    /// The records, in the order of their keys.
    pub records: Vec<SreKept>,
    /// The kinds of secrets masked before storing.
    pub masked: Vec<String>,
}

/// The metadata keys of a private record: its scope, and its owner.
pub(crate) const SCOPE: &str = "scope";
pub(crate) const SCOPE_PRIVATE: &str = "private";
pub(crate) const OWNER: &str = "owner";

/// Options of a save that are not part of its content.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SaveAs {
    /// The user to whom it is private. Administrators can read it too.
    pub(crate) private_to: Option<String>,
    /// True if the caller joined another user's investigation. The right to write it was already
    /// checked.
    pub(crate) joined: bool,
    /// The status of the investigation according to a notice of another system.
    pub(crate) noticed: Option<ResolutionStatus>,
    /// True if the user states it over the user's own connection.
    pub(crate) in_person: bool,
    /// The record and version on which the save is based. Nothing is stored if the record was
    /// changed since.
    pub(crate) as_read: Option<(RecordId, u32)>,
    /// The record that is corrected.
    pub(crate) corrects: Option<RecordId>,
    /// The idempotency token: a repeated one is not executed again.
    pub(crate) token: Option<ClientToken>,
    /// Additional metadata of the event.
    pub(crate) metadata: BTreeMap<String, String>,
    /// The job that summarises the session of a completed investigation.
    pub(crate) summing_up: Option<JobId>,
    /// The alert of a new investigation. Nothing is stored if the alert has an open investigation
    /// that can be joined.
    pub(crate) first_of: Option<InvestigationSeed>,
    /// The provenance of content made by a model.
    pub(crate) making: Option<RecordDerivation>,
}

/// The alert and the user of a new investigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InvestigationSeed {
    /// The fingerprint of the alert.
    pub(crate) fingerprint: String,
    /// The user. `None`: an alerting system, for the team.
    pub(crate) user: Option<String>,
    /// True if it will be private to that user.
    pub(crate) is_private: bool,
}

/// Generated ids of a save, made before the transaction.
#[derive(Clone)]
pub(crate) struct SaveIds {
    ids: Vec<RecordId>,
    random: String,
    job: JobId,
}

impl SaveIds {
    /// Returns the random suffix of a generated incident name.
    pub(crate) fn random(&self) -> &str {
        &self.random
    }

    /// Returns the ids of the records.
    pub(crate) fn ids(&self) -> &[RecordId] {
        &self.ids
    }

    /// Returns the id of the job that embeds them.
    pub(crate) fn job(&self) -> &JobId {
        &self.job
    }
}

/// Data prepared before the transaction.
#[derive(Clone)]
struct PreparedSave {
    asked: SreSave,
    how: SaveAs,
    event: PreparedEvent,
    naming: SaveIds,
}

/// The namespace and the source event of the records of a save.
#[derive(Clone, Copy)]
pub(crate) struct SaveOrigin<'a> {
    /// The actor, in the spelling of namespaces.
    pub(crate) actor: &'a ActorId,
    /// The session, in the spelling of namespaces.
    pub(crate) session: &'a SessionId,
    /// The event.
    pub(crate) event: &'a EventId,
    /// The actor and the session of the event, in the spelling of events.
    pub(crate) of: (&'a ActorId, &'a SessionId),
    /// The user to whom the records are private.
    pub(crate) private_to: Option<&'a str>,
    /// The provenance of records made by a model.
    pub(crate) making: Option<&'a RecordDerivation>,
}

impl Operations {
    /// Saves what an operations agent learned.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `Denied` if the caller may not write there, and for
    /// preferences and investigations of another user; `Conflict` if the memory has no strategy for
    /// the type.
    pub async fn sre_save(&self, caller: &Principal, asked: SreSave) -> Result<SreSaved> {
        self.sre_save_as(caller, asked, SaveAs::default()).await
    }

    /// Like [`Self::sre_save`], for a statement over the user's own connection: contacts that the
    /// operator knows need no confirmation. The record is private to the caller if `is_private`. A
    /// repeated `token` returns the first result.
    ///
    /// # Errors
    /// As [`Self::sre_save`]; `Invalid` if the token was used with another request.
    pub async fn sre_save_in_person(
        &self,
        caller: &Principal,
        asked: SreSave,
        is_private: bool,
        token: Option<ClientToken>,
    ) -> Result<SreSaved> {
        let private_to = is_private.then(|| caller.name.clone());
        let how = SaveAs { in_person: true, private_to, token, ..SaveAs::default() };
        self.sre_save_as(caller, asked, how).await
    }

    /// Like [`Self::sre_save`], with the options of a hook.
    pub(crate) async fn sre_save_as(
        &self,
        caller: &Principal,
        asked: SreSave,
        mut how: SaveAs,
    ) -> Result<SreSaved> {
        self.settings.of(&asked.memory).require_on()?;
        how.token = how.token.map(|token| token.of_person(caller)).transpose()?;
        let actor = namespace_rules::actor(asked.kind, &asked.actor, self.settings.of(&asked.memory))?;
        let session = namespace_rules::session(asked.kind, asked.session.as_deref())?;
        let now = self.engine.now();
        let view = access::event_view(caller, &asked.memory, &actor, Some(&session), Capability::Write, now)?;
        let is_of_user = asked.kind != SreType::Infrastructure;
        if is_of_user && !how.joined {
            access::require_user(caller, &asked.memory, (&actor, &asked.actor), Capability::Write)?;
        }
        let mut metadata = how.metadata.clone();
        metadata.insert(EVENT_TYPE.to_owned(), asked.kind.as_str().to_owned());
        if let Some(owner) = &how.private_to {
            metadata.insert(PRIVATE.to_owned(), segment::encode(owner, "owner")?);
        }
        let mut event = self.engine.prepare(NewEvent {
            memory: asked.memory.clone(),
            actor,
            session: Some(session),
            time: None,
            payload: Vec::new(),
            branch: None,
            metadata,
            extraction: ExtractionMode::Skip,
            namespace_variables: BTreeMap::new(),
            over_limit: false,
        })?;
        event.put_within(&view)?;
        let kind = asked.kind;
        let ready = PreparedSave { asked, how, event, naming: self.sre_naming(now)? };
        let (operations, caller) = (self.clone(), caller.clone());
        let (saved, found) =
            self.engine.store().write(move |tx| operations.sre_save_in(tx, &caller, &ready)).await?;
        found.tell(self.engine.observe().as_ref());
        self.sre_tell_saved(kind, &saved);
        self.engine.wake().call();
        Ok(saved)
    }

    /// Returns the result of the first save with a token.
    ///
    /// # Errors
    /// `Invalid` if the token was used with another request.
    pub(crate) async fn sre_saved_before(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        token: Option<&ClientToken>,
    ) -> Result<Option<SreSaved>> {
        let Some(token) = token.cloned() else { return Ok(None) };
        let (token, memory, now) = (token.of_person(caller)?, memory.clone(), self.engine.now());
        self.engine
            .store()
            .write(move |tx| replayed(recall(tx, Some(&token), Some(&memory), OPERATION, now)?))
            .await
    }

    /// Returns the generated ids of a save.
    pub(crate) fn sre_naming(&self, now: Timestamp) -> Result<SaveIds> {
        let id = || RecordId::compose(&uuid7(self.engine.ids().as_ref(), now.millis()));
        Ok(SaveIds {
            ids: (0..RECORDS_MAX).map(|_| id()).collect::<Result<_>>()?,
            random: incident_random(self.engine.ids().as_ref()),
            job: JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?,
        })
    }

    fn sre_save_in(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        ready: &PreparedSave,
    ) -> Result<(SreSaved, Tally)> {
        let memory = existing(tx, &ready.asked.memory)?;
        namespace_rules::strategy(&memory, ready.asked.kind)?;
        let (token, now) = (ready.how.token.as_ref(), ready.event.now());
        let before = look_up(tx, self.engine.vault().as_ref(), token, Some(&memory.id), OPERATION, now)?;
        if let Some(first) = replayed(before)? {
            return Ok((first, Tally::default()));
        }
        if let Some((id, version)) = &ready.how.as_read {
            let fresh = tx.records().get(&memory.id, id)?;
            if fresh.is_some_and(|fresh| fresh.version != *version) {
                return Err(Error::conflict("it was changed meanwhile: read it again"));
            }
        }
        if let Some(first) = &ready.how.first_of {
            require_first(tx, self.engine.products(), caller, &memory, first, now)?;
        }
        let mut asked = ready.asked.clone();
        let masked = self.sre_masked(&memory, &mut asked);
        let found = Tally::of_masked(&masked);
        let masked = masked.iter().map(|kind| kind.as_str().to_owned()).collect();
        let noticed = ready.how.noticed;
        let zone = self.zone_of_said(tx, caller, (&memory, &asked), now)?;
        let speaker = Speaker {
            settings: self.settings.of(&memory.id),
            name: &caller.name,
            zone: &zone,
            noticed,
            in_person: ready.how.in_person,
        };
        let drafts = drafts(&asked, &speaker, &ready.naming.random, now)?;
        let mut saved = SreSaved { event: None, records: Vec::new(), masked };
        if drafts.iter().all(|draft| draft.refused.is_some()) {
            saved.records = drafts.iter().map(refused).collect();
            return Ok((saved, found));
        }
        let event = self.sre_event(tx, caller, &memory, ready, &asked.data)?;
        let of = (ready.event.actor(), ready.event.session());
        if let Some(job) = &ready.how.summing_up {
            ask_for_session_summary(tx, (&memory.id, of.0, of.1), &event, job, now)?;
        }
        let private_to = ready.how.private_to.as_deref();
        let making = ready.how.making.as_ref();
        let spring = SaveOrigin { actor: of.0, session: of.1, event: &event, of, private_to, making };
        saved.records =
            self.sre_records_in(tx, caller, (&memory, &asked), (&drafts, &ready.naming), spring, now)?;
        if let Some(old) = &ready.how.corrects {
            let changing = StateTransition { memory: &memory, by: &caller.name, at: now };
            gives_way(tx, &changing, old, &saved.records)?;
        }
        saved.event = Some(event);
        // A request that stored nothing is not remembered, so that a corrected one can reuse the
        // token.
        let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
        remember(tx, token, Some(&memory.id), OPERATION, &saved, expires)?;
        Ok((saved, found))
    }

    /// Masks secrets in the values of the content, and returns their kinds.
    pub(crate) fn sre_masked(&self, memory: &Memory, asked: &mut SreSave) -> Vec<SecretKind> {
        secret_mask::mask(&mut asked.data, SafetyPolicy::of(self.engine.settings(), &memory.settings).secrets)
    }

    /// Writes the content as records, in the transaction that stores its event.
    pub(crate) fn sre_records_in(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        (memory, asked): (&Memory, &SreSave),
        (drafts, naming): (&[Draft], &SaveIds),
        spring: SaveOrigin<'_>,
        now: Timestamp,
    ) -> Result<Vec<SreKept>> {
        let strategy = namespace_rules::strategy(memory, asked.kind)?;
        let view = access::bound_view(self.engine.products(), caller, &memory.id, Capability::Write, now)?;
        // A declared preference does not expire while the file declares it.
        let expiry = strategy.record_expiry_days.filter(|_| asked.source != SreSource::Declared);
        let expiry = expiry.map(ExpirySpecification::Days);
        // JSON content is masked once, value by value: masking its text would break the JSON.
        let policy = SafetyPolicy {
            secrets: RedactionMode::Off,
            ..SafetyPolicy::of(self.engine.settings(), &memory.settings)
        };
        let by = caller.name.as_str();
        let building = Building { memory, view: &view, policy, expiry, by, now };
        let mut kept = Vec::new();
        for (draft, (id, part)) in drafts.iter().zip(naming.ids.iter().zip(0_u32..)) {
            if draft.refused.is_some() {
                kept.push(refused(draft));
                continue;
            }
            let mut record = draft.record(&building, strategy, asked, (spring, part), id)?;
            record.making = spring.making.cloned().map(Box::new);
            if let Some(owner) = spring.private_to {
                let text = |text: &str| MetadataValue::String(text.to_owned());
                record.metadata.insert(SCOPE.to_owned(), text(SCOPE_PRIVATE));
                record.metadata.insert(OWNER.to_owned(), text(owner));
            }
            let scope = near(memory, asked, spring, now)?;
            let scope = RecordScope { view: view.clauses().to_vec(), ..scope };
            let reason = record.state_reason.clone();
            let (record, action) = keep(tx, &building, record, scope)?;
            kept.push(SreKept { record: Some(record), key: draft.key.clone(), action, reason });
        }
        batch::ask_for_vectors(tx, &memory.id, &naming.job, now)?;
        Ok(kept)
    }

    fn sre_event(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        memory: &Memory,
        ready: &PreparedSave,
        data: &Value,
    ) -> Result<EventId> {
        let text = canonical_json::text(data);
        let payload = vec![PayloadItem::Conversational { role: Role::Assistant, text }];
        let stored =
            self.engine.event_store_in(tx, caller, memory, &ready.event.with_masked(payload), None)?;
        Ok(stored.event.id)
    }
}

/// Returns the scope of records about the same thing: any namespace for knowledge, the user's for
/// preferences, the session's for an incident.
pub(crate) fn near(
    memory: &Memory,
    asked: &SreSave,
    spring: SaveOrigin<'_>,
    now: Timestamp,
) -> Result<RecordScope> {
    let actor = (asked.kind != SreType::Infrastructure).then_some(spring.actor);
    let scope = namespace_rules::scope(memory, asked.kind, actor, now)?;
    if asked.kind != SreType::Investigations {
        return Ok(scope);
    }
    let node = namespace_rules::namespace(
        namespace_rules::strategy(memory, asked.kind)?,
        spring.actor,
        spring.session,
    )?;
    Ok(RecordScope { namespaces: vec![NamespaceFilter::new(&node, NamespaceMatch::Exact)], ..scope })
}

fn refused(draft: &Draft) -> SreKept {
    SreKept {
        record: None,
        key: draft.key.clone(),
        action: SreAction::Rejected,
        reason: draft.refused.clone(),
    }
}
