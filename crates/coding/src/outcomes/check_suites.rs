//! The verb `check_suites`: the result of the first check suite on the commit that a task pushed
//! first. Suites may arrive in any order: the one that ended first decides, and one without a known
//! task waits for its pull request. One write, which a repetition does not change. The caller's
//! grants are not checked: see `pull_request_report`.

use loci_engine::memories::existing;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::tasks::outcome::{FirstChecks, FirstPush, Outcome, OutcomeFacts};
use loci_model::tasks::pull_request::CheckSuite;
use loci_model::{JobId, MemoryId, RepositoryId, Result};

use super::outcome_write::{OutcomeInput, Recording};
use super::unmatched_reports::{self, WaitingReport};
use super::{heard_of, newest};
use crate::Coding;
use crate::tasks::task_namespaces;

impl Coding {
    /// Takes in the result of a check suite. Returns false if no task is known to have pushed that
    /// commit first, or if the suite neither passed nor failed.
    ///
    /// # Errors
    /// `NotFound` if the repository is not registered; errors of the store.
    pub async fn checks_ended(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        suite: &CheckSuite,
    ) -> Result<bool> {
        if suite.passed.is_none() {
            return Ok(false);
        }
        let now = self.engine.now();
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let (memory, repository, suite) = (memory.clone(), repository.clone(), suite.clone());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let repository = heard_of(tx, &memory.id, &repository)?;
                let actor = task_namespaces::actor_of(&repository)?;
                let recording = Recording { memory: &memory, by: "loci", at: now, job: &job };
                let is_first = |one: &Outcome| {
                    one.facts.heads.first().is_some_and(|head| head.sha.eq_ignore_ascii_case(&suite.head_sha))
                };
                let mut is_known = false;
                for outcome in newest(tx, &memory.id, &actor)?.into_iter().filter(is_first) {
                    is_known = true;
                    let Some(task) = tx.tasks().get(&memory.id, &outcome.task)? else { continue };
                    let mut facts = outcome.facts.clone();
                    decide(&mut facts, &suite);
                    if facts == outcome.facts {
                        continue;
                    }
                    let by_hand = outcome.by_hand.clone();
                    recording.record(tx, &task, outcome, OutcomeInput { facts, by_hand, why: "checks" })?;
                }
                if !is_known {
                    let news = WaitingReport::Checks(suite.clone());
                    unmatched_reports::keep(tx, (&repository, &actor), news, now)?;
                }
                Ok(is_known)
            })
            .await
    }
}

/// Applies the result of a suite on the first commit, unless an earlier result is known.
pub(super) fn decide(facts: &mut OutcomeFacts, suite: &CheckSuite) {
    let Some(passed) = suite.passed else { return };
    let decided = facts.first_checks.map(|first| (first.at, first.suite));
    if decided.is_none_or(|first| (suite.at, suite.id) < first) {
        facts.ci_first_push = if passed { FirstPush::Pass } else { FirstPush::Fail };
        facts.first_checks = Some(FirstChecks { at: suite.at, suite: suite.id });
    }
}
