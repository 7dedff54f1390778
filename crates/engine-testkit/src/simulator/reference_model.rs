//! The reference model of a memory: it records the acknowledged operations and computes the
//! required results. After every step the content of the store is compared with it, so that
//! exactly the intended changes have happened.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::events::NewEvent;
use loci_engine::records::{NewRecord, RecordUpdate};
use loci_model::event::{Event, ExtractionMode};
use loci_model::memory::Memory;
use loci_model::memory::strategy::StrategyBase;
use loci_model::record::{Record, RecordOrigin, RecordState};
use loci_model::{ActorId, EventId, RecordId, StrategyId, Timestamp};

use super::InvariantViolation;
use super::snapshot::{Snapshot, StoredRecordHistory};

type Outcome<T> = Result<T, InvariantViolation>;

/// The change that an operation must make in a memory.
#[derive(Debug, Clone)]
pub(super) enum ExpectedChange {
    /// The operation must change nothing.
    Nothing,
    /// The operation must add exactly this event.
    EventAdded(Box<Event>),
    /// The operation must remove exactly this event.
    EventRemoved(EventId),
    /// The operation must change exactly these records in these ways.
    Records(BTreeMap<RecordId, ClientEdit>),
    /// The operation must erase all data of this actor.
    Forgotten(ActorId),
    /// Jobs ran: they may change records in the ways that jobs do.
    Worked,
    /// A sweep ran: it may remove only outdated data.
    Swept,
    /// The operation may change the states and versions of these records only.
    Reverted(BTreeSet<RecordId>),
}

/// A client's change of a record.
#[derive(Debug, Clone)]
pub(super) enum ClientEdit {
    Created(Box<NewRecord>),
    Updated(Box<RecordUpdate>),
    Deleted,
}

/// A client token that was used, with the request and the event that it created.
#[derive(Debug, Clone)]
pub(super) struct UsedToken {
    pub(super) token: String,
    pub(super) event: NewEvent,
    pub(super) answer: EventId,
    /// The time until which the store must at least keep the token.
    pub(super) until: Timestamp,
    /// True if the event was erased because its actor was forgotten.
    pub(super) is_forgotten: bool,
}

/// The reference model of one memory: its last known content, and what it must contain.
#[derive(Debug, Clone)]
pub(super) struct ReferenceModel {
    pub(super) memory: Memory,
    /// The content of the memory at the last check.
    pub(super) seen: Snapshot,
    /// The records that clients deleted.
    pub(super) gone: BTreeSet<RecordId>,
    pub(super) tokens: Vec<UsedToken>,
    /// The semantic strategies that existed before the first event, and have therefore read every
    /// event.
    semantic: Vec<StrategyId>,
    /// The actor of each event so far.
    actors: BTreeMap<EventId, ActorId>,
    /// The messages that must be in exactly one record of each semantic strategy.
    to_keep: BTreeSet<(EventId, u32)>,
    kept: BTreeSet<(StrategyId, EventId, u32)>,
    /// True if data was ingested for extraction without storing an event.
    pub(super) has_ingested: bool,
    /// True if the memory was exported, erased and imported again.
    pub(super) has_moved: bool,
    sequence: u64,
}

impl ReferenceModel {
    pub(super) fn new(memory: Memory) -> Self {
        let semantic = memory.strategies.iter().filter(|strategy| strategy.base == StrategyBase::Semantic);
        Self {
            semantic: semantic.map(|strategy| strategy.id.clone()).collect(),
            memory,
            seen: Snapshot::default(),
            gone: BTreeSet::new(),
            tokens: Vec::new(),
            actors: BTreeMap::new(),
            to_keep: BTreeSet::new(),
            kept: BTreeSet::new(),
            has_ingested: false,
            has_moved: false,
            sequence: 0,
        }
    }

    /// Records the messages of an event that must be kept.
    pub(super) fn must_keep(&mut self, event: &Event, messages: &[u32]) {
        if event.extraction == ExtractionMode::Extract {
            let fresh = messages.iter().filter(|at| !event.notes.repeated.contains(at));
            self.to_keep.extend(fresh.map(|at| (event.id.clone(), *at)));
        }
    }

