//! The input of one round: events after the progress as turns, in groups that may share records,
//! and the existing records of those groups. All of one snapshot; the write checks that it still
//! holds.

use std::collections::{BTreeSet, HashMap};
use std::iter;

use loci_model::event::{Event, PayloadItem};
use loci_model::job::{JobMessage, JobWindow};
use loci_model::memory::Memory;
use loci_model::memory::settings::ModelMode;
use loci_model::memory::strategy::Strategy;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::record::derivation::MakingMode;
use loci_model::record::metadata::{Metadata, MetadataSchemaEntry};
use loci_model::record::{Record, RecordOrigin};
use loci_model::{BranchName, EventId, Namespace, RecordId, Result, Timestamp};
use loci_text::tokens::estimate_tokens;

use super::ExtractionScope;
use super::window::{self, Unread};
use crate::Engine;
use crate::strategies::metadata::schema_values::{agrees, bound_values, values_that_hold};
use crate::strategies::turns::turn::{Turn, turns_of_message};
use crate::strategies::{self, DecisionMethod, Strategy as Extractor};

/// Turns from which one record may be made: they have the same namespace and branch, and equal
/// values of the metadata that must not be mixed.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) namespace: Namespace,
    pub(super) branch: BranchName,
    pub(super) strict: Metadata,
    /// The metadata values that grants restrict. A writer with such a grant must not see data
    /// that was written with another value.
    pub(super) bound: Metadata,
    /// The metadata of the events of these turns.
    pub(super) metadata: HashMap<EventId, std::collections::BTreeMap<String, String>>,
    /// The turns, sorted by session and by position in the session.
    pub(super) turns: Vec<Turn>,
    /// The active records of the session that the strategy continues.
    pub(super) standing: Vec<Record>,
    /// The turns before the group, which a model gets as context.
    pub(super) context: Vec<Turn>,
    /// The highest sequence number of the strategy's records in the namespace at the time of
    /// reading.
    pub(super) sequence: u64,
}

/// Further data of a round. Without a model, only `again` and `resent` are set.
#[derive(Debug, Clone, Default)]
pub(super) struct RoundDetails {
    /// The mode in which a model is asked.
    pub(super) mode: ModelMode,
    /// The range of events in the question to a model, which is stored before the model is asked;
    /// `None` if old events are extracted again.
    pub(super) window: Option<JobWindow>,
    /// The messages of the round.
    pub(super) messages: Vec<JobMessage>,
    /// The number of events in the round.
    pub(super) events: usize,
    /// The events of the round that were extracted before, without a model.
    pub(super) again: BTreeSet<EventId>,
    /// The messages that must still be extracted again after this round.
    pub(super) left: Vec<JobMessage>,
    /// The records that rules made from these events and that the model's records replace.
    pub(super) replaces: Vec<RecordId>,
    /// The number of messages that the client sent again and that are not extracted again.
    pub(super) resent: u64,
}

/// The input of one round of extraction.
#[derive(Clone)]
pub(super) struct Round {
    pub(super) place: ExtractionScope,
    pub(super) memory: Memory,
    pub(super) strategy: Strategy,
    pub(super) extractor: &'static dyn Extractor,
    /// The arrival number of the last event that the strategy had extracted before this round.
    pub(super) progress: u64,
    /// The arrival number of the last event of this round.
    pub(super) reached: u64,
    /// True if some events of the round were ingested and are removed after their extraction.
    pub(super) has_hidden: bool,
    pub(super) groups: Vec<Group>,
    pub(super) told: RoundDetails,
    /// Messages of events whose namespace cannot be determined, and the reason.
    pub(super) unresolved: Vec<JobMessage>,
    pub(super) reason: Option<String>,
}

/// Reads the next round; `None` if nothing is left.
pub(super) async fn read(engine: &Engine, place: &ExtractionScope, unread: &Unread) -> Result<Option<Round>> {
    let (place, unread, now) = (place.clone(), unread.clone(), engine.clock.now());
    let usual = engine.models.mode;
    engine
        .store
        .read(move |tx| {
            let Some(memory) = tx.memories().get(&place.memory)? else { return Ok(None) };
            let Some(strategy) = memory.strategy(&place.strategy).cloned() else { return Ok(None) };
            let Some(extractor) = strategies::of(strategy.base) else { return Ok(None) };
            let (actor, session) = (&place.actor, &place.session);
            let progress = tx.events().progress(&memory.id, &strategy.id, actor, session)?;
            let mut round = Round {
                place: place.clone(),
                memory,
                strategy,
                extractor,
                progress,
                reached: progress,
                has_hidden: false,
                groups: Vec::new(),
                told: RoundDetails::default(),
                unresolved: Vec::new(),
                reason: None,
            };
            let mode = round.memory.settings.model_mode.unwrap_or(usual);
            let is_read = if extractor.asks() && mode != ModelMode::None {
                round.told.mode = mode;
                round.take_window(tx, &unread, now)?
            } else {
                round.take_next(tx, &unread, now)?
            };
            if !is_read {
                return Ok(None);
            }
            round.look_around(tx)?;
            Ok(Some(round))
        })
        .await
}

