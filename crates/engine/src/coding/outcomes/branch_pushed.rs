//! `branch_pushed`: what came onto the default branch may take back what was merged before, and what took that back may be taken back,
//! too. One write, which a repetition does not change. No caller is asked for grants: see `pull_request_seen`.

use loci_model::code::ObjectId;
use loci_model::outcome::{Outcome, OutcomeFacts};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::pull_request::BranchPush;
use loci_model::repository::Repository;
use loci_model::{ActorId, JobId, MemoryId, RepositoryId, Result, Timestamp};

use super::recording::{Heard, Recording, tell};
use super::{heard_of, mapping, newest, of_pull_request, reverting};
use crate::Engine;
use crate::coding::place;
use crate::memories::existing;

/// What is taken back.
#[derive(Debug, Clone, Copy)]
pub(super) enum Back {
    /// A commit.
    Commit(ObjectId),
    /// A pull request.
    PullRequest(u64),
}

impl Engine {
    /// Takes in what was pushed; outcomes whose grade changed. Nothing but the default branch takes anything back.
    ///
    /// # Errors
    /// `NotFound` where the repository is not registered; what the store says.
    pub async fn branch_pushed(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        push: &BranchPush,
    ) -> Result<Vec<Outcome>> {
        let says_so = push
            .commits
            .iter()
            .any(|commit| commit.message.contains("revert") || commit.message.contains("Revert"));
        if !push.is_default || !says_so {
            return Ok(Vec::new());
        }
        let now = self.clock.now();
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let (memory, repository, push) = (memory.clone(), repository.clone(), push.clone());
        let regraded = self
            .store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let repository = heard_of(tx, &memory.id, &repository)?;
                let actor = place::actor_of(&repository)?;
                let recording = Recording { memory: &memory, by: "loci", at: now, job: &job };
                let mut regraded = Vec::new();
                for commit in &push.commits {
                    let by = [commit.sha.to_ascii_lowercase()];
                    let commits = reverting::commits(&commit.message).into_iter().map(Back::Commit);
                    let is_it = |name: &str| is_named(&repository, name);
                    let numbers = reverting::pull_requests(&commit.message, is_it);
                    for back in commits.chain(numbers.into_iter().map(Back::PullRequest)) {
                        let place = (&repository, &actor);
                        regraded.extend(take_back(tx, &recording, place, back, (&by, push.at))?);
                    }
                }
                Ok(regraded)
            })
            .await?;
        regraded.iter().for_each(tell);
        if !regraded.is_empty() {
            self.wake.call();
        }
        Ok(regraded)
    }
}

/// Whether a repository is called so, whatever the case.
pub(super) fn is_named(repository: &Repository, name: &str) -> bool {
    let name = name.trim().to_lowercase();
    repository.key.to_lowercase() == name || repository.aliases.contains(&name)
}

/// Notes that something was taken back, by a revert that may be known by several names, at that time.
pub(super) fn take_back(
    tx: &mut dyn Tx,
    recording: &Recording<'_>,
    (repository, actor): (&Repository, &ActorId),
    back: Back,
    (by, at): (&[String], Timestamp),
) -> Result<Vec<Outcome>> {
    let memory = &repository.memory;
    let word = match back {
        Back::Commit(sha) => sha.to_string(),
        Back::PullRequest(number) => format!("#{number}"),
    };
    let mut regraded = Vec::new();
    // What took something back is taken back itself: what it took back is there again.
    for outcome in newest(tx, memory, actor)?.into_iter().filter(|one| one.facts.reverts.contains(&word)) {
        let mut facts = outcome.facts.clone();
        let known: Vec<String> =
            facts.reverts.iter().filter(|one| !facts.relanded.contains(one)).cloned().collect();
        facts.relanded.extend(known);
        settle(&mut facts, at);
        regraded.extend(record(tx, recording, outcome, facts, "its revert was reverted")?);
    }
    let reverted = match back {
        Back::PullRequest(number) => of_pull_request(tx, memory, &repository.id, number)?,
        Back::Commit(sha) => {
            let mut found = Vec::new();
            for task in mapping::tasks_of_commit(tx, (memory, actor), &sha)? {
                found.extend(tx.ledger().noun::<Outcome>(memory, task.as_str())?);
            }
            found
        }
    };
    for outcome in reverted.into_iter().filter(|one| one.facts.merged_at.is_some()) {
        let mut facts = outcome.facts.clone();
        facts.reverts.extend(by.iter().filter(|one| !outcome.facts.reverts.contains(one)).cloned());
        settle(&mut facts, at);
        regraded.extend(record(tx, recording, outcome, facts, "reverted")?);
    }
    Ok(regraded)
}

/// What counts of all that took it back.
fn settle(facts: &mut OutcomeFacts, at: Timestamp) {
    let by = facts.reverts.iter().find(|one| !facts.relanded.contains(one)).cloned();
    facts.reverted_at = by.as_ref().map(|_| facts.reverted_at.unwrap_or(at));
    facts.reverted_by = by;
}

fn record(
    tx: &mut dyn Tx,
    recording: &Recording<'_>,
    before: Outcome,
    facts: OutcomeFacts,
    why: &str,
) -> Result<Option<Outcome>> {
    let Some(task) = tx.tasks().get(&before.memory, &before.task)? else { return Ok(None) };
    let by_hand = before.by_hand.clone();
    let (outcome, is_regraded) = recording.record(tx, &task, before, Heard { facts, by_hand, why })?;
    Ok(is_regraded.then_some(outcome))
}