    /// Compares the current content with the required one. Returns lines on the changes.
    pub(super) fn verify(
        &mut self,
        found: Snapshot,
        change: &ExpectedChange,
        now: Timestamp,
    ) -> Outcome<Vec<String>> {
        self.seen.events.retain(|_, event| event.expires > now);
        match change {
            ExpectedChange::EventAdded(event) => {
                self.actors.insert(event.id.clone(), event.actor.clone());
                self.seen.events.insert(event.id.clone(), Event::clone(event));
            }
            ExpectedChange::EventRemoved(id) => {
                self.seen.events.remove(id);
            }
            ExpectedChange::Forgotten(actor) => {
                self.seen.events.retain(|_, event| event.actor != *actor);
                for used in self.tokens.iter_mut().filter(|used| used.event.actor == *actor) {
                    used.is_forgotten = true;
                }
            }
            ExpectedChange::Nothing
            | ExpectedChange::Records(_)
            | ExpectedChange::Worked
            | ExpectedChange::Swept
            | ExpectedChange::Reverted(_) => {}
        }
        same_events(&self.seen.events, &found.events)?;
        let ids: BTreeSet<_> = self.seen.records.keys().chain(found.records.keys()).cloned().collect();
        let changed: BTreeSet<_> =
            ids.into_iter().filter(|id| self.seen.there(id) != found.there(id)).collect();
        self.check_extent(&changed, change, now).map_err(|why| {
            let one = changed.first().and_then(|id| found.records.get(id));
            why.about(&format!("the first that changed is {one:?}"))
        })?;
        let nothing = StoredRecordHistory::default();
        let mut lines = Vec::new();
        for id in &changed {
            let (before, after) = (self.seen.records.get(id), found.records.get(id).unwrap_or(&nothing));
            let is_right = self.check_change(id, before, after, change, now);
            is_right.map_err(|why| {
                why.about(&format!("{id}\nbefore {before:?}\nafter {after:?}\nby {change:?}"))
            })?;
            lines.push(format!("  {id} {}", described(after)?));
        }
        self.check_sequences(&changed, &found)?;
        if let ExpectedChange::Records(edits) = change {
            let deleted = edits.iter().filter(|(_, edit)| matches!(edit, ClientEdit::Deleted));
            self.gone.extend(deleted.map(|(id, _)| id.clone()));
        }
        self.seen = found;
        Ok(lines)
    }

