//! `consolidation_revert`: restores the documents of an applied run as they were before it, as new
//! versions with the old content, and archives documents that the run created. The reversal is a
//! run itself, and can be reverted. Documents that others changed later are reported and left
//! alone, unless the request forces the reversal.

use std::collections::BTreeMap;

use loci_api::documents::consolidation::ConsolidationUsage;
use loci_engine::access;
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::document_text::areas::check_writable;
use loci_engine::document_text::path::DocumentPath;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::Tx;
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::trees::consolidation_run::{ActionStatus, RunStatus};
use loci_model::trees::tree_entry::{DocumentOperation, EntryStanding, TreeEntry};
use loci_model::{Error, RecordId, Result};
use serde::{Deserialize, Serialize};

use super::run_ledger;
use crate::Documents;
use crate::document::document_write::DocumentWriter;
use crate::document_history::versions::Versions;
use crate::trees::tree::TreeAsk;
use crate::trees::tree_write::TreeWrite;
use crate::upkeep::changelog;
use crate::upkeep::run::{ConsolidationRun, RunAction, RunChange};

/// The result of reverting a consolidation run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reverted {
    /// The new run that reverts the earlier one.
    pub run: ConsolidationRun,
    /// The documents that were not restored, each with the reason.
    pub left: Vec<String>,
}

/// A document to restore.
struct Back {
    current: Record,
    /// The path, or the former one.
    path: String,
    /// The version to restore; none: the document did not exist.
    was: Option<Record>,
}

impl Documents {
    /// Reverts an applied run.
    ///
    /// # Errors
    /// `NotFound`; `Conflict` for a run that is not applied, and if every document of it was
    /// changed since; `Denied`.
    pub async fn consolidation_revert(
        &self,
        caller: &Principal,
        (ask, id): (&TreeAsk, &str),
        force: bool,
        token: Option<ClientToken>,
    ) -> Result<Reverted> {
        // The answer contains the run, and paths of documents that were left alone.
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let (id, new) =
            (id.to_owned(), format!("cr_{}", uuid7(self.engine.ids().as_ref(), self.engine.now().millis())));
        let write = TreeWrite { run: Some(new.clone()), ..TreeWrite::of(ask, "RevertConsolidation", token) };
        self.tree_write(caller, write, move |tx, writing| {
            let tree = writing.tree;
            let run = run_ledger::run_of(tx, &tree.memory, &tree.normal, &id)?;
            if run.status != RunStatus::Applied {
                let rule =
                    format!("the run is {}: only one that is applied can be reverted", run.status.as_str());
                return Err(Error::conflict(rule));
            }
            writing.revert(tx, run, (&new, force))
        })
        .await
    }
}

