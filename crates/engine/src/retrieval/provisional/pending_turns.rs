//! The pending turns within a search's scope, and the records that extraction would make of them.
//!
//! A turn is pending if an extraction is open and none of the requested strategies has read it.
//! Strategies that keep turns as facts decide before others, which produce other kinds of records.
//! A turn is shown once, in the namespace of the first of them.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::event::Event;
use loci_model::job::{JobKind, JobState};
use loci_model::memory::Memory;
use loci_model::memory::strategy::{Strategy, StrategyBase};
use loci_model::ports::store::{JobQuery, ReadTx};
use loci_model::principal::bounds::Bounds;
use loci_model::record::metadata::{MetadataValue, SYSTEM_PROVISIONAL};
use loci_model::record::provenance::{Provenance, Source};
use loci_model::record::scope::{AccessClause, RecordScope};
use loci_model::record::{Record, RecordOrigin, RecordState};
use loci_model::{ActorId, MemoryId, Namespace, RecordId, Result, SessionId, StrategyId, Timestamp, limits};
use sha2::{Digest, Sha256};

use super::Provisional;
use super::budget::Budget;
use crate::events::scheduling::extracting;
use crate::jobs::extract::{messages_of, namespace_of};
use crate::safety::{self, SafetyPolicy};
use crate::settings::EngineSettings;
use crate::strategies::facts::semantic::Semantic;
use crate::strategies::metadata::schema_values::{record_values, values_that_hold};
use crate::strategies::turns::turn::turns_of_message;
use crate::strategies::{Batch, Candidate, Strategy as _};

/// Number of hex digits of the digest in an id; with the prefix they have the length of a record
/// id.
const ID_DIGITS: usize = 24;
const ID_START: &str = "mem-provisional-";

/// The actor and session of a conversation.
type PendingConversation = (ActorId, SessionId);

/// Returns the pending turns of a scope; the newest events take precedence if there are too many.
pub(in crate::retrieval) fn waiting(
    tx: &dyn ReadTx,
    (memory, settings): (&Memory, &EngineSettings),
    scope: &RecordScope,
) -> Result<Provisional> {
    if !tx.jobs().has_open(&memory.id, &JobKind::EXTRACT)? {
        return Ok(Provisional::default());
    }
    let looking = PendingScope { memory, scope, policy: SafetyPolicy::of(settings, &memory.settings) };
    let (places, is_cut) = open_places(tx, memory, &scope.view)?;
    let mut records = BTreeMap::new();
    let mut budget = Budget::full(is_cut);
    for place in places {
        if budget.is_spent() {
            budget.is_cut = true;
            break;
        }
        let places = looking.strategies_at(&place);
        let strategies: Vec<&Strategy> = places.iter().map(|(strategy, _)| *strategy).collect();
        let progress = looking.progress(tx, &strategies, &place)?;
        let told = |(strategy, certain): &(&Strategy, bool)| {
            (strategy.base, *certain, progress.get(&strategy.id).copied().unwrap_or_default())
        };
        let Some(read) = read_up_to(&places.iter().map(told).collect::<Vec<_>>()) else { continue };
        let bounds = bounds_at(&scope.view, &place);
        let is_shown = |event: &Event| {
            bounds.iter().any(|bounds| bounds.admits_event(event))
                && looking.strategy_of(event, &strategies, &progress).is_some()
        };
        let (actor, session) = &place;
        for event in &budget.unread(tx, scope, (actor, session), read, &is_shown)? {
            let Some((strategy, namespace)) = looking.strategy_of(event, &strategies, &progress) else {
                continue;
            };
            for record in looking.records(event, strategy, &namespace)? {
                records.insert(record.id.clone(), record);
            }
        }
    }
    Ok(Provisional { records, is_cut: budget.is_cut })
}

/// Returns the restrictions of the caller's clauses on events of a conversation, of which one must
/// hold.
fn bounds_at<'a>(view: &'a [AccessClause], (actor, session): &PendingConversation) -> Vec<&'a Bounds> {
    let of_place = |clause: &&AccessClause| {
        clause.actor.as_ref().is_none_or(|wanted| wanted == actor)
            && clause.session.as_ref().is_none_or(|wanted| wanted == session)
    };
    view.iter().filter(of_place).map(|clause| &clause.bounds).collect()
}

