//! `checks_ended`: how the first suite of checks ended that ran on what a task pushed first. Suites may be heard of in any order: the one
//! that ended first decides. One write, which a repetition does not change. No caller is asked for grants: see `pull_request_seen`.

use loci_model::outcome::{FirstChecks, FirstPush, Outcome};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::pull_request::CheckSuite;
use loci_model::{JobId, MemoryId, RepositoryId, Result};

use super::recording::{Heard, Recording};
use super::{heard_of, newest};
use crate::Engine;
use crate::coding::place;
use crate::memories::existing;

impl Engine {
    /// Takes in how a suite of checks ended; false where no task is known to have pushed that commit first, and where the suite says
    /// neither.
    ///
    /// # Errors
    /// `NotFound` where the repository is not registered; what the store says.
    pub async fn checks_ended(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        suite: &CheckSuite,
    ) -> Result<bool> {
        let Some(passed) = suite.passed else { return Ok(false) };
        let now = self.clock.now();
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let ended = if passed { FirstPush::Pass } else { FirstPush::Fail };
        let (memory, repository, suite) = (memory.clone(), repository.clone(), suite.clone());
        self.store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let repository = heard_of(tx, &memory.id, &repository)?;
                let actor = place::actor_of(&repository)?;
                let recording = Recording { memory: &memory, by: "loci", at: now, job: &job };
                let is_first = |one: &Outcome| {
                    one.facts.heads.first().is_some_and(|head| head.sha.eq_ignore_ascii_case(&suite.head_sha))
                };
                let mut is_known = false;
                for outcome in newest(tx, &memory.id, &actor)?.into_iter().filter(is_first) {
                    is_known = true;
                    let decided = outcome.facts.first_checks.map(|first| (first.at, first.suite));
                    let Some(task) = tx.tasks().get(&memory.id, &outcome.task)? else { continue };
                    if decided.is_some_and(|first| first <= (suite.at, suite.id)) {
                        continue;
                    }
                    let mut facts = outcome.facts.clone();
                    facts.ci_first_push = ended;
                    facts.first_checks = Some(FirstChecks { at: suite.at, suite: suite.id });
                    let by_hand = outcome.by_hand.clone();
                    recording.record(tx, &task, outcome, Heard { facts, by_hand, why: "checks" })?;
                }
                Ok(is_known)
            })
            .await
    }
}
