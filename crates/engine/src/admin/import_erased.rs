//! What of an export was erased here since it was made: lines of events, records and actors with tombstones,
//! which outlive their memory.

use std::collections::BTreeSet;

use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::ports::vault::Vault;
use loci_model::record::RecordState;
use loci_model::{ActorId, MemoryId, RecordId, Result, Timestamp};

use super::{ExportLine, ImportReport};
use crate::Engine;
use crate::erasure::{Source, Tombstones};
use crate::keys::master_key::can_digest_or_warn;

/// Looks lines up among the tombstones.
struct Looking<'a> {
    tx: &'a dyn ReadTx,
    vault: &'a dyn Vault,
    now: Timestamp,
}

impl Engine {
    /// The lines that were not erased, and a count of the others.
    pub(super) async fn without_erased(
        &self,
        lines: Vec<ExportLine>,
        now: Timestamp,
    ) -> Result<(Vec<ExportLine>, ImportReport)> {
        let vault = self.vault.clone();
        self.store
            .read(move |tx| {
                if !can_digest_or_warn(tx, vault.as_ref())? {
                    return Ok((lines.clone(), ImportReport::default()));
                }
                let looking = Looking { tx, vault: vault.as_ref(), now };
                let mut report = ImportReport::default();
                let mut kept = Vec::with_capacity(lines.len());
                // Of a record that is there as erased, its history stays.
                let mut shells: BTreeSet<&RecordId> = BTreeSet::new();
                for line in &lines {
                    if let ExportLine::Record { record, .. } = line
                        && record.state == RecordState::Erased
                    {
                        shells.insert(&record.id);
                    }
                }
                for line in &lines {
                    let Some(at) = looking.erased(line, &shells)? else {
                        kept.push(line.clone());
                        continue;
                    };
                    report.erased_at = report.erased_at.max(Some(at));
                    match line {
                        ExportLine::Event { .. } => report.erased_events += 1,
                        ExportLine::Record { .. } => report.erased_records += 1,
                        _ => {}
                    }
                }
                Ok((kept, report))
            })
            .await
    }
}

impl Looking<'_> {
    /// When what a line holds was erased.
    fn erased(&self, line: &ExportLine, shells: &BTreeSet<&RecordId>) -> Result<Option<Timestamp>> {
        match line {
            ExportLine::Event { event } => {
                let id = self.find(&event.memory, &Source::Event(&event.id))?;
                if id.is_some() { Ok(id) } else { self.of_actor(&event.memory, &event.actor, event.arrived) }
            }
            ExportLine::Record { record, .. } if shells.contains(&record.id) => Ok(None),
            ExportLine::Record { record, .. } => self.find(&record.memory, &Source::Record(&record.id)),
            ExportLine::Change { change } => self.of_record(&change.memory, &change.record, shells),
            ExportLine::Fact { fact } => self.of_record(&fact.memory, &fact.record, shells),
            ExportLine::FactEvent { event } => match &event.record {
                Some(record) => self.of_record(&event.memory, record, shells),
                None => Ok(None),
            },
            ExportLine::Task { task } => self.of_actor(&task.memory, &task.actor, task.created_at),
            ExportLine::Exposure { exposure } => {
                self.of_actor(&exposure.memory, &exposure.actor, exposure.at)
            }
            ExportLine::Commit { commit } => self.of_actor(&commit.memory, &commit.actor, Timestamp::EPOCH),
            ExportLine::TaskSession { session } => {
                self.of_actor(&session.memory, &session.actor, Timestamp::EPOCH)
            }
            ExportLine::SessionItem { item } => self.of_actor(&item.memory, &item.actor, Timestamp::EPOCH),
            ExportLine::Ledger { entry } => self.of_actor(&entry.memory, &entry.actor, entry.at),
            ExportLine::Header { .. }
            | ExportLine::Memory { .. }
            | ExportLine::Repository { .. }
            | ExportLine::Prompt { .. }
            | ExportLine::End { .. } => Ok(None),
        }
    }

    fn of_record(
        &self,
        memory: &MemoryId,
        record: &RecordId,
        shells: &BTreeSet<&RecordId>,
    ) -> Result<Option<Timestamp>> {
        if shells.contains(record) { Ok(None) } else { self.find(memory, &Source::Record(record)) }
    }

    /// What an actor did before they were forgotten; what they did afterwards is theirs again.
    fn of_actor(&self, memory: &MemoryId, actor: &ActorId, since: Timestamp) -> Result<Option<Timestamp>> {
        Ok(self.find(memory, &Source::Actor(actor))?.filter(|erased| since <= *erased))
    }

    fn find(&self, memory: &MemoryId, source: &Source<'_>) -> Result<Option<Timestamp>> {
        Tombstones { vault: self.vault, memory }.get_outliving(self.tx, source, self.now)
    }
}
