//! The tables that a walk searches for a person, with functions to read and write the rows of each.
//! Records come with all their versions, state changes and facts.

use loci_engine::hooks::ForgottenRemoval;
use loci_engine::hooks::write_context;
use loci_engine::records::batch::ask_for_vectors;
use loci_engine::records::state_transition::StateTransition;
use loci_model::delivery::{Delivery, DeliveryDirection};
use loci_model::event::Event;
use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{Fact, FactEvent, KeptVerdict};
use loci_model::facts::repository::Repository;
use loci_model::idempotency::TokenAnswer;
use loci_model::ledger::{LedgerEntry, LedgerNoun, Shelf};
use loci_model::ports::store::{LedgerPage, ReadTx, TaskQuery, Tx};
use loci_model::record::Record;
use loci_model::record::telemetry::StateChange;
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::task::Task;
use loci_model::transfer::{Moved, TransferKey, TransferKind, TransferPlace, TransferRow};
use loci_model::trees::tree_entry::TreeChange;
use loci_model::{ActorId, DeliveryId, RecordId, Result, TaskId, Timestamp, limits};
use loci_verified::content_hash;

use super::person_fields::PeopleVisitor;
use super::person_inventory::{NamesPeople, visit_support};
use super::person_removal::{PageWriteInput, PeopleRow, PersonWalk, number_of};
use super::pseudonym::PersonReplacement;

/// The number of rows of one page.
pub(super) const PAGE_ROWS: usize = limits::PAGE_ITEMS_MAX as usize;
/// The reason of a new version.
const REASON: &str = "a person was forgotten";

impl PeopleRow for Task {
    type Key = (Timestamp, TaskId);

    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>> {
        let all = TaskQuery::all(walk.memory.id.clone(), PAGE_ROWS);
        tx.tasks().list(&TaskQuery { after: after.cloned(), ..all })
    }

    fn key(&self) -> Self::Key {
        (self.created_at, self.id.clone())
    }

    fn owner(&self) -> Option<&ActorId> {
        Some(&self.actor)
    }

    fn put(mut self, tx: &mut dyn Tx, _: ForgottenRemoval, writing: &PageWriteInput<'_>) -> Result<()> {
        self.updated_at = writing.walk.at;
        tx.tasks_mut().put(&self)
    }
}

impl PeopleRow for TaskCommit {
    type Key = (ActorId, ObjectId);

    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>> {
        tx.commits().list(&walk.memory.id, after.map(|(actor, sha)| (actor, sha)), PAGE_ROWS)
    }

    fn key(&self) -> Self::Key {
        (self.actor.clone(), self.sha)
    }

    fn owner(&self) -> Option<&ActorId> {
        Some(&self.actor)
    }

    fn number(&self, tx: &dyn ReadTx) -> Result<Option<String>> {
        number_of(tx, &self.memory, self.task.as_ref(), self.user.as_deref())
    }

    fn put(self, tx: &mut dyn Tx, _: ForgottenRemoval, _: &PageWriteInput<'_>) -> Result<()> {
        tx.commits_mut().put(&self)
    }
}

impl PeopleRow for Event {
    type Key = u64;

    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>> {
        tx.events().export(&walk.memory.id, after.copied().unwrap_or(0), PAGE_ROWS, walk.at)
    }

    fn key(&self) -> Self::Key {
        self.arrival
    }

    fn owner(&self) -> Option<&ActorId> {
        Some(&self.actor)
    }

    fn put(self, tx: &mut dyn Tx, _: ForgottenRemoval, _: &PageWriteInput<'_>) -> Result<()> {
        tx.events_mut().rewrite(&self).map(drop)
    }
}

impl PeopleRow for Delivery {
    type Key = (DeliveryDirection, DeliveryId);

    /// Returns a page of deliveries: first all incoming ones, then all outgoing ones. Lists omit
    /// bodies.
    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>> {
        let memory = &walk.memory.id;
        let (way, behind) = after.map_or((DeliveryDirection::In, None), |(way, id)| (*way, Some(id)));
        // A list after a deleted delivery is empty, so the walk starts again. It counts no row
        // twice, because written rows no longer name the person.
        let is_there = |id: &DeliveryId| tx.deliveries().get(memory, way, id).map(|found| found.is_some());
        let behind = match behind {
            Some(id) if is_there(id)? => Some(id),
            Some(_) | None => None,
        };
        let mut of = way;
        let mut listed = tx.deliveries().page(memory, way, None, behind, PAGE_ROWS)?;
        if listed.is_empty() && way == DeliveryDirection::In {
            of = DeliveryDirection::Out;
            listed = tx.deliveries().page(memory, of, None, None, PAGE_ROWS)?;
        }
        let mut whole = Vec::with_capacity(listed.len());
        for one in listed {
            whole.extend(tx.deliveries().get(memory, of, &one.id)?);
        }
        Ok(whole)
    }

    fn key(&self) -> Self::Key {
        (self.direction, self.id.clone())
    }

    fn put(self, tx: &mut dyn Tx, _: ForgottenRemoval, _: &PageWriteInput<'_>) -> Result<()> {
        tx.deliveries_mut().reword(&self).map(drop)
    }
}

