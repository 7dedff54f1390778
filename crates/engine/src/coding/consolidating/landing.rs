//! A branch comes onto the default branch: what held there alone holds everywhere, and takes the place of what it contradicts
//! (coding-agent-memory.md §16). Seen in the background, at each new tip of the default branch: by the commit itself, by those that took
//! its place, and by the one by which its task's pull request came in.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_model::branch_fact::BranchFact;
use loci_model::code::ObjectId;
use loci_model::ledger::Shelf;
use loci_model::ports::code::CodeSource;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, Tx};
use loci_model::record::RecordState;
use loci_model::repository::Repository;
use loci_model::{Result, Timestamp};

use crate::Engine;
use crate::coding::place;
use crate::memories::existing;
use crate::records::changing::Changing;
use crate::verified::Standing;

/// Who changes records here.
const BY: &str = "loci";
/// Facts of branches that are looked at together.
const PAGE: usize = 100;
/// Commits that are followed from one.
const STEPS_MAX: usize = 20;
/// Why a record gives its place.
const LANDED: &str = "the branch of what contradicts it came onto the default branch";

/// A fact of a branch, and the commits any of which brings it onto another.
pub(in crate::coding) type OnBranch = (BranchFact, Vec<String>);

/// What holds on a branch alone holds on the default branch from now on.
pub(in crate::coding) fn land(tx: &mut dyn Tx, changing: &Changing<'_>, fact: &BranchFact) -> Result<()> {
    let memory = &changing.memory.id;
    let record = tx.records().get(memory, &fact.record)?;
    if let Some(record) = record.filter(|record| record.state == RecordState::Active) {
        for old in tx.records().get_many(memory, &fact.against)? {
            if old.state == RecordState::Active && old.timestamp <= record.timestamp {
                changing.supersede(tx, &old, &record, LANDED)?;
            }
        }
    }
    tx.ledger_mut().remove(memory, Shelf::BranchFact, fact.record.as_str()).map(drop)
}

/// The commits that bring a fact of a branch onto another: its own, those that took its place, and the one that merged its pull request.
pub(in crate::coding) fn commits_of(tx: &dyn ReadTx, fact: &BranchFact) -> Result<Vec<String>> {
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
pub(in crate::coding) fn holds_any(source: &dyn CodeSource, tip: &ObjectId, commits: &[String]) -> bool {
    let is_held = |name: &String| {
        let commit = source.resolve(name).ok().flatten().and_then(|revision| revision.commit());
        commit.is_some_and(|commit| source.is_ancestor(&commit, tip).unwrap_or(false))
    };
    commits.iter().any(is_held)
}

impl Engine {
    /// Looks which facts of branches are on the default branch at its new tip; false where that could not be read.
    pub(crate) async fn land_branch_facts(&self, repository: &Repository, tip: ObjectId) -> Result<bool> {
        let mut after = None;
        loop {
            let (of, from) = (repository.clone(), after.clone());
            let page = self.store.read(move |tx| page(tx, &of, from.clone())).await?;
            let Some((last, _)) = page.last() else { return Ok(true) };
            after = Some((last.at, last.record.to_string()));
            let is_last = page.len() < PAGE;
            let work = move |source: &dyn CodeSource| {
                let landed = page.iter().filter(|(_, commits)| holds_any(source, &tip, commits));
                Ok(landed.map(|(fact, _)| fact.clone()).collect::<Vec<_>>())
            };
            let landed = match self.on_code(repository, &Standing::default(), Arc::new(work)).await {
                Ok(landed) => landed,
                Err(error) => return Ok(!error.why.is_out_of_reach()),
            };
            let (memory, at) = (repository.memory.clone(), self.clock.now());
            self.store
                .write(move |tx| {
                    let memory = existing(tx, &memory)?;
                    let changing = Changing { memory: &memory, by: BY, at };
                    landed.iter().try_for_each(|fact| land(tx, &changing, fact))
                })
                .await?;
            if is_last {
                return Ok(true);
            }
        }
    }
}

fn page(
    tx: &dyn ReadTx,
    repository: &Repository,
    after: Option<(Timestamp, String)>,
) -> Result<Vec<OnBranch>> {
    let facts = tx.ledger().nouns::<BranchFact>(&LedgerPage {
        memory: repository.memory.clone(),
        shelf: Shelf::BranchFact,
        actor: Some(place::actor_of(repository)?),
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
