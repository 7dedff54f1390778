//! `event_create`: stores an event and schedules its extraction in one write; it never waits for a
//! model.

use loci_model::event::{Event, EventNotes, ExtractionMode, PayloadItem};
use loci_model::memory::Memory;
use loci_model::ports::ids::{uuid4, uuid7};
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::warning::{Notices, Warning};
use loci_model::{
    ActorId, Error, ErrorText, EventId, FieldName, JobId, Result, SessionId, Timestamp, limits,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::branches::{self, SessionPlace};
use super::{EventCreated, NewEvent, content, overlap, scheduling, variables};
use crate::access::grant_restrictions::{EventView, Stamp};
use crate::admin::erasure::{IMPORT_ID, Source, Tombstones, refusal, refusal_of_actor};
use crate::calls::idempotency::{ClientToken, IfErased, Replay, look_up, mismatch, remember};
use crate::hooks::{RecognisedContent, content_in_memory};
use crate::memories::existing;
use crate::safety::{MaskedPayload, RedactionMode, SafetyPolicy, Tally};
use crate::{Engine, access, safety};

const OPERATION: &str = "CreateEvent";
/// A mask for the random position of the first event of a millisecond. It selects the lower half
/// of the range, so that later events of the millisecond have room after it.
const FIRST_PLACE_MASK: u32 = 0x7fff_ffff;

/// The stored answer for a client token: enough data to answer a retry after the event was
/// deleted.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Remembered {
    actor: ActorId,
    session: SessionId,
    event: EventId,
    time: Timestamp,
}

/// A new event with its ids, times and digests, which are made before the write.
#[derive(Clone)]
pub struct PreparedEvent {
    pub(super) new: NewEvent,
    pub(super) session: SessionId,
    pub(super) time: Timestamp,
    pub(super) now: Timestamp,
    pub(super) first_place: u32,
    pub(super) jobs: Vec<JobId>,
    /// The metadata that the caller's grants add to the event.
    pub(super) stamp: Stamp,
    /// True if secrets in the payload are already masked. Masking a second time would damage the
    /// text, which is JSON.
    pub(super) is_masked: bool,
    /// The payload with masked secrets, if it is so long that it was masked before the write.
    pub(super) masked: Option<MaskedPayload>,
}

impl PreparedEvent {
    /// Returns the actor of the event.
    pub fn actor(&self) -> &ActorId {
        &self.new.actor
    }

    /// Returns the session of the event.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// Returns the first message of the event, if the payload was masked before the write in the
    /// mode that still applies.
    pub fn masked_text(&self, mode: RedactionMode) -> Option<&str> {
        let masked = self.masked.as_ref().filter(|_| mode == RedactionMode::Mask)?;
        masked.payload.iter().find_map(|item| match item {
            PayloadItem::Conversational { text, .. } => Some(text.as_str()),
            PayloadItem::Blob(_) | PayloadItem::Json(_) => None,
        })
    }

    /// Returns the time at which the event was prepared.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Adds the metadata that the caller's grants require to the event.
    ///
    /// # Errors
    /// `Denied` or `Invalid` if the view admits no event with this metadata.
    pub fn put_within(&mut self, view: &EventView) -> Result<()> {
        self.stamp = view.stamp(&self.new.metadata, self.time)?;
        Ok(())
    }

    /// Returns a copy of the event with a metadata key and value that mark its content. No
    /// strategy extracts a marked event.
    pub(crate) fn without_extraction(&self, (key, word): (&str, &str)) -> Self {
        let mut marked = self.clone();
        marked.new.extraction = ExtractionMode::Skip;
        // The mark is not part of the caller's metadata, whose number is limited.
        marked.stamp.added.insert(key.to_owned(), word.to_owned());
        marked
    }

    /// Returns a copy of the event with another payload, in which secrets are already masked.
    pub fn with_masked(&self, payload: Vec<PayloadItem>) -> Self {
        Self { new: NewEvent { payload, ..self.new.clone() }, is_masked: true, masked: None, ..self.clone() }
    }
}

/// An event after its write, with the data for the response.
pub struct StoredEvent {
    pub event: Event,
    pub notices: Notices,
    /// True if the write scheduled a job for the event.
    pub asked: bool,
    pub found: Tally,
}

impl Engine {
    /// Stores an event. A retry with the same client token gets the first event again.
    ///
    /// # Errors
    /// `Denied`, `NotFound` (memory), `Invalid` (branch, namespace variables, content in strict
    /// mode).
    pub async fn event_create(
        &self,
        caller: &Principal,
        new: NewEvent,
        token: Option<ClientToken>,
    ) -> Result<EventCreated> {
        let watch = self.watch("create_event", Some(&new.memory));
        let outcome = self.create_event(caller, new, token).await;
        if let Some(watch) = watch {
            watch.tell_event(&outcome);
        }
        outcome
    }