/// Returns the conversations with an open extraction that the caller may know of, latest change
/// first, without duplicates; the flag is true if there are more.
fn open_places(
    tx: &dyn ReadTx,
    memory: &Memory,
    view: &[AccessClause],
) -> Result<(Vec<PendingConversation>, bool)> {
    let (mut places, mut seen, mut is_cut) = (Vec::new(), BTreeSet::new(), false);
    for clause in view {
        for state in [JobState::Running, JobState::Pending] {
            let query = JobQuery {
                kinds: vec![JobKind::EXTRACT],
                state: Some(state),
                actor: clause.actor.clone(),
                session: clause.session.clone(),
                limit: limits::PROVISIONAL_JOBS_MAX + 1,
                ..JobQuery::default()
            };
            let jobs = tx.jobs().list(&memory.id, &query)?;
            is_cut |= jobs.len() > limits::PROVISIONAL_JOBS_MAX;
            for job in jobs.into_iter().take(limits::PROVISIONAL_JOBS_MAX) {
                let Some(place) = job.actor.zip(job.session) else { continue };
                if seen.insert(place.clone()) {
                    places.push((job.updated_at, place));
                }
            }
        }
    }
    places.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    Ok((places.into_iter().map(|(_, place)| place).collect(), is_cut))
}

/// Returns the arrival number up to which no event of a conversation is pending. Each strategy has
/// its base, true if it certainly applies to the whole conversation, and the number up to which it
/// has read. `None` without strategies.
fn read_up_to(strategies: &[(StrategyBase, bool, u64)]) -> Option<u64> {
    let keeps = |base: StrategyBase| base == StrategyBase::Semantic;
    let any_keeps = strategies.iter().any(|(base, ..)| keeps(*base));
    let decides = |(base, certain, _): &&(_, bool, _)| *certain && keeps(*base) == any_keeps;
    // Events that one of those has read are not pending; if none is certain, events that all have
    // read.
    let decided = strategies.iter().filter(decides).map(|(.., read)| *read).max();
    decided.or_else(|| strategies.iter().map(|(.., read)| *read).min())
}

struct PendingScope<'a> {
    memory: &'a Memory,
    scope: &'a RecordScope,
    policy: SafetyPolicy,
}

impl<'a> PendingScope<'a> {
    /// Returns the strategies whose records of a conversation may be in the scope, with true if
    /// they certainly are. If a namespace depends on the event, it is uncertain.
    fn strategies_at(&self, (actor, session): &PendingConversation) -> Vec<(&'a Strategy, bool)> {
        let may_be = |strategy: &'a Strategy| {
            let place = strategy.template.render(&|name| match name {
                "actorId" => Some(actor.to_string()),
                "sessionId" => Some(session.to_string()),
                "memoryStrategyId" | "strategyId" => Some(strategy.id.to_string()),
                _ => None,
            });
            match place {
                Ok(place) => {
                    self.is_asked_for(strategy, &place, (actor, session)).then_some((strategy, true))
                }
                Err(_) => Some((strategy, false)),
            }
        };
        extracting(self.memory).filter_map(may_be).collect()
    }

    fn is_asked_for(
        &self,
        strategy: &Strategy,
        namespace: &Namespace,
        (actor, session): (&ActorId, &SessionId),
    ) -> bool {
        let (normal, id) = (namespace.normal(), Some(&strategy.id));
        self.scope.may_see(&normal, id, Some(actor), Some(session)) && self.scope.asks_for(&normal, id)
    }

    fn progress(
        &self,
        tx: &dyn ReadTx,
        strategies: &[&Strategy],
        (actor, session): &PendingConversation,
    ) -> Result<BTreeMap<StrategyId, u64>> {
        let read = |strategy: &&Strategy| {
            let arrival = tx.events().progress(&self.memory.id, &strategy.id, actor, session)?;
            Ok((strategy.id.clone(), arrival))
        };
        strategies.iter().map(read).collect()
    }

    /// Returns the strategy in whose namespace an event is shown; `None` if one of the deciding
    /// strategies has read it. It does not need the payload.
    fn strategy_of(
        &self,
        event: &Event,
        strategies: &[&'a Strategy],
        progress: &BTreeMap<StrategyId, u64>,
    ) -> Option<(&'a Strategy, Namespace)> {
        let asked_for = |strategy: &&'a Strategy| {
            // A strategy whose namespace cannot be determined makes no record of the event either.
            let namespace = namespace_of(strategy, event).ok()?;
            let place = (&event.actor, &event.session);
            self.is_asked_for(strategy, &namespace, place).then_some((*strategy, namespace))
        };
        let mut asked: Vec<_> = strategies.iter().filter_map(asked_for).collect();
        if asked.iter().any(|(strategy, _)| strategy.base == StrategyBase::Semantic) {
            asked.retain(|(strategy, _)| strategy.base == StrategyBase::Semantic);
        }
        let has_read =
            |strategy: &Strategy| progress.get(&strategy.id).is_some_and(|at| *at >= event.arrival);
        if asked.iter().any(|(strategy, _)| has_read(strategy)) {
            return None;
        }
        asked.into_iter().next()
    }

    /// Returns the records of an event's turns that extraction would keep.
    fn records(&self, event: &Event, strategy: &Strategy, namespace: &Namespace) -> Result<Vec<Record>> {
        let known =
            |time: Timestamp| self.scope.as_of.is_none_or(|then| event.arrived <= then && time <= then);
        let messages = messages_of(event).into_iter();
        let turns: Vec<_> =
            messages.flat_map(|message| turns_of_message(event, message.message as usize)).collect();
        let batch = Batch { session: &event.session, turns: &turns, standing: &[] };
        let kept = Semantic.extract(&batch).into_iter().filter(|kept| kept.fits() && known(kept.time));
        let mut records = Vec::new();
        for candidate in kept {
            let record = self.record(event, strategy, namespace.clone(), candidate)?;
            // Grants may restrict properties that only the record has: its metadata and its age.
            records.extend(record.filter(|record| self.scope.may_see_record(record)));
        }
        Ok(records)
    }

    /// Builds the record; `None` if it would be held.
    fn record(
        &self,
        event: &Event,
        strategy: &Strategy,
        namespace: Namespace,
        candidate: Candidate,
    ) -> Result<Option<Record>> {
        let Candidate { kind, subtype, text, index_text, sources, verbatim, role, run, time, .. } = candidate;
        let safe = safety::prepare(text, index_text, &self.policy);
        let Some(source) = sources.first() else { return Ok(None) };
        if safe.state != RecordState::Active {
            return Ok(None);
        }
        let schema = strategy.schema.as_deref().unwrap_or_default();
        let mut metadata = record_values(schema, &event.metadata, &safe.text);
        metadata.extend(values_that_hold(schema, event));
        metadata.insert(SYSTEM_PROVISIONAL.to_owned(), MetadataValue::String("true".to_owned()));
        Ok(Some(Record {
            memory: self.memory.id.clone(),
            id: provisional_id(&self.memory.id, source)?,
            version: 1,
            sequence: 0,
            kind,
            subtype,
            title: None,
            path: None,
            description: None,
            scope: None,
            citations: None,
            namespace,
            strategy: Some(strategy.id.clone()),
            trust: safe.trust(),
            text: safe.text,
            index_text: safe.index_text,
            metadata,
            provenance: Provenance {
                actor: Some(event.actor.clone()),
                session: Some(event.session.clone()),
                branch: Some(event.branch.name.clone()),
                sources,
                verbatim,
                role,
                run,
                bound: event.notes.bound.clone(),
            },
            origin: RecordOrigin::Extracted,
            tier: safe.tier,
            making: None,
            derived_from: Vec::new(),
            findings: safe.findings,
            state: RecordState::Active,
            state_reason: None,
            superseded_by: None,
            supersedes: Vec::new(),
            valid_from: time,
            valid_to: None,
            timestamp: time,
            created_at: event.arrived,
            updated_at: event.arrived,
            expires_at: None,
            expiry_days: None,
        }))
    }
}

