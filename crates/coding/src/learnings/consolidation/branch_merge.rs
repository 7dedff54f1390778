//! The merge of a branch into the default branch: facts of the branch then hold everywhere. Each is
//! compared with the records of the default branch and replaces those that it contradicts, unless
//! they are newer or more trusted. The check runs in the background, at each new tip of the default
//! branch. It looks for the commit itself, for commits that replaced it, and for the merge commit
//! of its task's pull request.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_engine::calls::call_context::CallContext;
use loci_engine::consolidation::Decision;
use loci_engine::consolidation::relate::rank;
use loci_engine::memories::existing;
use loci_engine::records::conflicts;
use loci_engine::records::state_transition::StateTransition;
use loci_model::facts::branch_fact::BranchFact;
use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::code::CodeSource;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::{RecordId, Result, Timestamp};

use super::agreement::agree;
use super::decision::{ComparedRecords, tier};
use super::similar_records::SimilarRecords;
use crate::Coding;
use crate::tasks::task_namespaces;

/// The author of these record changes.
const BY: &str = "loci";
/// The number of branch facts that are checked together.
const PAGE: usize = 100;
/// The maximum number of rewritten commits that are followed from one.
const STEPS_MAX: usize = 20;
/// The reason why a record is superseded.
const LANDED: &str = "the branch of what contradicts it came onto the default branch";
const SAID_THERE: &str = "its branch came onto the default branch, where the same was known";
const TRUSTED_MORE: &str =
    "its branch came onto the default branch, where what it contradicts is trusted more";

/// A fact of a branch, and the commits any of which brings it onto another branch.
pub(crate) type OnBranch = (BranchFact, Vec<String>);

/// A branch fact that reaches the default branch.
pub(crate) struct MergingBranchFact<'a> {
    pub(crate) changing: StateTransition<'a>,
    /// Similar records.
    pub(crate) around: &'a SimilarRecords,
    /// The text of the similarity search; `None`: its own.
    pub(crate) said: Option<&'a str>,
    /// The time of its latest observation on the default branch; `None`: the time at which it was
    /// learned.
    pub(crate) seen_at: Option<Timestamp>,
}

impl MergingBranchFact<'_> {
    /// Makes a branch fact hold on the default branch, and compares it with the records there.
    pub(crate) fn land(&self, tx: &mut dyn Tx, fact: &BranchFact) -> Result<()> {
        let memory = &self.changing.memory.id;
        let record = tx.records().get(memory, &fact.record)?;
        if let Some(record) = record.filter(|record| record.state == RecordState::Active) {
            self.settle(tx, fact, &record)?;
        }
        tx.ledger_mut().remove(memory, &BranchFact::SHELF, fact.record.as_str()).map(drop)
    }

    fn settle(&self, tx: &mut dyn Tx, fact: &BranchFact, record: &Record) -> Result<()> {
        let StateTransition { memory, at, .. } = self.changing;
        let seen_at = self.seen_at.map_or(record.timestamp, |at| at.max(record.timestamp));
        let beside = ComparedRecords { memory, around: self.around, now: at, on_branch: None };
        let said = self.said.unwrap_or(&record.text);
        match beside.decide_landed(tx, record, (said, seen_at))? {
            Decision::Add { .. } | Decision::Update { .. } => {
                self.replace(tx, record, &fact.against, seen_at)
            }
            Decision::Supersede { mut old, .. } => {
                old.extend(fact.against.iter().filter(|id| !old.contains(id)).cloned().collect::<Vec<_>>());
                self.replace(tx, record, &old, seen_at)
            }
            Decision::Skip { of, .. } => self.give_way(tx, fact, record, &of),
            Decision::History { under, why } => match tx.records().get(&memory.id, &under)? {
                Some(newer) => self.changing.supersede(tx, record, &newer, &why.reason).map(drop),
                None => Ok(()),
            },
            Decision::Doubt { with, why } => {
                with.iter()
                    .try_for_each(|with| conflicts::note(tx, (with, record), &why.reason, at).map(drop))?;
                self.replace(tx, record, &fact.against, seen_at)
            }
            Decision::Hold { with, why } => conflicts::note(tx, (&with, record), &why.reason, at).map(drop),
        }
    }

    /// Supersedes active records that are neither newer nor more trusted. A more trusted one is
    /// recorded as a conflict.
    fn replace(&self, tx: &mut dyn Tx, record: &Record, old: &[RecordId], seen_at: Timestamp) -> Result<()> {
        let own = rank(tier(tx, record)?);
        for old in tx.records().get_many(&self.changing.memory.id, old)? {
            if old.state != RecordState::Active || old.timestamp > seen_at {
                continue;
            }
            if rank(tier(tx, &old)?) > own {
                conflicts::note(tx, (&old.id, record), TRUSTED_MORE, self.changing.at)?;
            } else {
                self.changing.supersede(tx, &old, record, LANDED)?;
            }
        }
        Ok(())
    }

    /// The default branch states the same: its record stays, and the branch's task agrees with it.
    fn give_way(&self, tx: &mut dyn Tx, fact: &BranchFact, record: &Record, of: &RecordId) -> Result<()> {
        let memory = &self.changing.memory.id;
        let Some(known) = tx.records().get(memory, of)? else { return Ok(()) };
        self.changing.supersede(tx, record, &known, SAID_THERE)?;
        match tx.tasks().get(memory, &fact.task)? {
            Some(task) => agree(tx, &known, &task, record.timestamp),
            None => Ok(()),
        }
    }
}

