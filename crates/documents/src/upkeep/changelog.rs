//! `consolidation/changelog.md`: the applied consolidation runs, the newest last, made from the
//! entries stored with the runs. Nobody can write this document, and no listing, search or plan
//! contains it.

use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::trees::consolidation_run::ActionStatus;
use loci_model::{Result, Timestamp};

use super::run::{ConsolidationRun, RunAction};
use super::runs::run_ledger;
use crate::Documents;
use crate::consolidation::PlannedAction;
use crate::consolidation::changelog::{ChangelogEntry, entry};
use crate::document::get::DocumentShown;
use crate::trees::tree::{Tree, TreeAsk};

/// The path of the changelog.
pub const CHANGELOG: &str = "consolidation/changelog.md";
/// The maximum size of the changelog, in bytes. Older entries are left out, and the text says so.
const BYTES_MAX: usize = 1 << 20;
const HEAD: &str = "# What consolidation did\n";
const LEFT_OUT: &str = "\nOlder runs are left out; they are listed among the runs.\n";

/// Returns the entry of a run with these applied actions.
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

impl Documents {
    /// Returns the changelog of a tree as a document, for readers of the tree; `None` if no run was
    /// applied.
    pub(crate) async fn changelog_shown(&self, ask: &TreeAsk) -> Result<Option<DocumentShown>> {
        let tree = Tree::of(ask);
        let found = self
            .engine
            .store()
            .read(move |tx| {
                let Some(text) = rendered(tx, &tree)? else { return Ok(None) };
                let upkeep = run_ledger::upkeep(tx, &tree.memory, &tree.normal)?;
                Ok(Some((text, (tree.progress(tx)?.sequence, upkeep.looked_at))))
            })
            .await?;
        found.map(|(text, at)| DocumentShown::rendered(CHANGELOG, text, at)).transpose()
    }
}

/// Returns the changelog, in the order in which runs were applied.
pub(super) fn rendered(tx: &dyn ReadTx, tree: &Tree) -> Result<Option<String>> {
    Ok(Changelog::read(tx, tree, Some(BYTES_MAX))?.until(u64::MAX))
}

/// The changelog of a tree, as of every run.
#[derive(Debug, Default)]
pub(crate) struct Changelog {
    /// The entries, each with the sequence after it, the oldest first.
    entries: Vec<(u64, String)>,
    /// True if older entries were not read.
    is_cut: bool,
}

impl Changelog {
    /// Reads all entries, or the newest of them up to so many bytes.
    ///
    /// # Errors
    /// The errors of the store.
    pub(crate) fn read(tx: &dyn ReadTx, tree: &Tree, bytes_max: Option<usize>) -> Result<Self> {
        let mut found: Vec<(u64, String, usize, String)> = Vec::new();
        let (mut bytes, mut is_cut) = (0, false);
        run_ledger::each(tx, tree, None, |run| {
            bytes += run.changelog.len();
            is_cut = bytes_max.is_some_and(|most| bytes > most);
            if !is_cut {
                let entries = entries_of(&run).into_iter().enumerate();
                found.extend(entries.map(|(number, (at, text))| (at, run.id.clone(), number, text)));
            }
            !is_cut
        })?;
        found.sort();
        Ok(Self { entries: found.into_iter().map(|(at, _, _, text)| (at, text)).collect(), is_cut })
    }

    /// Returns the text as of a change of the tree; `None` if no run was applied by then. It
    /// contains the newest entries that fit.
    pub(crate) fn until(&self, sequence: u64) -> Option<String> {
        let then: Vec<&String> =
            self.entries.iter().filter(|(at, _)| *at <= sequence).map(|(_, text)| text).collect();
        let mut bytes = 0;
        let fit = then.iter().rev().take_while(|text| {
            bytes += text.len();
            bytes <= BYTES_MAX
        });
        let shown = then.get(then.len() - fit.count()..).filter(|shown| !shown.is_empty())?;
        let mut text = HEAD.to_owned();
        if self.is_cut || shown.len() < then.len() {
            text.push_str(LEFT_OUT);
        }
        for entry in shown {
            text.push('\n');
            text.push_str(entry);
        }
        Some(text)
    }
}

/// Returns the entries of a run, each with the tree's sequence after it.
fn entries_of(run: &ConsolidationRun) -> Vec<(u64, String)> {
    let mut entries: Vec<String> = Vec::new();
    for line in run.changelog.split_inclusive('\n') {
        match entries.last_mut() {
            // No field begins with `#`, so such a line begins an entry.
            Some(last) if !line.starts_with("## ") => last.push_str(line),
            Some(_) | None => entries.push(line.to_owned()),
        }
    }
    let sequence = |number: usize| run.changelog_sequences.get(number).copied().or(run.applied_sequence);
    let at = |(number, text)| (sequence(number).unwrap_or_default(), text);
    entries.into_iter().enumerate().map(at).collect()
}
