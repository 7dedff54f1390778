//! `consolidation_differences`: the changes of a run as unified diffs of documents. For pending
//! actions they are computed from the current tree, and for applied ones from the versions before
//! and after. They are not stored.

use std::collections::BTreeMap;

use loci_api::documents::consolidation::ConsolidationDifference;
use loci_engine::access;
use loci_engine::consolidation::plan::Action;
use loci_engine::consolidation::snapshot::reference_key;
use loci_engine::document_text::content::{DocumentContent, is_redacted};
use loci_engine::document_text::path::DocumentPath;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::trees::consolidation_run::ActionStatus;
use loci_model::{Result, Timestamp};

use crate::Documents;
use crate::document::document_write::find;
use crate::document_history::diff::{DIFF_BYTES_MAX, of_files};
use crate::document_history::versions::Versions;
use crate::trees::tree::{Tree, TreeAsk};
use crate::upkeep::document_builder::worded;
use crate::upkeep::run::{ConsolidationRun, RunAction};

impl Documents {
    /// Returns the planned or applied changes of a run, by path.
    ///
    /// # Errors
    /// `NotFound`; `Denied` without a grant of read on the whole namespace.
    pub async fn consolidation_differences(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        run: &ConsolidationRun,
    ) -> Result<Vec<ConsolidationDifference>> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        self.caught_up(ask).await?;
        let (tree, run, now) = (Tree::of(ask), run.clone(), self.engine.now());
        self.engine
            .store()
            .read(move |tx| {
                let mut all = Vec::new();
                for one in &run.actions {
                    if matches!(one.status, ActionStatus::Planned | ActionStatus::Held) {
                        planned(tx, (&tree, now), one, &mut all)?;
                    }
                }
                done(tx, &tree, &run, &mut all)?;
                let mut bytes = 0;
                for one in &mut all {
                    bytes += one.unified.as_ref().map_or(0, String::len);
                    if bytes > DIFF_BYTES_MAX {
                        one.unified = None;
                    }
                }
                Ok(all)
            })
            .await
    }
}

fn planned(
    tx: &dyn ReadTx,
    (tree, now): (&Tree, Timestamp),
    one: &RunAction,
    all: &mut Vec<ConsolidationDifference>,
) -> Result<()> {
    let content = |path: &str| -> Result<Option<DocumentContent>> {
        let Ok(path) = DocumentPath::check(path) else { return Ok(None) };
        let found = find(tx, tree, &path, now)?;
        Ok(found.filter(|found| !is_redacted(&found.record)).map(|found| DocumentContent::of(&found.record)))
    };
    let mut push = |before: Option<&str>, after: Option<&str>, unified: Option<String>| {
        all.push(ConsolidationDifference {
            action: Some(one.id.clone()),
            path_a: before.map(str::to_owned),
            path_b: after.map(str::to_owned),
            unified,
        });
    };
    if let (Some(words), Some(path)) = (one.action.words(), one.action.writes()) {
        let own = one.action.reads().into_iter().any(|read| reference_key(read) == reference_key(path));
        let old = if own { content(path)? } else { None };
        let new = worded(old.clone().unwrap_or_default(), words);
        let file = old.as_ref().map(DocumentContent::file).unwrap_or_default();
        let before = old.is_some().then_some(path);
        push(before, Some(path), Some(of_files(&file, &new.file(), before, Some(path))));
    }
    if let Action::Move { from, to, .. } = &one.action {
        push(Some(from), Some(to), Some(String::new()));
    } else {
        for path in one.action.vacates() {
            let old = content(path)?;
            push(Some(path), None, old.map(|old| of_files(&old.file(), "", Some(path), None)));
        }
    }
    Ok(())
}

fn done(
    tx: &dyn ReadTx,
    tree: &Tree,
    run: &ConsolidationRun,
    all: &mut Vec<ConsolidationDifference>,
) -> Result<()> {
    let mut known: BTreeMap<&str, Option<Versions>> = BTreeMap::new();
    for change in &run.changed {
        if !known.contains_key(change.record.as_str()) {
            known.insert(change.record.as_str(), Versions::of(tx, tree, &change.record)?);
        }
        let versions = known.get(change.record.as_str()).and_then(Option::as_ref);
        let shown = |version: Option<u32>| -> Option<(Option<String>, String)> {
            let (versions, record) = (versions?, versions?.get(version?)?);
            let is_there = record.state == loci_model::record::RecordState::Active && !is_redacted(record);
            is_there.then(|| (versions.path(record), DocumentContent::of(record).file()))
        };
        let (before, after) = (shown(change.before), shown(Some(change.after)));
        let file = |one: &Option<(Option<String>, String)>| {
            one.as_ref().map(|(_, file)| file.clone()).unwrap_or_default()
        };
        let path = |one: &Option<(Option<String>, String)>| one.as_ref().and_then(|(path, _)| path.clone());
        let (from, to) = (path(&before), path(&after));
        let unified = of_files(&file(&before), &file(&after), from.as_deref(), to.as_deref());
        all.push(ConsolidationDifference { action: None, path_a: from, path_b: to, unified: Some(unified) });
    }
    Ok(())
}
