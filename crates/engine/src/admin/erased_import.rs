//! Handles the lines of an import whose data was erased in this store after the export.
//! Tombstones, which remain after their memory is deleted, identify these lines. The import omits
//! and counts them, or restores them on request. It also removes forgotten people from the data
//! of others.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::event::Event;
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::ports::vault::Vault;
use loci_model::record::Record;
use loci_model::{ActorId, MemoryId, RecordId, Result, Timestamp};

use super::{ExportLine, ImportReport};
use crate::Engine;
use crate::access::keys::master_key::can_digest_or_warn;
use crate::admin::erasure::{Source, Tombstones, message_name, pseudonym};
use crate::calls::idempotency::IfErased;
use crate::events::scheduling::extracting;
use crate::hooks::{ForgottenRemoval, Products};

/// The kind in an import report for mentions of forgotten people in the data of others.
const MENTIONS: &str = "mentions";

/// The lines that an import writes after erased data was removed, and the changes to tombstones
/// that belong to the same write.
#[derive(Clone, Default)]
pub(super) struct Sifted {
    pub(super) lines: Vec<ExportLine>,
    /// The counts of the lines that were omitted.
    pub(super) report: ImportReport,
    /// The tombstones of messages whose records were deleted. They are copied into the imported
    /// memory, because extraction looks for them there.
    carried: Vec<(MemoryId, String, Timestamp)>,
    /// The tombstones to remove, because the caller deliberately restores their data.
    restored: BTreeSet<(MemoryId, String)>,
}

impl Sifted {
    /// Applies the changes to tombstones in the write of the lines.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn settle(&self, tx: &mut dyn Tx, vault: &dyn Vault, now: Timestamp) -> Result<()> {
        for (memory, digest, at) in &self.carried {
            Tombstones { vault, memory }.carry(tx, digest, *at)?;
        }
        for (memory, digest) in &self.restored {
            Tombstones { vault, memory }.lift_outliving(tx, digest, now)?;
        }
        Ok(())
    }
}

impl Engine {
    /// Removes erased data from lines.
    pub(super) async fn without_erased(
        &self,
        lines: Vec<ExportLine>,
        if_erased: IfErased,
        now: Timestamp,
    ) -> Result<Sifted> {
        let (vault, products) = (self.vault.clone(), self.products.clone());
        self.store
            .read(move |tx| {
                if !can_digest_or_warn(tx, vault.as_ref())? {
                    return Ok(Sifted { lines: lines.clone(), ..Sifted::default() });
                }
                let mut sifting = TombstoneLookup::new(tx, (vault.as_ref(), &products), &lines, now);
                let mut sifted = Sifted::default();
                for line in &lines {
                    sifting.sift(line, if_erased == IfErased::Restore, &mut sifted)?;
                }
                Ok(sifted)
            })
            .await
    }
}

/// A tombstone of a line.
struct LineTombstone {
    memory: MemoryId,
    digest: String,
    at: Timestamp,
}

/// A lookup of lines among the tombstones.
struct TombstoneLookup<'a> {
    tx: &'a dyn ReadTx,
    vault: &'a dyn Vault,
    products: &'a Products,
    now: Timestamp,
    /// Records that exist as erased: their history stays.
    shells: BTreeSet<&'a RecordId>,
    /// Memories of these lines, and of earlier lines.
    memories: BTreeMap<MemoryId, Option<Memory>>,
}

impl<'a> TombstoneLookup<'a> {
    fn new(
        tx: &'a dyn ReadTx,
        (vault, products): (&'a dyn Vault, &'a Products),
        lines: &'a [ExportLine],
        now: Timestamp,
    ) -> Self {
        let (mut shells, mut memories) = (BTreeSet::new(), BTreeMap::new());
        for line in lines {
            match line {
                ExportLine::Record { record, .. } if !record.has_content() => {
                    shells.insert(&record.id);
                }
                ExportLine::Memory { memory } => {
                    memories.insert(memory.id.clone(), Some(Memory::clone(memory)));
                }
                _ => {}
            }
        }
        Self { tx, vault, products, now, shells, memories }
    }

    fn sift(&mut self, line: &ExportLine, restores: bool, sifted: &mut Sifted) -> Result<()> {
        let found = self.erased(line)?;
        if restores {
            sifted.restored.extend(found.map(|found| (found.memory, found.digest)));
            if let ExportLine::Record { record, .. } = line {
                sifted.restored.extend(self.messages_of(record)?);
            }
        } else if let Some(found) = found {
            sifted.report.leave_out(line.kind(), found.at);
            return Ok(());
        }
        if let ExportLine::Event { event } = line {
            sifted.carried.extend(self.deleted_messages(event)?);
        }
        let mut line = line.clone();
        match if restores { ForgottenRemoval::Nobody } else { self.take_forgotten(&mut line)? } {
            ForgottenRemoval::Nobody => {}
            ForgottenRemoval::Names => sifted.report.count_erased(MENTIONS),
            ForgottenRemoval::Whole => {
                sifted.report.leave_out(line.kind(), self.now);
                return Ok(());
            }
        }
        sifted.lines.push(line);
        Ok(())
    }

