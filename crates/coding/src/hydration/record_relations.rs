//! The relation of the records found to other records: agreement, undecided contradictions, and
//! branches. A record that holds only on a branch is shown only where one of its commits is
//! present: to its own task, to tasks of that branch, and where the code confirms it within the
//! deadline.

use std::collections::HashMap;
use std::sync::Arc;

use loci_engine::calls::deadline::DeadlineRead;
use loci_engine::records::conflicts;
use loci_model::facts::branch_fact::BranchFact;
use loci_model::facts::code::ObjectId;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::code::CodeSource;
use loci_model::ports::store::ReadTx;
use loci_model::record::agreement::Agreement;
use loci_model::tasks::task::Task;
use loci_model::{ActorId, MemoryId, RecordId, Result};
use loci_verified::tip_of;

use super::candidate::Candidate;
use super::candidate_reads::{HydrationReads, KindRead};
use crate::learnings::consolidation::{OnBranch, commits_of, holds_any};

/// The reason of a record that holds on a branch other than the task's.
const OTHER_BRANCH: &str = "other_branch";
/// The reason of a record whose branch cannot be compared with the task's revision now.
const BRANCH_UNKNOWN: &str = "branch_unknown";
/// The reason of a record that another one replaces on the task's branch.
const REPLACED_ON_BRANCH: &str = "replaced_on_branch";

/// Reads the agreement, conflicts and branches of candidates, in the transaction that found them or
/// right after it.
pub(super) fn with_standing(
    tx: &dyn ReadTx,
    (memory, actor): (&MemoryId, &ActorId),
    candidates: &mut [Candidate],
) -> Result<()> {
    if candidates.is_empty() {
        return Ok(());
    }
    let mut contradicted: HashMap<RecordId, u32> = HashMap::new();
    for conflict in conflicts::open_of(tx, memory, actor)? {
        for record in [conflict.standing, conflict.against] {
            *contradicted.entry(record).or_default() += 1;
        }
    }
    let are_any = |shelf| Ok::<_, loci_model::Error>(tx.ledger().count(memory, &shelf, Some(actor))? > 0);
    let (are_any_of_branches, are_any_agreed) = (are_any(BranchFact::SHELF)?, are_any(Agreement::SHELF)?);
    for candidate in candidates {
        let id = &candidate.record.id;
        candidate.standing.conflicts = contradicted.get(id).copied().unwrap_or_default();
        let fact = match are_any_of_branches {
            true => tx.ledger().noun::<BranchFact>(memory, id.as_str())?,
            false => None,
        };
        if let Some(fact) = fact {
            let commits = commits_of(tx, &fact)?;
            candidate.standing.on_branch = Some(Box::new((fact, commits)));
        }
        let agreement = match are_any_agreed {
            true => tx.ledger().noun::<Agreement>(memory, id.as_str())?,
            false => None,
        };
        if let Some(agreement) = agreement {
            candidate.standing.agreed = agreement.count();
            candidate.standing.is_approved = agreement.approved_by.is_some();
            candidate.observed_at = candidate.observed_at.max(agreement.confirmed_at);
        }
    }
    Ok(())
}

impl HydrationReads<'_> {
    /// Determines, for each record that holds only on a branch, if it holds at the task's revision.
    pub(super) async fn with_branches(&self, mut read: KindRead) -> KindRead {
        let task = self.place.task.as_ref();
        let asked: Vec<OnBranch> = read
            .found
            .iter()
            .filter_map(|one| one.standing.on_branch.as_deref())
            .filter(|(fact, _)| !is_of(fact, task))
            .cloned()
            .collect();
        let here = if asked.is_empty() { Ok(Vec::new()) } else { self.held_here(asked).await };
        if let Err(why) = &here {
            let rule = "what was learned on branches is left out, for which of it holds here is not known";
            read.warnings.push(format!("BRANCHES_UNKNOWN: {rule} ({why})"));
        }
        let mut replaced: Vec<RecordId> = Vec::new();
        for one in &mut read.found {
            let Some(on_branch) = one.standing.on_branch.as_deref() else { continue };
            let holds = is_of(&on_branch.0, task)
                || here.as_ref().is_ok_and(|held: &Vec<RecordId>| held.contains(&one.record.id));
            if holds {
                replaced.extend(on_branch.0.against.iter().cloned());
            } else {
                one.standing.elsewhere = Some(if here.is_ok() { OTHER_BRANCH } else { BRANCH_UNKNOWN });
            }
        }
        for one in read.found.iter_mut().filter(|one| replaced.contains(&one.record.id)) {
            one.standing.elsewhere = Some(REPLACED_ON_BRANCH);
        }
        read
    }

    /// Returns the branch facts that hold at the commit of the task, or the reason why this is
    /// unknown.
    async fn held_here(&self, asked: Vec<OnBranch>) -> std::result::Result<Vec<RecordId>, &'static str> {
        let Some(repository) = &self.place.repository else { return Err("no_repository") };
        let named = self.asked.revision().map(str::to_owned);
        let based_on = self.place.task.as_ref().and_then(|task| task.base_sha.clone());
        let default = repository.default_ref.clone();
        let work = move |source: &dyn CodeSource| {
            let at = |name: Option<&str>| -> Option<ObjectId> {
                tip_of(source, name, default.as_deref()).ok().and_then(|tip| tip.commit())
            };
            // The base commit of a task may be missing in this clone.
            let tip = match &named {
                Some(named) => tip_of(source, Some(named), default.as_deref())?.commit(),
                None => based_on.as_deref().and_then(|base| at(Some(base))).or_else(|| at(None)),
            };
            let held =
                asked.iter().filter(|(_, commits)| tip.is_some_and(|tip| holds_any(source, &tip, commits)));
            Ok(held.map(|(fact, _)| fact.record.clone()).collect::<Vec<_>>())
        };
        let look =
            async { Ok(self.coding.verified.on_code(repository, self.standing, Arc::new(work)).await) };
        match self.deadline.read(look).await {
            DeadlineRead::Done(Ok(Ok(held))) => Ok(held),
            DeadlineRead::Done(Ok(Err(error))) => Err(error.why.as_str()),
            DeadlineRead::Done(Err(_)) | DeadlineRead::Late => Err("deadline"),
        }
    }
}

/// True if the task itself or a task of the same branch learned the fact.
fn is_of(fact: &BranchFact, task: Option<&Task>) -> bool {
    task.is_some_and(|task| task.id == fact.task || (fact.branch.is_some() && task.branch == fact.branch))
}