/// The stored answer of a repeated request.
pub(super) struct NamedAnswer {
    name: String,
    answer: TokenAnswer,
}

impl NamesPeople for NamedAnswer {
    fn visit_people(
        &mut self,
        number: Option<&str>,
        visitor: &mut dyn PeopleVisitor,
    ) -> Result<ForgottenRemoval> {
        self.answer.visit_people(number, visitor)
    }
}

impl PeopleRow for NamedAnswer {
    type Key = String;

    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>> {
        let page = tx.idempotency().list(&walk.memory.id, after.map(String::as_str), PAGE_ROWS)?;
        Ok(page.into_iter().map(|(name, answer)| Self { name, answer }).collect())
    }

    fn key(&self) -> Self::Key {
        self.name.clone()
    }

    fn put(self, tx: &mut dyn Tx, _: ForgottenRemoval, writing: &PageWriteInput<'_>) -> Result<()> {
        tx.idempotency_mut().rewrite(&writing.walk.memory.id, &self.name, &self.answer.answer).map(drop)
    }
}

impl PeopleRow for Repository {
    type Key = String;

    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>> {
        tx.repositories().list(&walk.memory.id, after.map(String::as_str), PAGE_ROWS)
    }

    fn key(&self) -> Self::Key {
        self.key.clone()
    }

    fn put(mut self, tx: &mut dyn Tx, _: ForgottenRemoval, writing: &PageWriteInput<'_>) -> Result<()> {
        self.updated_at = writing.walk.at;
        tx.repositories_mut().put(&self)
    }
}

impl PeopleRow for LedgerEntry {
    type Key = (Shelf, Timestamp, String);

    /// Returns a page of entries, shelf by shelf.
    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>> {
        let (mut shelves, mut behind) = (walk.shelves.as_slice(), None);
        if let Some((shelf, at, key)) = after {
            let before = shelves.iter().take_while(|one| *one != shelf).count();
            shelves = shelves.get(before..).unwrap_or_default();
            behind = Some((*at, key.clone()));
        }
        for shelf in shelves {
            let (memory, shelf, actor, subject) = (walk.memory.id.clone(), shelf.clone(), None, None);
            let after = behind.take();
            let page = LedgerPage { memory, shelf, actor, subject, after, limit: PAGE_ROWS };
            let entries = tx.ledger().list(&page)?;
            if !entries.is_empty() {
                return Ok(entries);
            }
        }
        Ok(Vec::new())
    }

    fn key(&self) -> Self::Key {
        (self.shelf.clone(), self.at, self.key.clone())
    }

    fn owner(&self) -> Option<&ActorId> {
        Some(&self.actor)
    }