    async fn create_event(
        &self,
        caller: &Principal,
        new: NewEvent,
        token: Option<ClientToken>,
    ) -> Result<EventCreated> {
        let capability = Capability::Write;
        let mut prepared = self.prepare(new)?;
        let (memory, actor, session) = (&prepared.new.memory, &prepared.new.actor, &prepared.session);
        let view = access::event_view(caller, memory, actor, Some(session), capability, prepared.now)?;
        prepared.put_within(&view)?;
        self.mask_beforehand(&mut prepared).await?;
        let token = token.map(|token| token.of(caller, &prepared.new.memory)).transpose()?;
        let token = token.map(|token| ClientToken { parameters: digest(&prepared.new), ..token });
        let contents = self.products.recognise_event(self, &prepared.new, prepared.now)?;
        let (engine, caller) = (self.clone(), caller.clone());
        let (created, asked, found) = self
            .store
            .write(move |tx| engine.event_create_in(tx, &caller, (&prepared, &contents), token.as_ref()))
            .await?;
        found.tell(self.observe.as_ref());
        if asked {
            self.wake.call();
        }
        Ok(created)
    }

    /// Creates the ids and times of a new event, before the write that stores it.
    ///
    /// # Errors
    /// Errors of ids.
    pub fn prepare(&self, new: NewEvent) -> Result<PreparedEvent> {
        let now = self.clock.now();
        let session = match &new.session {
            Some(session) => session.clone(),
            None => SessionId::parse(uuid4(self.ids.as_ref()))?,
        };
        let random = self.ids.random();
        let first_place = u32::from_be_bytes([random[0], random[1], random[2], random[3]]) & FIRST_PLACE_MASK;
        let jobs = (0..limits::STRATEGIES_MAX)
            .map(|_| JobId::parse(uuid7(self.ids.as_ref(), now.millis())))
            .collect::<Result<_>>()?;
        let (time, stamp) = (new.time.unwrap_or(now), Stamp::default());
        let (is_masked, masked) = (false, None);
        Ok(PreparedEvent { time, new, session, now, first_place, jobs, stamp, is_masked, masked })
    }

