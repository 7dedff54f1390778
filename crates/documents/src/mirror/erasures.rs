//! Mirrors after an erasure. Mirrors with erased content are synced at once. Those that may still
//! contain it are reported with the reason. This module erases nothing in the store.

use std::collections::BTreeSet;

use loci_engine::admin::erasure::Person;
use loci_engine::hooks::CopyAfterErasure;
use loci_model::ports::store::StoreExt;
use loci_model::trees::mirror::{Mirror, MirrorDirection, MirrorKind, MirrorOrigin, MirrorState};
use loci_model::{MemoryId, Result};

use super::mirrors::keeps_history;
use super::rendering::tree_of;
use crate::Documents;
use crate::trees::tree::Tree;

/// The number of changes that are read per transaction.
const CHANGES_PER_READ: usize = 2_000;
/// The finding of a sync that found the files of the mirror in the expected state.
const WHOLE: &str = "whole";

impl Documents {
    /// Syncs the mirrors of a memory whose files are outdated after an erasure. Returns a report
    /// for each copy that may still contain the content.
    ///
    /// # Errors
    /// The errors of the store.
    pub(crate) async fn mirrors_brought_up(&self, memory: &MemoryId) -> Result<Vec<CopyAfterErasure>> {
        let mut done = Vec::new();
        for mirror in self.mirrors_in(memory).await? {
            if self.is_outdated(&mirror).await? {
                let name = mirror.name.clone();
                let left = self.left_in(mirror).await?;
                done.push(CopyAfterErasure { name, left });
            }
        }
        Ok(done)
    }

    /// Returns the git mirrors that have a commit by this author, according to the history of their
    /// trees.
    ///
    /// # Errors
    /// The errors of the store.
    pub(crate) async fn mirrors_with_author(
        &self,
        memory: &MemoryId,
        person: &Person,
    ) -> Result<Vec<String>> {
        let mut named = Vec::new();
        for mirror in self.mirrors_in(memory).await?.into_iter().filter(keeps_history) {
            let mut reached = 0;
            loop {
                let tree = Tree::of(&tree_of(&mirror));
                let read =
                    self.engine.store().read(move |tx| tree.changes_since(tx, reached, CHANGES_PER_READ));
                let changes = read.await?;
                if changes.iter().any(|change| change.by.as_deref().is_some_and(|by| person.is_name(by))) {
                    named.push(mirror.name.clone());
                    break;
                }
                let is_full = changes.len() == CHANGES_PER_READ;
                let Some(last) = changes.last().filter(|_| is_full) else { break };
                reached = last.sequence;
            }
        }
        Ok(named)
    }

    /// Removes the mirrors of a person's trees after a sync has removed all their files. Returns
    /// the names of the mirrors that stay because the configuration contains them. A mirror whose
    /// files could not be removed stays as well, for a later erasure.
    ///
    /// # Errors
    /// The errors of the store.
    pub(crate) async fn mirrors_of_person_removed(
        &self,
        memory: &MemoryId,
        person: &Person,
        not_emptied: &BTreeSet<String>,
    ) -> Result<Vec<String>> {
        let mut configured = Vec::new();
        for mirror in self.mirrors_in(memory).await? {
            if !person.owns_namespace(mirror.namespace.as_str()) || not_emptied.contains(&mirror.name) {
                continue;
            }
            match mirror.origin {
                MirrorOrigin::Configured => configured.push(mirror.name),
                MirrorOrigin::Added => {
                    self.mirror_forget(mirror).await?;
                }
            }
        }
        Ok(configured)
    }

    /// Syncs a mirror. Returns the reason why its files may still contain erased content. `None` if
    /// they do not.
    async fn left_in(&self, mirror: Mirror) -> Result<Option<String>> {
        let name = mirror.name.clone();
        if self.engine.file_places().is_none() {
            return Ok(Some(format!("mirror {name}, until a server that keeps mirrors syncs it")));
        }
        if mirror.direction == MirrorDirection::Import {
            let why = "it goes from its files to the tree alone: delete the files there";
            return Ok(Some(format!("mirror {name}: {why}")));
        }
        let is_last = mirror.kind == MirrorKind::Git;
        let report = match self.mirror_sync_now(mirror.clone(), is_last).await {
            Ok(report) => report,
            Err(error) => return Ok(Some(format!("mirror {name}, until its next sync: {}", error.message))),
        };
        if report.finding == WHOLE && !self.is_outdated(&mirror).await? {
            return Ok(None);
        }
        // The note about the whole mirror states the problem and the remedy.
        let of_the_whole = report.notes.iter().find(|note| note.path.is_empty());
        let why = of_the_whole.map_or_else(
            || "its files are not where the last sync left them: delete them where they are".to_owned(),
            |note| note.what.clone(),
        );
        Ok(Some(format!("mirror {name}, found as {}: {why}", report.finding)))
    }

    async fn is_outdated(&self, mirror: &Mirror) -> Result<bool> {
        let (memory, name) = (mirror.memory.clone(), mirror.name.clone());
        let state =
            self.engine.store().read(move |tx| tx.ledger().noun::<MirrorState>(&memory, &name)).await?;
        Ok(state.is_some_and(|state| state.is_outdated()))
    }
}