    fn put(self, tx: &mut dyn Tx, taken: ForgottenRemoval, _: &PageWriteInput<'_>) -> Result<()> {
        if taken == ForgottenRemoval::Whole {
            return tx.ledger_mut().remove(&self.memory, &self.shelf, &self.key).map(drop);
        }
        tx.ledger_mut().put(&self)?;
        match &self.subject {
            // Commits of the tree have the person who made the change as their author.
            Some(namespace) if self.shelf == TreeChange::SHELF => {
                write_context::products()?.outdate_history(tx, &self.memory, namespace)
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// A version of a record. The current one comes with its state changes and its fact.
pub(super) struct NamedVersion {
    record: Record,
    is_current: bool,
    /// True if the record itself names the person.
    is_named: bool,
    /// State changes, each before and after the removal of the person.
    changes: Vec<(StateChange, StateChange)>,
    fact: Option<Fact>,
}

impl NamedVersion {
    /// Writes the next version of a record, and the previous one without the person, which is now
    /// history.
    fn put_current(&self, tx: &mut dyn Tx, writing: &PageWriteInput<'_>) -> Result<()> {
        let (walk, record) = (writing.walk, &self.record);
        let before = tx.records().get(&record.memory, &record.id)?;
        let version = record.version.saturating_add(1);
        let next = Record { version, updated_at: walk.at, ..record.clone() };
        tx.records_mut().put_version(&next)?;
        tx.records_mut().rewrite(record)?;
        let changing = StateTransition { memory: &walk.memory, by: &walk.by, at: walk.at };
        changing.note(tx, &next, Some(next.state), next.state, REASON)?;
        let Some(before) = before else { return Ok(()) };
        // A new version drops its vectors if the text that the index reads has changed in any
        // member.
        if before.indexed() != next.indexed() {
            ask_for_vectors(tx, &walk.memory.id, &writing.embed, walk.at)?;
        }
        let words = |record: &Record| (record.title.clone(), record.text.clone());
        if words(&before) == words(&next) { Ok(()) } else { follow(tx, &before, &next) }
    }
}

/// Removes the stored verifications of a fact if one names the person in the words of its
/// statement. They are derived, and computed again on request.
fn drop_verdicts(tx: &mut dyn Tx, record: &Record, walk: &PersonWalk) -> Result<()> {
    let names_them = |mut kept: KeptVerdict| {
        let report = kept.verification.support.as_mut();
        report.is_some_and(|report| visit_support(report, &mut PersonReplacement(&walk.erased)))
    };
    if tx.verdicts().of_record(&record.memory, &record.id)?.into_iter().any(names_them) {
        tx.verdicts_mut().remove_of_record(&record.memory, &record.id)?;
    }
    Ok(())
}

/// Updates the fact to match the text of its record.
fn follow(tx: &mut dyn Tx, before: &Record, next: &Record) -> Result<()> {
    let Some(mut fact) = tx.facts().get(&next.memory, &next.id)? else { return Ok(()) };
    let hash = |record: &Record| {
        let subject = if fact.proposed { None } else { record.title.as_deref() };
        content_hash(subject.unwrap_or_default(), &record.text)
    };
    let (was, is) = (hash(before), hash(next));
    let is_taken = tx.facts().active_with(&fact.memory, &fact.repository, &is)?.is_some();
    if fact.content_hash == was && !is_taken {
        fact.content_hash = is;
        tx.facts_mut().put(&fact)?;
    }
    Ok(())
}

impl NamesPeople for NamedVersion {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        self.is_named = self.record.visit_people(None, visitor)? != ForgottenRemoval::Nobody;
        let mut changes = Vec::new();
        for (was, mut change) in std::mem::take(&mut self.changes) {
            if change.visit_people(None, visitor)? != ForgottenRemoval::Nobody {
                changes.push((was, change));
            }
        }
        self.changes = changes;
        let mut is_any = self.is_named || !self.changes.is_empty();
        if let Some(mut fact) = self.fact.take() {
            let mut is_named = fact.visit_people(None, visitor)? != ForgottenRemoval::Nobody;
            let report = fact.detail.support.as_mut().filter(|_| self.is_named);
            is_named |= report.is_some_and(|report| visit_support(report, visitor));
            self.fact = Some(fact).filter(|_| is_named);
            is_any |= is_named;
        }
        Ok(if is_any { ForgottenRemoval::Names } else { ForgottenRemoval::Nobody })
    }
}

impl PeopleRow for NamedVersion {
    type Key = (RecordId, u32);

    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>> {
        let memory = &walk.memory.id;
        let mut rows = Vec::new();
        for record in tx.records().export(memory, after, PAGE_ROWS)? {
            let newest = tx.records().get(memory, &record.id)?;
            let is_current = newest.is_some_and(|newest| newest.version == record.version);
            let (mut changes, mut fact) = (Vec::new(), None);
            if is_current {
                let of_record = tx.telemetry().of_record(memory, &record.id)?;
                changes = of_record.into_iter().map(|change| (change.clone(), change)).collect();
                fact = tx.facts().get(memory, &record.id)?;
            }
            rows.push(Self { record, is_current, is_named: false, changes, fact });
        }
        Ok(rows)
    }

    fn key(&self) -> Self::Key {
        (self.record.id.clone(), self.record.version)
    }

    fn record(&self) -> Option<&RecordId> {
        Some(&self.record.id)
    }

    fn put(self, tx: &mut dyn Tx, _: ForgottenRemoval, writing: &PageWriteInput<'_>) -> Result<()> {
        // The fact comes first, because its digest, which follows from the text, is written later.
        if let Some(fact) = &self.fact {
            tx.facts_mut().put(fact)?;
        }
        if self.is_named && self.is_current {
            drop_verdicts(tx, &self.record, writing.walk)?;
            self.put_current(tx, writing)?;
        } else if self.is_named {
            tx.records_mut().rewrite(&self.record)?;
        }
        for (was, is) in &self.changes {
            tx.telemetry_mut().reword(was, is)?;
        }
        // Commits of a tree may also have the person who changed a record as their author.
        if self.changes.is_empty() {
            return Ok(());
        }
        write_context::products()?.outdate_history(tx, &self.record.memory, &self.record.namespace.normal())
    }
}

/// An event of a fact, or of a set of citations.
pub(super) struct NamedFactEvent {
    key: TransferKey,
    event: FactEvent,
}

impl NamesPeople for NamedFactEvent {
    fn visit_people(
        &mut self,
        number: Option<&str>,
        visitor: &mut dyn PeopleVisitor,
    ) -> Result<ForgottenRemoval> {
        self.event.visit_people(number, visitor)
    }
}

impl PeopleRow for NamedFactEvent {
    type Key = TransferKey;

    /// Returns a page of all fact events of a memory, with or without a record. The memory transfer
    /// lists them.
    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>> {
        let place = TransferPlace::Memory(walk.memory.id.clone());
        let rows = tx.transfer().dump(&place, TransferKind::FactEvents, after, PAGE_ROWS)?;
        let event = |row: TransferRow| match row.moved {
            Moved::FactEvent(event) => Some(Self { key: row.key, event: *event }),
            _ => None,
        };
        Ok(rows.into_iter().filter_map(event).collect())
    }

    fn key(&self) -> Self::Key {
        self.key.clone()
    }

    fn put(self, tx: &mut dyn Tx, _: ForgottenRemoval, _: &PageWriteInput<'_>) -> Result<()> {
        tx.fact_events_mut().rewrite(&self.event)
    }
}