/// Truncates the events to whole ones with about `items` payload items; at least one event stays.
fn cut(events: &mut Vec<Event>, items: usize) {
    let mut sum = 0;
    let end = events.iter().position(|event| {
        sum += event.payload.len();
        sum >= items
    });
    events.truncate(end.map_or(events.len(), |end| end + 1));
}

/// Returns the messages of an event that extraction reads.
pub(crate) fn messages_of(event: &Event) -> Vec<JobMessage> {
    (0..)
        .zip(&event.payload)
        .filter(|(at, item)| !matches!(item, PayloadItem::Blob(_)) && !event.notes.repeated.contains(at))
        .map(|(message, _)| JobMessage { event: event.id.clone(), message })
        .collect()
}

/// Returns the namespace in which a strategy stores records of an event.
///
/// # Errors
/// `Invalid` if a variable of the template has no value for the event.
pub(crate) fn namespace_of(strategy: &Strategy, event: &Event) -> Result<Namespace> {
    strategy.template.render(&|name| match name {
        "actorId" => Some(event.actor.to_string()),
        "sessionId" => Some(event.session.to_string()),
        "memoryStrategyId" | "strategyId" => Some(strategy.id.to_string()),
        declared => event.namespace_variables.get(declared).cloned(),
    })
}

impl Round {
    /// Takes the next events for deterministic extraction; false if nothing is left.
    fn take_next(&mut self, tx: &dyn ReadTx, unread: &Unread, now: Timestamp) -> Result<bool> {
        let (actor, session) = (&self.place.actor, &self.place.session);
        let limit = self.extractor.turns_per_round();
        let limit = if unread.only_again { 0 } else { limit };
        let mut events =
            tx.events().unprocessed(&self.memory.id, actor, session, self.progress, limit, now)?;
        cut(&mut events, limit);
        self.reached = events.last().map_or(self.progress, |event| event.arrival);
        let earlier = window::again(tx, &self.place, self.progress, &unread.again, now)?;
        self.has_hidden = events.iter().chain(&earlier).any(|event| event.hidden);
        if events.is_empty() && earlier.is_empty() {
            return Ok(false);
        }
        self.told.again = earlier.iter().map(|event| event.id.clone()).collect();
        // A record built from all messages must not contain re-sent messages twice; facts are
        // compared with their duplicates later.
        let resent = match self.extractor.decides() {
            DecisionMethod::Own => window::past(tx, &self.place, &events, now)?.1,
            DecisionMethod::Facts | DecisionMethod::Preferences => Vec::new(),
        };
        self.told.resent = resent.iter().map(|count| *count as u64).sum();
        for event in &earlier {
            self.take(event, 0);
        }
        for (event, resent) in events.iter().zip(resent.into_iter().chain(iter::repeat(0))) {
            self.take(event, resent);
        }
        self.order();
        Ok(true)
    }

    /// Takes a window, or events to read again, for extraction by a model; false if nothing is
    /// left.
    fn take_window(&mut self, tx: &dyn ReadTx, unread: &Unread, now: Timestamp) -> Result<bool> {
        let window::RoundEvents { events, window, left } =
            window::take(tx, &self.place, self.progress, unread, now)?;
        if events.is_empty() {
            return Ok(false);
        }
        let (pasts, resent) = window::past(tx, &self.place, &events, now)?;
        self.reached = window.as_ref().map_or(self.progress, |window| window.to);
        self.has_hidden = events.iter().any(|event| event.hidden);
        for (event, resent) in events.iter().zip(&resent) {
            self.take(event, *resent);
        }
        self.order();
        let messages = self.memory.settings.window.context_messages as usize;
        for group in &mut self.groups {
            let past = pasts.iter().find(|past| past.is_of(&group.branch, &group.bound));
            group.context = past.map(|past| past.last(messages)).unwrap_or_default();
        }
        if window.is_none() {
            self.told.replaces = self.made_in_place(tx, &events)?;
            self.told.again = events.iter().map(|event| event.id.clone()).collect();
        }
        self.told.messages = events.iter().flat_map(messages_of).collect();
        self.told.resent = resent.iter().map(|count| *count as u64).sum();
        self.told.events = events.len();
        self.told.left = left;
        self.told.window = window;
        Ok(true)
    }