    /// Checks that exactly the required records changed.
    fn check_extent(
        &self,
        changed: &BTreeSet<RecordId>,
        change: &ExpectedChange,
        now: Timestamp,
    ) -> Outcome<()> {
        let expect: BTreeSet<RecordId> = match change {
            ExpectedChange::Nothing | ExpectedChange::EventAdded(_) | ExpectedChange::EventRemoved(_) => {
                BTreeSet::new()
            }
            ExpectedChange::Records(edits) => edits.keys().cloned().collect(),
            ExpectedChange::Reverted(ids) => ids.clone(),
            ExpectedChange::Forgotten(actor) => {
                let of_actor = self.seen.current().filter(|record| self.rests_on(record, actor));
                of_actor.map(|record| record.id.clone()).collect()
            }
            ExpectedChange::Swept => {
                let over = |record: &&Record| record.state == RecordState::Active && record.is_expired(now);
                self.seen.current().filter(over).map(|record| record.id.clone()).collect()
            }
            // Jobs decide on the records that they extract.
            ExpectedChange::Worked => return Ok(()),
        };
        if expect == *changed {
            return Ok(());
        }
        let of = |left: &BTreeSet<RecordId>, right: &BTreeSet<RecordId>| {
            left.difference(right).map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        let unlike = expect.symmetric_difference(changed).next().and_then(|id| self.seen.records.get(id));
        Err(InvariantViolation::new(format!(
            "other records changed than should have; unchanged: [{}], changed beside: [{}]; by {change:?}; {unlike:?}",
            of(&expect, changed),
            of(changed, &expect)
        )))
    }

    fn rests_on(&self, record: &Record, actor: &ActorId) -> bool {
        let provenance = &record.provenance;
        provenance.actor.as_ref() == Some(actor)
            || provenance.sources.iter().any(|source| self.actors.get(&source.event) == Some(actor))
    }

    fn check_change(
        &self,
        id: &RecordId,
        before: Option<&StoredRecordHistory>,
        after: &StoredRecordHistory,
        change: &ExpectedChange,
        now: Timestamp,
    ) -> Outcome<()> {
        chain(after)?;
        match change {
            ExpectedChange::Records(edits) => match edits.get(id) {
                Some(edit) => edited(edit, before, after, now),
                None => Err(InvariantViolation::new("a record changed that nobody changed")),
            },
            ExpectedChange::Forgotten(_) => must(after.versions.is_empty(), "a forgotten record has content"),
            ExpectedChange::Swept => {
                let state = after.current().map(|record| record.state);
                must(state == Some(RecordState::Expired), "a record past its time is not expired")
            }
            ExpectedChange::Worked => self.worked(before, after),
            ExpectedChange::Reverted(_) => must(!after.versions.is_empty(), "a reverted record is gone"),
            ExpectedChange::Nothing | ExpectedChange::EventAdded(_) | ExpectedChange::EventRemoved(_) => {
                Err(InvariantViolation::new("a record changed although nothing happened to it"))
            }
        }
    }

    /// Checks the change of a record by jobs.
    fn worked(&self, before: Option<&StoredRecordHistory>, after: &StoredRecordHistory) -> Outcome<()> {
        let Some(now) = after.current() else {
            return Err(InvariantViolation::new("a job took a record away"));
        };
        // A new vector increments the sequence of its record, so that indexes are updated.
        let apart = |kept: &StoredRecordHistory| StoredRecordHistory {
            versions: kept.versions.iter().map(unnumbered).collect(),
            ..kept.clone()
        };
        if before.is_some_and(|before| apart(before) == apart(after)) {
            return Ok(());
        }
        let strategy = now.strategy.as_ref().and_then(|id| self.memory.strategy(id));
        must(strategy.is_some(), "a job touched a record of no strategy")?;
        let Some(was) = before.and_then(StoredRecordHistory::current) else {
            must(before.is_none(), "a deleted record is back")?;
            must(now.origin == RecordOrigin::Extracted, "a job wrote a client's record")?;
            let known = |event: &EventId| self.actors.contains_key(event) || self.has_ingested;
            let sources = &now.provenance.sources;
            return must(sources.iter().all(|source| known(&source.event)), "a record rests on no event");
        };
        must(now.version > was.version || now.text == was.text, "a job changed the text of a version")?;
        let superseded = was.state == RecordState::Active && now.state == RecordState::Superseded;
        must(now.state == was.state || superseded, "a job changed a state otherwise than by superseding")
    }

    /// Checks that changed records have higher sequences than all before, and that no sequence
    /// occurs twice.
    fn check_sequences(&mut self, changed: &BTreeSet<RecordId>, found: &Snapshot) -> Outcome<()> {
        let before = self.sequence;
        let mut all = BTreeSet::new();
        for record in found.current() {
            must(all.insert(record.sequence), "two records have the same sequence number")
                .map_err(|why| why.about(&format!("{record:?}")))?;
            if changed.contains(&record.id) {
                must(record.sequence > before, "a change did not move the sequence on")
                    .map_err(|why| why.about(&format!("{record:?}, before {before}")))?;
            }
            self.sequence = self.sequence.max(record.sequence);
        }
        Ok(())
    }

    /// Records that the memory was moved away and back: tokens are lost, sequences are assigned
    /// again.
    pub(super) fn moved(&mut self, found: Snapshot) {
        self.tokens.clear();
        self.has_moved = true;
        self.sequence = found.current().map(|record| record.sequence).max().unwrap_or(0);
        self.seen = found;
    }

    /// Checks after all jobs that every message to keep is in exactly one record of each semantic
    /// strategy.
    pub(super) fn check_kept(&mut self) -> Outcome<()> {
        for strategy in self.semantic.clone() {
            let mut found: BTreeMap<(EventId, u32), usize> = BTreeMap::new();
            for record in self.seen.current().filter(|record| record.strategy.as_ref() == Some(&strategy)) {
                for source in record.provenance.sources.iter().filter(|source| source.part == 0) {
                    *found.entry((source.event.clone(), source.message)).or_default() += 1;
                }
            }
            for (place, count) in &found {
                must(*count == 1, &format!("{} message {} was kept {count} times", place.0, place.1))?;
                self.kept.insert((strategy.clone(), place.0.clone(), place.1));
            }
            for (event, message) in
                self.to_keep.iter().filter(|(event, _)| self.seen.events.contains_key(event))
            {
                let is_kept = self.kept.contains(&(strategy.clone(), event.clone(), *message));
                must(
                    is_kept,
                    &format!("message {message} of the acknowledged event {event} is in no record"),
                )?;
            }
        }
        Ok(())
    }
}

/// Returns an error unless the condition holds.
pub(super) fn must(holds: bool, otherwise: &str) -> Outcome<()> {
    if holds { Ok(()) } else { Err(InvariantViolation::new(otherwise)) }
}

fn same_events(expect: &BTreeMap<EventId, Event>, found: &BTreeMap<EventId, Event>) -> Outcome<()> {
    for (id, event) in expect {
        match found.get(id) {
            None => return Err(InvariantViolation::new(format!("the acknowledged event {id} is lost"))),
            Some(stored) => must(stored == event, "an event is not as it was acknowledged")
                .map_err(|why| why.about(&format!("acknowledged {event:#?}\nstored {stored:#?}")))?,
        }
    }
    match found.keys().find(|id| !expect.contains_key(id)) {
        None => Ok(()),
        Some(id) => Err(InvariantViolation::new(format!("the event {id} is there, but nobody was told so"))),
    }
}

/// Checks that the state changes of a record are consecutive, and end in its current state.
fn chain(kept: &StoredRecordHistory) -> Outcome<()> {
    let mut changes = kept.changes.iter().peekable();
    while let Some(change) = changes.next() {
        if let Some(next) = changes.peek() {
            must(
                next.from == Some(change.to),
                "a change of state does not begin where the one before ended",
            )?;
        }
    }
    let Some(current) = kept.current() else { return Ok(()) };
    let last = kept.changes.last().map(|change| (change.to, change.version));
    must(last == Some((current.state, current.version)), "the last change of state is not the state")
}

fn edited(
    edit: &ClientEdit,
    before: Option<&StoredRecordHistory>,
    after: &StoredRecordHistory,
    now: Timestamp,
) -> Outcome<()> {
    let before = before.cloned().unwrap_or_default();
    must(after.changes.len() == before.changes.len() + 1, "a change of state has not one row of telemetry")?;
    must(after.changes.starts_with(&before.changes), "earlier changes of state are others")?;
    let (Some(record), false) = (after.current(), matches!(edit, ClientEdit::Deleted)) else {
        let to = after.changes.last().map(|change| change.to);
        must(after.versions.is_empty(), "a deleted record is there")?;
        return must(to == Some(RecordState::Erased), "a deletion has no row of telemetry");
    };
    must(record.updated_at == now, "a record was not updated now")?;
    match edit {
        ClientEdit::Created(new) => {
            must(record.version == 1 && after.versions.len() == 1, "a new record has versions")?;
            must(record.text == new.text, "a record's text is another")?;
            must(record.metadata == new.metadata, "a record's metadata are others")?;
            must(Some(&record.namespace) == new.namespaces.first(), "a record is elsewhere")
        }
        ClientEdit::Updated(update) => {
            must(after.versions.len() == before.versions.len() + 1, "an update made not one version")?;
            let was = before.current();
            must(Some(record.version) == was.map(|was| was.version + 1), "a version does not follow")?;
            let text = update.text.as_ref().or(was.map(|was| &was.text));
            must(Some(&record.text) == text, "an updated text is another")?;
            let metadata = update.metadata.as_ref().or(was.map(|was| &was.metadata));
            must(Some(&record.metadata) == metadata, "updated metadata are others")
        }
        ClientEdit::Deleted => Ok(()),
    }
}

/// Returns a version without its sequence.
pub(super) fn unnumbered(record: &Record) -> Record {
    Record { sequence: 0, ..record.clone() }
}

fn described(kept: &StoredRecordHistory) -> Outcome<String> {
    let Some(record) = kept.current() else { return Ok(format!("gone, {} changes", kept.changes.len())) };
    let json = serde_json::to_string(record).map_err(|error| InvariantViolation::new(error.to_string()))?;
    Ok(format!("{} versions, {} changes, {json}", kept.versions.len(), kept.changes.len()))
}