/// Returns the commits that bring a branch fact onto another branch: its own, those that replaced
/// it, and the merge commit of its pull request.
pub(crate) fn commits_of(tx: &dyn ReadTx, fact: &BranchFact) -> Result<Vec<String>> {
    let mut commits = vec![fact.commit.clone()];
    let mut next = ObjectId::parse(&fact.commit);
    let mut seen = BTreeSet::new();
    while let Some(sha) = next.filter(|sha| seen.len() < STEPS_MAX && seen.insert(*sha)) {
        next = tx.commits().get(&fact.memory, &fact.actor, &sha)?.and_then(|commit| commit.rewritten_to);
        commits.extend(next.map(|sha| sha.to_string()));
    }
    let task = tx.tasks().get(&fact.memory, &fact.task)?;
    commits.extend(task.and_then(|task| task.pr).and_then(|pr| pr.merge_commit_sha));
    Ok(commits)
}

/// True if one of these commits is the tip or an ancestor of it. A commit that is not available
/// does not count.
pub(crate) fn holds_any(source: &dyn CodeSource, tip: &ObjectId, commits: &[String]) -> bool {
    let is_held = |name: &String| {
        let commit = source.resolve(name).ok().flatten().and_then(|revision| revision.commit());
        commit.is_some_and(|commit| source.is_ancestor(&commit, tip).unwrap_or(false))
    };
    commits.iter().any(is_held)
}

impl Coding {
    /// Looks for the branch facts that the default branch contains at its new tip. Returns false if
    /// the code could not be read.
    pub(crate) async fn land_branch_facts(&self, repository: &Repository, tip: ObjectId) -> Result<bool> {
        let mut after = None;
        loop {
            let (of, from) = (repository.clone(), after.clone());
            let page = self.engine.store().read(move |tx| page(tx, &of, from.clone())).await?;
            let Some((last, _)) = page.last() else { return Ok(true) };
            after = Some((last.at, last.record.to_string()));
            let is_last = page.len() < PAGE;
            let work = move |source: &dyn CodeSource| {
                let landed = page.iter().filter(|(_, commits)| holds_any(source, &tip, commits));
                Ok(landed.map(|(fact, _)| fact.clone()).collect::<Vec<_>>())
            };
            let landed =
                match self.verified.on_code(repository, &CallContext::default(), Arc::new(work)).await {
                    Ok(landed) => landed,
                    Err(error) => return Ok(!error.why.is_out_of_reach()),
                };
            self.land_all(repository, landed).await?;
            if is_last {
                return Ok(true);
            }
        }
    }

    async fn land_all(&self, repository: &Repository, landed: Vec<BranchFact>) -> Result<()> {
        let (of, ids) =
            (repository.memory.clone(), landed.iter().map(|fact| fact.record.clone()).collect::<Vec<_>>());
        let records = self.engine.store().read(move |tx| tx.records().get_many(&of, &ids)).await?;
        let mut facts = Vec::with_capacity(landed.len());
        for fact in landed {
            let record = records.iter().find(|record| record.id == fact.record);
            let around = match record.filter(|record| record.state == RecordState::Active) {
                Some(record) => {
                    let text = (record.text.as_str(), record.indexed());
                    self.around(&repository.memory, &record.namespace, &[text]).await?
                }
                None => SimilarRecords::default(),
            };
            facts.push((fact, around));
        }
        let (memory, at) = (repository.memory.clone(), self.engine.now());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let changing = StateTransition { memory: &memory, by: BY, at };
                facts.iter().try_for_each(|(fact, around)| {
                    MergingBranchFact { changing, around, said: None, seen_at: None }.land(tx, fact)
                })
            })
            .await
    }
}

fn page(
    tx: &dyn ReadTx,
    repository: &Repository,
    after: Option<(Timestamp, String)>,
) -> Result<Vec<OnBranch>> {
    let facts = tx.ledger().nouns::<BranchFact>(&LedgerPage {
        memory: repository.memory.clone(),
        shelf: BranchFact::SHELF,
        actor: Some(task_namespaces::actor_of(repository)?),
        subject: None,
        after,
        limit: PAGE,
    })?;
    facts
        .into_iter()
        .map(|fact| {
            let commits = commits_of(tx, &fact)?;
            Ok((fact, commits))
        })
        .collect()
}