impl DocumentWriter<'_> {
    fn revert(&self, tx: &mut dyn Tx, old: ConsolidationRun, (id, force): (&str, bool)) -> Result<Reverted> {
        self.check_redone(tx, &old)?;
        let mut left = Vec::new();
        let mut back = Vec::new();
        for (record, (before, after, path)) in first_and_last(&old.changed) {
            match self.way_back(tx, &record, (before, after), force)? {
                Ok((current, was)) => back.push(Back { current, path, was }),
                Err(why) => left.push(format!("{path}: {why}")),
            }
        }
        let mut changed = Vec::new();
        self.bring_back_all(tx, back, &old.id, &mut changed, &mut left)?;
        if changed.is_empty() && !left.is_empty() {
            let rule = match force {
                false => {
                    "every document of the run was changed since: say force to put them back all the same"
                }
                true => "no document of the run can be put back: each is named with why",
            };
            return Err(Error::conflict(rule).on("force").listing(left));
        }
        let run = self.note_revert(tx, old, id, changed, &left)?;
        Ok(Reverted { run, left })
    }

    /// Checks that only an administrator reapplies an administrator's run: every second reversal in
    /// a chain reapplies the first run.
    fn check_redone(&self, tx: &dyn Tx, old: &ConsolidationRun) -> Result<()> {
        let (mut redoes, mut first) = (false, old.clone());
        while let Some(reverts) = first.reverts.clone() {
            let Some(before) = tx.ledger().noun::<ConsolidationRun>(&old.memory, &reverts)? else { break };
            (redoes, first) = (!redoes, before);
        }
        let was_held = |one: &RunAction| one.held.is_some() && one.status == ActionStatus::Applied;
        if redoes && !self.is_admin && first.actions.iter().any(was_held) {
            let rule = format!(
                "run {} did actions that an administrator decided about: to do them again takes a grant of admin on the namespace",
                first.id
            );
            return Err(Error::denied(rule));
        }
        Ok(())
    }

    /// Returns the present and the former version of a document, or the reason to leave it alone.
    fn way_back(
        &self,
        tx: &dyn Tx,
        record: &RecordId,
        (before, after): (Option<u32>, u32),
        force: bool,
    ) -> Result<std::result::Result<(Record, Option<Record>), String>> {
        let Some(versions) = Versions::of(tx, self.tree, record)? else {
            return Ok(Err("its content is erased".to_owned()));
        };
        let Some(current) = versions.all.last().cloned() else {
            return Ok(Err("it lies in another namespace".to_owned()));
        };
        let Some(then) = versions.get(after) else {
            return Ok(Err("the version that the run wrote is no longer kept".to_owned()));
        };
        if current.version != after && !says_what_it_said(&current, then) && !force {
            return Ok(Err("it was changed since".to_owned()));
        }
        let Some(before) = before else { return Ok(Ok((current, None))) };
        match versions.get(before) {
            Some(was) if self.is_taken_out(tx, was)? => Ok(Err("its content was taken out".to_owned())),
            Some(was) => Ok(Ok((current, Some(was.clone())))),
            None => Ok(Err("the version before is no longer kept".to_owned())),
        }
    }

    /// Archives documents that did not exist before, so that their paths are free. Then it restores
    /// each document; one whose path is still used waits for the next round.
    fn bring_back_all(
        &self,
        tx: &mut dyn Tx,
        back: Vec<Back>,
        run: &str,
        changed: &mut Vec<RunChange>,
        left: &mut Vec<String>,
    ) -> Result<()> {
        let reason = format!("revert of {run}");
        let is_away = |one: &Back| one.was.as_ref().is_none_or(|was| was.state != RecordState::Active);
        let (away, mut waiting): (Vec<Back>, Vec<Back>) = back.into_iter().partition(is_away);
        for one in &away {
            self.put_back(tx, one, &reason, changed)?;
        }
        loop {
            let before = waiting.len();
            let mut still = Vec::new();
            for one in waiting {
                if self.is_free_for(tx, &one)? {
                    self.put_back(tx, &one, &reason, changed)?;
                } else {
                    still.push(one);
                }
            }
            waiting = still;
            if waiting.len() == before {
                break;
            }
        }
        left.extend(waiting.iter().map(|one| format!("{}: another document has its path", one.path)));
        Ok(())
    }

    fn is_free_for(&self, tx: &dyn Tx, one: &Back) -> Result<bool> {
        let path = one.was.as_ref().and_then(|was| was.path.as_deref()).unwrap_or(&one.path);
        let Ok(path) = DocumentPath::check(path) else { return Ok(true) };
        check_writable(&path, self.is_admin)?;
        let (entry, own) = (self.tree.entry(tx, &path.key())?, &one.current.id);
        let is_other = |entry: TreeEntry| entry.standing == EntryStanding::Live && entry.record != *own;
        Ok(!entry.is_some_and(is_other) && self.tree.has_room(tx, &path, self.now, own)?)
    }

    fn put_back(
        &self,
        tx: &mut dyn Tx,
        one: &Back,
        reason: &str,
        changed: &mut Vec<RunChange>,
    ) -> Result<()> {
        check_writable(&DocumentPath::parse(&one.path)?, self.is_admin)?;
        let full = || Error::conflict("the document has too many versions");
        let version = one.current.version.checked_add(1).ok_or_else(full)?;
        let record = match &one.was {
            Some(was) => Record { version, sequence: 0, updated_at: self.now, ..was.clone() },
            None => Record {
                version,
                sequence: 0,
                updated_at: self.now,
                state: RecordState::Archived,
                state_reason: Some(reason.to_owned()),
                ..one.current.clone()
            },
        };
        let operation = match record.state {
            RecordState::Active => DocumentOperation::Restored,
            RecordState::Superseded => DocumentOperation::Superseded,
            _ => DocumentOperation::Archived,
        };
        let written = self.put(tx, &one.current, record, (operation, Some(reason)))?;
        if written.operation.is_some() {
            changed.push(RunChange {
                record: one.current.id.clone(),
                path: written.path.unwrap_or_else(|| one.path.clone()),
                before: Some(one.current.version),
                after: written.version,
            });
        }
        Ok(())
    }

    /// Records the run that reverts another, and the new status of that one.
    fn note_revert(
        &self,
        tx: &mut dyn Tx,
        mut old: ConsolidationRun,
        id: &str,
        changed: Vec<RunChange>,
        left: &[String],
    ) -> Result<ConsolidationRun> {
        let sequence = self.tree.progress(tx)?.sequence;
        let mut run = ConsolidationRun {
            id: id.to_owned(),
            status: RunStatus::Applied,
            snapshot_sequence: old.applied_sequence.unwrap_or(old.snapshot_sequence),
            applied_sequence: Some(sequence),
            actions: Vec::new(),
            reviews: Vec::new(),
            violations: Vec::new(),
            summary: format!(
                "Reverts {}: {} documents as they were, {} left alone.",
                old.id,
                changed.len(),
                left.len()
            ),
            report: None,
            usage: ConsolidationUsage::default(),
            replans: 0,
            conflicts: left.to_vec(),
            changed,
            reverts: Some(old.id.clone()),
            reverted_by: None,
            failure: None,
            changelog: String::new(),
            changelog_sequences: vec![sequence],
            job: None,
            by: self.by.to_owned(),
            by_admin: self.is_admin,
            created_at: self.now,
            updated_at: self.now,
            dry_run: false,
            ..old.clone()
        };
        run.changelog = changelog::entry_of(&run, &[], self.now);
        // Reverting a reversal reapplies the first run.
        if let Some(first) = old.reverts.clone()
            && let Some(mut first) = tx.ledger().noun::<ConsolidationRun>(&old.memory, &first)?
        {
            (first.status, first.reverted_by, first.updated_at) = (RunStatus::Applied, None, self.now);
            // The first run's versions are those that were just written.
            first.changed.clone_from(&renewed(&first.changed, &run.changed));
            tx.ledger_mut().put_noun(&first)?;
        }
        (old.status, old.reverted_by, old.updated_at) = (RunStatus::Reverted, Some(id.to_owned()), self.now);
        // The texts of the pending actions are removed; if the run is reapplied, these actions are
        // not applied without them.
        let is_open = |one: &&mut RunAction| matches!(one.status, ActionStatus::Planned | ActionStatus::Held);
        old.actions.iter_mut().filter(is_open).for_each(|one| one.status = ActionStatus::Skipped);
        old.drop_words();
        tx.ledger_mut().put_noun(&old)?;
        tx.ledger_mut().put_noun(&run)?;
        Ok(run)
    }
}

/// Returns for each record the version before the first change and after the last one, and its path
/// then.
fn first_and_last(changed: &[RunChange]) -> BTreeMap<RecordId, (Option<u32>, u32, String)> {
    let mut out: BTreeMap<RecordId, (Option<u32>, u32, String)> = BTreeMap::new();
    for one in changed {
        let known = out.entry(one.record.clone()).or_insert((one.before, one.after, one.path.clone()));
        known.1 = one.after;
    }
    out
}

/// Returns the changes of a reapplied run, with the new versions.
fn renewed(first: &[RunChange], since: &[RunChange]) -> Vec<RunChange> {
    let after = |one: &RunChange| since.iter().find(|new| new.record == one.record).map(|new| new.after);
    first.iter().map(|one| RunChange { after: after(one).unwrap_or(one.after), ..one.clone() }).collect()
}

/// True if a later version has equal content: no change since would be lost.
fn says_what_it_said(one: &Record, other: &Record) -> bool {
    crate::document::document_write::says_the_same(one, other)
}