    /// Masks the secrets in a long payload before the write, so that the write stays short.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn mask_beforehand(&self, prepared: &mut PreparedEvent) -> Result<()> {
        prepared.masked = self.masked_beforehand(&prepared.new.memory, &prepared.new.payload).await?;
        Ok(())
    }

    fn event_create_in(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        (prepared, contents): (&PreparedEvent, &[RecognisedContent]),
        token: Option<&ClientToken>,
    ) -> Result<(EventCreated, bool, Tally)> {
        let memory = existing(tx, &prepared.new.memory)?;
        self.products.check_event_ids(
            &memory,
            prepared.new.actor.as_str(),
            prepared.new.session.as_ref().map(SessionId::as_str),
        )?;
        let place = Some(&memory.id);
        let vault = self.vault.as_ref();
        let first = match look_up::<Remembered>(tx, vault, token, place, OPERATION, prepared.now)? {
            Replay::Fresh => None,
            Replay::Same(first) => Some((first, false)),
            Replay::Other(first) => Some((first, true)),
        };
        let named = first.as_ref().map(|(first, _)| first);
        let is_restored = self.check_erased(tx, &memory, prepared, (token, named))?;
        if let Some((first, differs)) = first.filter(|_| !is_restored) {
            return self.replay(tx, caller, &memory, prepared, (first, differs));
        }
        let (stored, typed) = self.event_typed_in(tx, caller, &memory, (prepared, contents), token)?;
        let StoredEvent { event, mut notices, asked, found } = stored;
        let remembered = Remembered {
            actor: event.actor.clone(),
            session: event.session.clone(),
            event: event.id.clone(),
            time: event.time,
        };
        let expires = event.expires.plus_millis(limits::IDEMPOTENCY_MS);
        remember(tx, token, place, OPERATION, &remembered, expires)?;
        if event.notes.over_limit {
            notices.warn(Warning::EventOverLimit);
        }
        Ok((EventCreated { event, notices, replayed: false }, asked || typed, found))
    }

    /// Returns true if an event that was erased must be stored again, because the caller asks to
    /// restore it.
    ///
    /// # Errors
    /// `SOURCE_ERASED` if it was erased and the caller does not restore it.
    fn check_erased(
        &self,
        tx: &mut dyn Tx,
        memory: &Memory,
        prepared: &PreparedEvent,
        (token, first): (Option<&ClientToken>, Option<&Remembered>),
    ) -> Result<bool> {
        let tombstones = Tombstones { vault: self.vault.as_ref(), memory: &memory.id };
        let if_erased = token.map_or(IfErased::Answer, |token| token.if_erased);
        if let Some(first) = first {
            if if_erased == IfErased::Answer {
                return Ok(false);
            }
            let Some(at) = tombstones.get(tx, &Source::Event(&first.event))? else { return Ok(false) };
            return if if_erased == IfErased::Restore { Ok(true) } else { Err(refusal("the event", at)) };
        }
        if let Some(id) = prepared.new.metadata.get(IMPORT_ID) {
            let (actor, session) = (&prepared.new.actor, &prepared.session);
            for source in [Source::ImportedEvent { actor, session, id }, Source::EventOfImport(id)] {
                tombstones.restore_or_refuse(tx, (&source, "the event"), if_erased)?;
            }
        }
        if if_erased == IfErased::Refuse {
            // A source may be copied and renamed, so events of an actor from before the erasure
            // count in every copy. An event without a time may be from before the erasure.
            let erased = tombstones.of_actor(tx, &prepared.new.actor, prepared.now)?;
            if let Some(at) = erased.filter(|at| prepared.new.time.is_none_or(|time| time <= *at)) {
                return Err(refusal_of_actor(at));
            }
        }
        Ok(false)
    }

    /// Stores an event together with the records that a product derives from its content. Returns
    /// true if a product handled the event.
    fn event_typed_in(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        memory: &Memory,
        (prepared, contents): (&PreparedEvent, &[RecognisedContent]),
        token: Option<&ClientToken>,
    ) -> Result<(StoredEvent, bool)> {
        let place = (&prepared.new.actor, &prepared.session);
        let Some((product, typed)) = content_in_memory(contents, memory, &prepared.new)? else {
            self.products.check_session(caller, memory, place, Capability::Write)?;
            return Ok((self.event_store_in(tx, caller, memory, prepared, token)?, false));
        };
        self.products.check_session_besides(product, caller, memory, place, Capability::Write)?;
        let stored =
            self.event_store_in(tx, caller, memory, &prepared.without_extraction(typed.mark()), token)?;
        typed.write(tx, caller, memory, prepared, &stored.event.id)?;
        Ok((stored, true))
    }

    /// Stores an event inside a write that is already running. The caller has checked the grants
    /// and the client token.
    pub fn event_store_in(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        memory: &Memory,
        prepared: &PreparedEvent,
        token: Option<&ClientToken>,
    ) -> Result<StoredEvent> {
        self.check_names(memory, prepared)?;
        let (mut event, notices) = build(tx, caller, memory, prepared, token)?;
        let found =
            if prepared.is_masked { Tally::default() } else { self.mask(memory, prepared, &mut event) };
        overlap::mark(tx, &mut event)?;
        if event.notes.overlaps() {
            event.load = content::load(&event.payload, &event.notes.repeated);
        }
        event.arrival = tx.events_mut().insert(&event)?;
        let asked = scheduling::schedule(tx, memory, &event, self, &prepared.jobs, prepared.now)?;
        Ok(StoredEvent { event, notices, asked, found })
    }

    /// Checks that metadata keys contain no secret, if the settings of the memory or the server
    /// require it.
    ///
    /// # Errors
    /// `Invalid`.
    pub(super) fn check_names(&self, memory: &Memory, prepared: &PreparedEvent) -> Result<()> {
        let mode = SafetyPolicy::of(&self.settings, &memory.settings).secrets;
        prepared.new.metadata.keys().try_for_each(|key| safety::check_name("metadata", key, mode))
    }

    /// Masks secrets in an event's messages and metadata, if the settings of the memory or the
    /// server require it. Returns the kinds of secrets that were found.
    pub(super) fn mask(&self, memory: &Memory, prepared: &PreparedEvent, event: &mut Event) -> Tally {
        let mode = SafetyPolicy::of(&self.settings, &memory.settings).secrets;
        let mut kinds = match &prepared.masked {
            Some(masked) if mode == RedactionMode::Mask => {
                event.payload.clone_from(&masked.payload);
                masked.kinds.clone()
            }
            Some(_) | None => safety::prepare_payload(&mut event.payload, mode),
        };
        let is_bound = |key: &str| prepared.stamp.bound.contains(key);
        kinds.extend(safety::mask_event_metadata(&mut event.metadata, mode, is_bound));
        kinds.sort();
        kinds.dedup();
        Tally::of_masked(&kinds)
    }

    /// Answers a retry with a known client token: with the stored event, or, if the event is gone
    /// or the caller may not read it, with the event as the retry sent it.
    ///
    /// # Errors
    /// `IdempotentParameterMismatch` if the caller sent a different event and may not read the
    /// first one.
    fn replay(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        memory: &Memory,
        prepared: &PreparedEvent,
        (first, differs): (Remembered, bool),
    ) -> Result<(EventCreated, bool, Tally)> {
        let mut notices = Notices::default();
        if differs {
            notices.warn(Warning::TokenReplayed);
        }
        let stored = tx.events().get(&memory.id, &first.actor, &first.session, &first.event, prepared.now)?;
        let event = match stored {
            Some(stored) if self.may_read_event(caller, memory, &stored, prepared.now) => stored,
            Some(_) if differs => return Err(mismatch()),
            // Another caller may have stored it, so the response contains only data that this
            // caller sent.
            Some(stored) => Event {
                branch: stored.branch,
                expires: stored.expires,
                ..self.sent_again(memory, prepared, first)
            },
            None => self.sent_again(memory, prepared, first),
        };
        Ok((EventCreated { event, notices, replayed: true }, false, Tally::default()))
    }

    /// Returns true if the caller may read this event.
    fn may_read_event(&self, caller: &Principal, memory: &Memory, event: &Event, now: Timestamp) -> bool {
        let (place, capability) = ((&event.actor, &event.session), Capability::Read);
        let filters = || self.products.event_filters(caller, memory, place, capability);
        access::event_view(caller, &memory.id, place.0, Some(place.1), capability, now)
            .is_ok_and(|view| view.admits(event))
            && filters().is_ok_and(|filters| filters.admits(event))
    }

    /// Returns the event of a retry as the caller sent it, with the id of the first event.
    fn sent_again(&self, memory: &Memory, prepared: &PreparedEvent, first: Remembered) -> Event {
        let mut event = plain_event(memory, prepared, first.event);
        // Masked secrets were counted when it was sent first.
        self.mask(memory, prepared, &mut event);
        Event { actor: first.actor, session: first.session, time: first.time, ..event }
    }
}