/// Returns the id of the pending turn that a source names. It is deterministic, so the record
/// extracted from the turn can be found by its sources. It never equals the id of a stored record,
/// because those are UUIDs.
///
/// # Errors
/// Never: the digits of a digest are valid in an id.
pub fn provisional_id(memory: &MemoryId, source: &Source) -> Result<RecordId> {
    let mut hash = Sha256::new();
    for part in [memory.as_str(), source.event.as_str()] {
        hash.update(part);
        hash.update([0]);
    }
    hash.update(source.message.to_be_bytes());
    hash.update(source.part.to_be_bytes());
    let digits = hex::encode(hash.finalize());
    RecordId::parse(format!("{ID_START}{}", digits.get(..ID_DIGITS).unwrap_or(&digits)))
}

/// Returns true for an id of [`provisional_id`].
pub fn is_provisional(id: &RecordId) -> bool {
    id.as_str().starts_with(ID_START)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_no_more() {
        use StrategyBase::{Semantic, Summary};
        let check = |strategies: &[(StrategyBase, bool, u64)], expect| {
            assert_eq!(read_up_to(strategies), expect, "{strategies:?}");
        };
        check(&[], None);
        check(&[(Semantic, true, 3)], Some(3));
        // The facts are stored, so a pending summary shows nothing.
        check(&[(Summary, true, 0), (Semantic, true, 3)], Some(3));
        check(&[(Summary, true, 9), (Semantic, true, 3)], Some(3));
        check(&[(Semantic, true, 5), (Semantic, true, 3)], Some(5));
        check(&[(Summary, true, 2), (Summary, true, 4)], Some(4));
        check(&[(Semantic, false, 5), (Semantic, true, 3)], Some(3));
        check(&[(Semantic, false, 5), (Summary, true, 3)], Some(3));
        check(&[(Semantic, false, 2), (Summary, true, 3)], Some(2));
    }
}
