//! `consolidation/changelog.md`: runs that were applied, the newest last, out of what each run keeps of itself. A document that nobody
//! writes, that no listing, search or plan shows; what decides is the runs (files-and-git.md §14.7).

use loci_model::consolidation_run::ActionStatus;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{Result, Timestamp};

use super::filing;
use super::run::{ConsolidationRun, RunAction};
use crate::Engine;
use crate::access;
use crate::files::consolidating::PlannedAction;
use crate::files::consolidating::changelog::{ChangelogEntry, entry};
use crate::files::get::DocumentShown;
use crate::files::tree::{Tree, TreeAsk};
use crate::memories::existing;

/// Where it lies.
pub const CHANGELOG: &str = "consolidation/changelog.md";
/// Bytes of it: of more, the oldest are left out, and that is said.
const BYTES_MAX: usize = 1 << 20;
const HEAD: &str = "# What consolidation did\n";
const LEFT_OUT: &str = "\nOlder runs are left out; they are listed among the runs.\n";

/// The entry of a run that did these actions.
pub(super) fn entry_of(run: &ConsolidationRun, done: &[RunAction], at: Timestamp) -> String {
    let actions: Vec<PlannedAction> = done
        .iter()
        .map(|one| PlannedAction { operation: one.operation, action: one.action.clone(), held: None })
        .collect();
    let held = run.actions.iter().filter(|one| one.status == ActionStatus::Held).count();
    entry(&ChangelogEntry {
        at,
        run: &run.id,
        planner: &run.planner,
        operations: &run.operations,
        actions: &actions,
        held,
        failed_deletes: &[],
        summary: &run.summary,
    })
}

impl Engine {
    /// The changelog of a tree; `None` where no run was applied.
    ///
    /// # Errors
    /// `Denied` without a grant of read on the whole namespace.
    pub async fn consolidation_changelog(&self, caller: &Principal, ask: &TreeAsk) -> Result<Option<String>> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let tree = Tree::of(ask);
        self.store
            .read(move |tx| {
                existing(tx, &tree.memory)?;
                rendered(tx, &tree)
            })
            .await
    }
}

impl Engine {
    /// The same as a document, for whoever may read the tree.
    pub(in crate::files) async fn changelog_shown(&self, ask: &TreeAsk) -> Result<Option<DocumentShown>> {
        let tree = Tree::of(ask);
        let found = self
            .store
            .read(move |tx| {
                let Some(text) = rendered(tx, &tree)? else { return Ok(None) };
                let upkeep = filing::upkeep(tx, &tree.memory, &tree.normal)?;
                Ok(Some((text, (tree.progress(tx)?.sequence, upkeep.looked_at))))
            })
            .await?;
        found.map(|(text, at)| DocumentShown::rendered(CHANGELOG, text, at)).transpose()
    }
}

/// The changelog, in the order in which runs were done.
pub(super) fn rendered(tx: &dyn ReadTx, tree: &Tree) -> Result<Option<String>> {
    let mut entries: Vec<(Option<u64>, String, String)> = Vec::new();
    let (mut bytes, mut is_whole) = (0, true);
    filing::each(tx, tree, None, |run| {
        bytes += run.changelog.len();
        is_whole &= bytes <= BYTES_MAX;
        if is_whole && !run.changelog.is_empty() {
            entries.push((run.applied_sequence, run.id, run.changelog));
        }
        is_whole
    })?;
    if entries.is_empty() {
        return Ok(None);
    }
    entries.sort();
    let mut text = HEAD.to_owned();
    if !is_whole {
        text.push_str(LEFT_OUT);
    }
    for (_, _, entry) in &entries {
        text.push('\n');
        text.push_str(entry);
    }
    Ok(Some(text))
}