    /// Returns active records that the deterministic extraction made of these events in place of
    /// the model.
    fn made_in_place(&self, tx: &dyn ReadTx, events: &[Event]) -> Result<Vec<RecordId>> {
        let ExtractionScope { strategy, actor, session, .. } = &self.place;
        let made = tx.records().by_making(&self.memory.id, strategy, actor, session, MakingMode::Fallback)?;
        let rests_on = |record: &Record| {
            let mut sources = record.provenance.sources.iter();
            sources.any(|source| events.iter().any(|event| event.id == source.event))
        };
        Ok(made.into_iter().filter(rests_on).map(|record| record.id).collect())
    }

    /// Removes groups without turns, and sorts turns by session, then by position.
    fn order(&mut self) {
        self.groups.retain(|group| !group.turns.is_empty());
        for group in &mut self.groups {
            group.turns.sort_by_cached_key(Turn::position);
        }
    }

    /// Adds an event's turns to their group. Turns that an earlier event of its run also contains
    /// are omitted, and so are its first `resent` messages.
    fn take(&mut self, event: &Event, resent: usize) {
        let mut messages = messages_of(event);
        if resent > 0 {
            let read = (0u32..).zip(&event.payload).filter(|(_, item)| !matches!(item, PayloadItem::Blob(_)));
            let fresh = read.skip(resent).map(|(at, _)| at).next();
            messages.retain(|message| fresh.is_some_and(|fresh| message.message >= fresh));
        }
        if messages.is_empty() {
            return;
        }
        let namespace = match namespace_of(&self.strategy, event) {
            Ok(namespace) => namespace,
            Err(error) => {
                tracing::warn!(memory = %self.memory.id, event = %event.id, reason = %error.message, "an event cannot be extracted");
                self.unresolved.extend(messages);
                self.reason = Some(error.message);
                return;
            }
        };
        let strict = values_that_hold(self.schema(), event);
        let bound = bound_values(event);
        let branch = &event.branch.name;
        let found = self.groups.iter().position(|group| {
            group.namespace.normal() == namespace.normal()
                && group.branch == *branch
                && group.strict == strict
                && group.bound == bound
        });
        let at = found.unwrap_or_else(|| {
            self.groups.push(Group {
                namespace,
                branch: branch.clone(),
                strict,
                bound,
                metadata: HashMap::new(),
                turns: Vec::new(),
                standing: Vec::new(),
                context: Vec::new(),
                sequence: 0,
            });
            self.groups.len() - 1
        });
        let Some(group) = self.groups.get_mut(at) else { return };
        group.metadata.insert(event.id.clone(), event.metadata.clone());
        for message in messages {
            group.turns.extend(turns_of_message(event, message.message as usize));
        }
    }

    /// Returns the number of tokens of its turns.
    pub(super) fn tokens(&self) -> usize {
        let turns = self.groups.iter().flat_map(|group| &group.turns);
        turns.map(|turn| estimate_tokens(&turn.text) as usize).sum()
    }

    fn schema(&self) -> &[MetadataSchemaEntry] {
        self.strategy.schema.as_deref().unwrap_or_default()
    }

    /// Returns true if a record has the strictly consistent values and the grant restrictions of a
    /// group.
    pub(super) fn may_join(&self, record: &Record, group: &Group) -> bool {
        agrees(self.schema(), record, &group.strict, &group.bound)
    }

    /// Reads the existing records of the groups, and the sequence of that read.
    fn look_around(&mut self, tx: &dyn ReadTx) -> Result<()> {
        let subtypes = self.extractor.builds_on(&self.place.session);
        let schema = self.strategy.schema.as_deref().unwrap_or_default();
        for group in &mut self.groups {
            let (memory, strategy) = (&self.memory.id, Some(&self.strategy.id));
            group.sequence = tx.records().group_sequence(memory, strategy, &group.namespace)?;
            for subtype in &subtypes {
                let found = tx.records().with_subtype(memory, strategy, &group.namespace, subtype)?;
                group.standing.extend(found.into_iter().filter(|record| {
                    let from = &record.provenance;
                    record.origin == RecordOrigin::Extracted
                        && from.actor.as_ref() == Some(&self.place.actor)
                        && from.session.as_ref() == Some(&self.place.session)
                        && from
                            .branch
                            .as_ref()
                            .map_or_else(|| group.branch == BranchName::main(), |b| *b == group.branch)
                        && agrees(schema, record, &group.strict, &group.bound)
                }));
            }
            // Records without progress were imported: their content is not extracted again.
            if self.progress == 0 && !group.standing.is_empty() {
                let sources = group.standing.iter().flat_map(|record| &record.provenance.sources);
                let told = sources.map(|source| &source.event).max().cloned();
                group.turns.retain(|turn| Some(&turn.source.event) > told.as_ref());
            }
        }
        Ok(())
    }
}
