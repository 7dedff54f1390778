//! Imports that consist of several calls. Until the import ends, its memories have a mark with
//! the id of the import and are not served. If the process dies, the mark identifies the remains:
//! a new start of the same import replaces them, or the sweep removes them later.

use std::collections::BTreeSet;

use loci_model::memory::{Memory, MemoryImport};
use loci_model::ports::store::{ReadTx, StoreCheck, StoreExt, Tx};
use loci_model::principal::Principal;
use loci_model::{Error, MemoryId, Reason, Result, Timestamp, limits};

use super::ExportLine;
use crate::calls::idempotency::IfErased;
use crate::jobs::purge;
use crate::{Engine, access};

/// The number of memories that one read returns.
const MEMORIES_PER_PAGE: usize = 500;
/// The maximum number of unfinished imports that a report lists.
const TOLD_MAX: usize = 10;

/// The import to which the lines of one call belong.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportPart<'a> {
    /// The id of the import; `None` if the lines of this call are the whole import.
    pub run: Option<&'a str>,
    /// The memories that earlier calls of the same import created.
    pub resuming: &'a [MemoryId],
    /// The treatment of data that was erased in this store.
    pub if_erased: IfErased,
}

impl Engine {
    /// Makes room for a memory of an import. It removes the remains of a deleted memory of that id,
    /// and the part of an unfinished import of that id or name. That import then cannot continue.
    ///
    /// # Errors
    /// `Denied` without administration of the server; errors of the store.
    pub async fn import_room(&self, caller: &Principal, memory: &Memory) -> Result<()> {
        access::require_server_admin(caller)?;
        let (id, name) = (memory.id.clone(), memory.name.clone());
        let found =
            self.store.read(move |tx| Ok([tx.memories().get(&id)?, tx.memories().by_name(&name)?])).await?;
        let is_taken = found.iter().flatten().any(|one| one.id == memory.id && one.import.is_none());
        for part in found.into_iter().flatten().filter(|one| one.import.is_some()) {
            self.remove_part(&part.id, |_| true).await?;
        }
        if is_taken { Ok(()) } else { purge::erase_memory(self, &memory.id).await }
    }

    /// Ends an import: all its memories are served from now on.
    ///
    /// # Errors
    /// `Conflict` if another import replaced this one.
    pub async fn import_finish(&self, caller: &Principal, made: &[MemoryId], run: &str) -> Result<()> {
        access::require_server_admin(caller)?;
        let (made, run) = (made.to_vec(), run.to_owned());
        self.store
            .write(move |tx| {
                for id in &made {
                    let memory = held(tx, id, &run)?;
                    tx.memories_mut().update(&Memory { import: None, ..memory })?;
                }
                Ok(())
            })
            .await?;
        self.wake.call();
        Ok(())
    }