fn build(
    tx: &mut dyn Tx,
    caller: &Principal,
    memory: &Memory,
    prepared: &PreparedEvent,
    token: Option<&ClientToken>,
) -> Result<(Event, Notices)> {
    let new = &prepared.new;
    variables::check(&new.namespace_variables, &memory.namespace_keys)?;
    let over_limit = content::check(memory.settings.event_limits, &new.payload, &new.metadata)?;
    let place =
        SessionPlace { memory: &memory.id, actor: &new.actor, session: &prepared.session, now: prepared.now };
    let branch = branches::resolve(tx, caller, &place, new.branch.as_ref())?;
    let mut event = plain_event(memory, prepared, next_id(tx, memory, prepared)?);
    event.branch = branch;
    event.run = token.and_then(|token| overlap::run_of_token(&token.token, &memory.id, &new.actor));
    event.notes.over_limit = over_limit || new.over_limit;
    Ok((event, Notices::default()))
}

/// Returns an event on the main branch that belongs to no run of a client.
pub(super) fn plain_event(memory: &Memory, prepared: &PreparedEvent, id: EventId) -> Event {
    let new = &prepared.new;
    Event {
        memory: memory.id.clone(),
        actor: new.actor.clone(),
        session: prepared.session.clone(),
        id,
        time: prepared.time,
        arrived: prepared.now,
        arrival: 0,
        payload: new.payload.clone(),
        branch: loci_model::event::Branch::main(),
        metadata: new
            .metadata
            .iter()
            .chain(&prepared.stamp.added)
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect(),
        extraction: new.extraction,
        namespace_variables: new.namespace_variables.clone(),
        run: None,
        hidden: false,
        expires: prepared.now.plus_days(memory.event_expiry_days),
        notes: EventNotes { bound: prepared.stamp.bound.clone(), ..EventNotes::default() },
        load: content::load(&new.payload, &[]),
    }
}

/// Returns the next free id in the event's millisecond. The order of ids as strings is the order
/// of arrival.
pub(super) fn next_id(tx: &mut dyn Tx, memory: &Memory, prepared: &PreparedEvent) -> Result<EventId> {
    let place = match tx.events().last_place(&memory.id, prepared.time)? {
        None => prepared.first_place,
        Some(last) => last.checked_add(1).ok_or_else(|| {
            let rule = ErrorText::from("too many events in this millisecond: send another ");
            Error::unavailable(rule + FieldName::Time)
        })?,
    };
    Ok(EventId::compose(prepared.time.millis(), place))
}

/// Returns the digest of a request. The time is left out, because a retry may have another time.
fn digest(new: &NewEvent) -> String {
    let mut hasher = Sha256::new();
    let mut feed = |text: &str| {
        hasher.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        hasher.update(text);
    };
    feed(new.actor.as_str());
    feed(new.session.as_ref().map_or("", SessionId::as_str));
    for item in &new.payload {
        feed(&serde_json::to_string(item).unwrap_or_default());
    }
    for (key, value) in &new.metadata {
        feed(key);
        feed(value);
    }
    if let Some(branch) = &new.branch {
        feed(branch.name.as_str());
    }
    hex::encode(hasher.finalize())
}
