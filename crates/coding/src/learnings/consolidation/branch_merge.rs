//! A branch comes onto the default branch: what held there alone holds everywhere, and is compared
//! then with what is known there: it takes the place of what it contradicts, unless that is newer
//! or trusted more by now. Seen in the background, at each new tip of the default branch: by the
//! commit itself, by those that took its place, and by the one by which its task's pull request
//! came in.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_engine::calls::standing::Standing;
use loci_engine::consolidation::Decision;
use loci_engine::consolidation::relate::rank;
use loci_engine::memories::existing;
use loci_engine::records::changing::Changing;
use loci_engine::records::conflicts;
use loci_model::facts::branch_fact::BranchFact;
use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ledger::Shelved;
use loci_model::ports::code::CodeSource;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::{RecordId, Result, Timestamp};

use super::agreement::agree;
use super::decision::{Beside, tier};
use super::similar_records::Around;
use crate::Coding;
use crate::tasks::task_namespaces;

/// Who changes records here.
const BY: &str = "loci";
/// Facts of branches that are looked at together.
const PAGE: usize = 100;
/// Commits that are followed from one.
const STEPS_MAX: usize = 20;
/// Why a record gives its place.
const LANDED: &str = "the branch of what contradicts it came onto the default branch";
const SAID_THERE: &str = "its branch came onto the default branch, where the same was known";
const TRUSTED_MORE: &str =
    "its branch came onto the default branch, where what it contradicts is trusted more";

/// A fact of a branch, and the commits any of which brings it onto another.
pub(crate) type OnBranch = (BranchFact, Vec<String>);

/// A fact of a branch that comes onto the default one.
pub(crate) struct Landing<'a> {
    pub(crate) changing: Changing<'a>,
    /// What is like it.
    pub(crate) around: &'a Around,
    /// The words by which that was looked for; none: its own.
    pub(crate) said: Option<&'a str>,
    /// When it was seen to be so on the default branch; none: only when it was learned.
    pub(crate) seen_at: Option<Timestamp>,
}

impl Landing<'_> {
    /// What holds on a branch alone holds on the default branch from now on, beside what is known there by now.
    pub(crate) fn land(&self, tx: &mut dyn Tx, fact: &BranchFact) -> Result<()> {
        let memory = &self.changing.memory.id;
        let record = tx.records().get(memory, &fact.record)?;
        if let Some(record) = record.filter(|record| record.state == RecordState::Active) {
            self.settle(tx, fact, &record)?;
        }
        tx.ledger_mut().remove(memory, &BranchFact::SHELF, fact.record.as_str()).map(drop)
    }

    fn settle(&self, tx: &mut dyn Tx, fact: &BranchFact, record: &Record) -> Result<()> {
        let Changing { memory, at, .. } = self.changing;
        let seen_at = self.seen_at.map_or(record.timestamp, |at| at.max(record.timestamp));
        let beside = Beside { memory, around: self.around, now: at, on_branch: None };
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

    /// Takes the place of those that stand, are not newer, and are not trusted more; of these it is noted that they contradict each other.
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

    /// The default branch says the same: what it knows stays, and the branch's task agrees with it.
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

/// The commits that bring a fact of a branch onto another: its own, those that took its place, and the one that merged its pull request.
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

/// True where one of these commits is a commit or before it. One that is not here says nothing.
pub(crate) fn holds_any(source: &dyn CodeSource, tip: &ObjectId, commits: &[String]) -> bool {
    let is_held = |name: &String| {
        let commit = source.resolve(name).ok().flatten().and_then(|revision| revision.commit());
        commit.is_some_and(|commit| source.is_ancestor(&commit, tip).unwrap_or(false))
    };
    commits.iter().any(is_held)
}

impl Coding {
    /// Looks which facts of branches are on the default branch at its new tip; false where that could not be read.
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
            let landed = match self.verified.on_code(repository, &Standing::default(), Arc::new(work)).await {
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
                None => Around::default(),
            };
            facts.push((fact, around));
        }
        let (memory, at) = (repository.memory.clone(), self.engine.now());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let changing = Changing { memory: &memory, by: BY, at };
                facts.iter().try_for_each(|(fact, around)| {
                    Landing { changing, around, said: None, seen_at: None }.land(tx, fact)
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