    /// Removes the memories that an import created. Memories that another import took over stay.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn import_undo(&self, caller: &Principal, made: &[MemoryId], run: &str) -> Result<()> {
        access::require_server_admin(caller)?;
        for id in made {
            let run = run.to_owned();
            self.remove_part(id, move |import| import.run == run).await?;
        }
        Ok(())
    }

    /// Removes the parts of imports that made no progress for [`limits::IMPORT_IDLE_MS`].
    pub(crate) async fn sweep_imports(&self, now: Timestamp) -> Result<()> {
        let is_over = move |import: &MemoryImport| import.at.plus_millis(limits::IMPORT_IDLE_MS) <= now;
        for part in self.parts().await? {
            if part.import.as_ref().is_some_and(is_over) && self.remove_part(&part.id, is_over).await? {
                tracing::warn!(memory = %part.id, "the part of an import that broke off was removed");
            }
        }
        Ok(())
    }

    /// Returns a check that lists unfinished imports.
    pub(super) async fn unfinished_imports(&self) -> Result<StoreCheck> {
        let quiet_since = self.clock.now().plus_millis(-2 * limits::IMPORT_BEAT_MS);
        let mut told = Vec::new();
        let mut ok = true;
        for part in self.parts().await? {
            let Some(import) = part.import else { continue };
            ok &= import.at >= quiet_since;
            told.push(format!("{} (last sign at {})", part.id, import.at.to_rfc3339()));
        }
        let detail = match told.len() {
            0 => "no import has broken off".to_owned(),
            count => {
                told.truncate(TOLD_MAX);
                format!(
                    "{count} memories are not served, for their import has not ended: {}; where it broke off, import the \
                     file again, or leave it: the part is removed an hour after its last sign",
                    told.join(", ")
                )
            }
        };
        Ok(StoreCheck { name: "imports", ok, detail })
    }

    /// Returns the memories whose import has not ended.
    async fn parts(&self) -> Result<Vec<Memory>> {
        self.store
            .read(|tx| {
                let (mut parts, mut after) = (Vec::new(), None);
                loop {
                    let page = tx.memories().list(after.as_ref(), MEMORIES_PER_PAGE)?;
                    let Some(last) = page.last() else { return Ok(parts) };
                    after = Some((last.created_at, last.id.clone()));
                    parts.extend(page.into_iter().filter(|memory| memory.import.is_some()));
                }
            })
            .await
    }

    /// Removes a memory whose import has not ended, if `is_meant` accepts the import. Returns true
    /// if it was removed.
    async fn remove_part(
        &self,
        id: &MemoryId,
        is_meant: impl Fn(&MemoryImport) -> bool + Send + 'static,
    ) -> Result<bool> {
        let (wanted, now) = (id.clone(), self.clock.now());
        let is_removed = self
            .store
            .write(move |tx| {
                let import = tx.memories().get(&wanted)?.and_then(|memory| memory.import);
                if !import.is_some_and(|import| is_meant(&import)) {
                    return Ok(false);
                }
                tx.jobs_mut().cancel(&wanted, None, None)?;
                tx.memories_mut().delete(&wanted, now)
            })
            .await?;
        if is_removed {
            purge::erase_memory(self, id).await?;
        }
        Ok(is_removed)
    }
}

/// Checks that the memories of these lines still belong to this run, and updates the time of its
/// progress periodically.
///
/// # Errors
/// `Conflict` if another import replaced this one.
pub(super) fn hold(
    tx: &mut dyn Tx,
    lines: &[ExportLine],
    resuming: &[MemoryId],
    mark: &MemoryImport,
) -> Result<()> {
    let named: BTreeSet<&MemoryId> = lines.iter().filter_map(memory_of).collect();
    let mut oldest = mark.at;
    for id in named.into_iter().filter(|id| resuming.contains(id)) {
        oldest = oldest.min(held(tx, id, &mark.run)?.import.map_or(mark.at, |import| import.at));
    }
    if oldest.plus_millis(limits::IMPORT_BEAT_MS) > mark.at {
        return Ok(());
    }
    for id in resuming {
        let memory = held(tx, id, &mark.run)?;
        tx.memories_mut().update(&Memory { import: Some(mark.clone()), ..memory })?;
    }
    Ok(())
}

/// Returns a memory that a run is importing.
fn held(tx: &dyn ReadTx, id: &MemoryId, run: &str) -> Result<Memory> {
    let is_own = |memory: &Memory| memory.import.as_ref().is_some_and(|import| import.run == run);
    tx.memories().get(id)?.filter(is_own).ok_or_else(|| {
        let rule = format!("another import took the place of this one for {id}, or its part was removed");
        Error::conflict(format!("{rule}: import the file again")).because(Reason::ResourceConflict)
    })
}

fn memory_of(line: &ExportLine) -> Option<&MemoryId> {
    match line {
        ExportLine::Header { .. } | ExportLine::End { .. } => None,
        ExportLine::Memory { memory } => Some(&memory.id),
        ExportLine::Repository { repository } => Some(&repository.memory),
        ExportLine::Task { task } => Some(&task.memory),
        ExportLine::Exposure { exposure } => Some(&exposure.memory),
        ExportLine::Commit { commit } => Some(&commit.memory),
        ExportLine::TaskSession { session } => Some(&session.memory),
        ExportLine::SessionItem { item } => Some(&item.memory),
        ExportLine::Prompt { prompt } => Some(&prompt.memory),
        ExportLine::Fact { fact } => Some(&fact.memory),
        ExportLine::FactEvent { event } => Some(&event.memory),
        ExportLine::Ledger { entry } => Some(&entry.memory),
        ExportLine::Event { event } => Some(&event.memory),
        ExportLine::Record { record, .. } => Some(&record.memory),
        ExportLine::Change { change } => Some(&change.memory),
        ExportLine::Object { object } => Some(&object.head.memory),
    }
}
