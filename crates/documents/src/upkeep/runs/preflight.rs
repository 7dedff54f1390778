//! Checks that the tree is still what an action was planned on: every document of the action is
//! unchanged, and the paths that it writes are still free.

use std::collections::BTreeSet;

use loci_engine::consolidation::plan::Action;
use loci_engine::consolidation::snapshot::reference_key;
use loci_model::ports::store::ReadTx;
use loci_model::{Result, Timestamp};

use crate::trees::tree::Tree;
use crate::upkeep::plan_input::{entry_at, lies_at, seen};
use crate::upkeep::run::{DocumentReadState, RunAction};

/// Returns the changed paths of an action, in order.
pub(super) fn moved(tx: &dyn ReadTx, tree: &Tree, one: &RunAction, now: Timestamp) -> Result<Vec<String>> {
    let mut found = BTreeSet::new();
    for was in &one.seen {
        if !is_as_seen(tx, tree, was, now)? {
            found.insert(was.path.clone());
        }
    }
    let read: BTreeSet<String> = one.action.reads().into_iter().map(reference_key).collect();
    if let Some(target) = one.action.writes()
        && !read.contains(&reference_key(target))
        && lies_at(tx, tree, target, now)?
    {
        found.insert(target.to_owned());
    }
    // Every document that an action reads was recorded, unless it is damaged.
    if one.seen.len() != read.len() && !matches!(one.action, Action::Create { .. }) {
        found.extend(one.action.reads().into_iter().map(ToOwned::to_owned));
    }
    Ok(found.into_iter().collect())
}

fn is_as_seen(tx: &dyn ReadTx, tree: &Tree, was: &DocumentReadState, now: Timestamp) -> Result<bool> {
    let Some(entry) = entry_at(tx, tree, &was.path)?.filter(|entry| entry.is_live(now)) else {
        return Ok(false);
    };
    let Some(record) = tx.records().get(&tree.memory, &entry.record)? else { return Ok(false) };
    let is = seen(&entry, &record);
    // A version with equal content is no change.
    Ok(DocumentReadState { version: was.version, ..is } == *was)
}