    /// Returns the tombstone of a line's content.
    fn erased(&self, line: &ExportLine) -> Result<Option<LineTombstone>> {
        match line {
            ExportLine::Event { event } => {
                let id = self.find(&event.memory, &Source::Event(&event.id))?;
                if id.is_some() { Ok(id) } else { self.of_actor(&event.memory, &event.actor, event.arrived) }
            }
            ExportLine::Record { record, .. } => self.of_record(&record.memory, &record.id),
            ExportLine::Change { change } => self.of_record(&change.memory, &change.record),
            ExportLine::Fact { fact } => self.of_record(&fact.memory, &fact.record),
            ExportLine::FactEvent { event } => match &event.record {
                Some(record) => self.of_record(&event.memory, record),
                None => Ok(None),
            },
            ExportLine::Task { task } => self.of_actor(&task.memory, &task.actor, task.created_at),
            ExportLine::Exposure { exposure } => {
                self.of_actor(&exposure.memory, &exposure.actor, exposure.at)
            }
            ExportLine::Commit { commit } => self.of_actor(&commit.memory, &commit.actor, commit.reported_at),
            ExportLine::TaskSession { session } => {
                self.of_actor(&session.memory, &session.actor, session.updated_at)
            }
            ExportLine::SessionItem { item } => self.of_actor(&item.memory, &item.actor, item.reported_at),
            ExportLine::Ledger { entry } => self.of_actor(&entry.memory, &entry.actor, entry.at),
            ExportLine::Object { object } => {
                self.of_actor(&object.head.memory, &object.actor, object.head.updated_at)
            }
            ExportLine::Header { .. }
            | ExportLine::Memory { .. }
            | ExportLine::Repository { .. }
            | ExportLine::Prompt { .. }
            | ExportLine::End { .. } => Ok(None),
        }
    }

    fn of_record(&self, memory: &MemoryId, record: &RecordId) -> Result<Option<LineTombstone>> {
        if self.shells.contains(record) {
            return Ok(None);
        }
        let found = self.find(memory, &Source::Record(record))?;
        // A shell from earlier lines already exists.
        if found.is_some() && self.tx.records().get(memory, record)?.is_some() { Ok(None) } else { Ok(found) }
    }

    /// Returns the tombstone for work of an actor from before the erasure; later work is stored
    /// again.
    fn of_actor(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        since: Timestamp,
    ) -> Result<Option<LineTombstone>> {
        Ok(self.find(memory, &Source::Actor(actor))?.filter(|found| since <= found.at))
    }

    /// Returns the tombstones of the messages from which a record was extracted.
    fn messages_of(&self, record: &Record) -> Result<Vec<(MemoryId, String)>> {
        let Some(strategy) = &record.strategy else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for source in &record.provenance.sources {
            let message = message_name(&source.event, source.message);
            let source = Source::Message { strategy: strategy.as_str(), message: &message };
            found.extend(self.find(&record.memory, &source)?.map(|found| (found.memory, found.digest)));
        }
        Ok(found)
    }

    /// Returns the tombstones of an event's messages whose records were deleted.
    fn deleted_messages(&mut self, event: &Event) -> Result<Vec<(MemoryId, String, Timestamp)>> {
        let strategies: Vec<String> = match self.memory(&event.memory)? {
            Some(memory) => extracting(memory).map(|strategy| strategy.id.to_string()).collect(),
            None => Vec::new(),
        };
        let mut deleted = Vec::new();
        for strategy in &strategies {
            for index in 0..event.payload.len() {
                let message = message_name(&event.id, u32::try_from(index).unwrap_or(u32::MAX));
                let found = self.find(&event.memory, &Source::Message { strategy, message: &message })?;
                deleted.extend(found.map(|found| (found.memory, found.digest, found.at)));
            }
        }
        Ok(deleted)
    }

    /// Removes from a line the people who were forgotten after it was written.
    fn take_forgotten(&mut self, line: &mut ExportLine) -> Result<ForgottenRemoval> {
        let Some(id) = line.memory().cloned() else { return Ok(ForgottenRemoval::Nobody) };
        let Some(memory) = self.memory(&id)?.cloned() else { return Ok(ForgottenRemoval::Nobody) };
        self.products.take_forgotten(&memory, line, &mut |actor| {
            let Some(found) = self.find(&id, &Source::Actor(actor))? else { return Ok(None) };
            let tombstones = Tombstones { vault: self.vault, memory: &id };
            Ok(Some((found.at, pseudonym(&tombstones.digest(&Source::Pseudonym(actor))?))))
        })
    }

    fn memory(&mut self, id: &MemoryId) -> Result<Option<&Memory>> {
        if !self.memories.contains_key(id) {
            let stored = self.tx.memories().get(id)?;
            self.memories.insert(id.clone(), stored);
        }
        Ok(self.memories.get(id).and_then(Option::as_ref))
    }

    fn find(&self, memory: &MemoryId, source: &Source<'_>) -> Result<Option<LineTombstone>> {
        let tombstones = Tombstones { vault: self.vault, memory };
        let Some(at) = tombstones.get_outliving(self.tx, source, self.now)? else { return Ok(None) };
        Ok(Some(LineTombstone { memory: memory.clone(), digest: tombstones.digest(source)?, at }))
    }
}
