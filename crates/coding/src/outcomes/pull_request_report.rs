//! The verb `pull_request_report`: a forge's report on a pull request. It updates the outcomes of
//! the tasks, records the merge commit for blame, and applies reverts. One write, which a
//! repetition does not change. The caller has verified that the report comes from a forge, so
//! grants are not checked.

use std::collections::BTreeSet;

use loci_engine::memories::existing;
use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{LedgerPage, StoreExt, TaskQuery, Tx};
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::outcome::{Outcome, OutcomeFacts, OutcomeGrade};
use loci_model::tasks::pull_request::{PullRequest, PullRequestChange};
use loci_model::tasks::review::Review;
use loci_model::tasks::task::{Task, TaskKind, TaskPullRequest};
use loci_model::{ActorId, JobId, MemoryId, RepositoryId, Result, TaskId};

use super::branch_push::is_named;
use super::check_suites::decide;
use super::outcome_write::{OutcomeInput, Recording, tell};
use super::report_merge::{BY_TASK, seen};
use super::revert_effects::RevertContext;
use super::{
    HeardRevert, grades, heard_of, revert_messages, revert_state, rounds, task_match, unmatched_reports,
};
use crate::Coding;
use crate::commits::task_commits;
use crate::tasks::patch::meet;
use crate::tasks::task_namespaces;

/// The maximum number of reviews of a pull request that are read to find rounds.
const REVIEWS_MAX: usize = 500;
/// The maximum number of tasks of an issue that may have superseded each other.
const OF_ISSUE_MAX: usize = 50;

/// The result of a report.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PullRequestSeen {
    /// The tasks of the pull request, the newest first.
    pub tasks: Vec<TaskId>,
    /// Outcomes whose grade changed, of these tasks and of others.
    pub regraded: Vec<Outcome>,
}

impl Coding {
    /// Takes in the state of a pull request.
    ///
    /// # Errors
    /// `NotFound` if the repository is not registered; errors of the store.
    pub async fn pull_request_seen(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        pr: &PullRequest,
        change: PullRequestChange,
    ) -> Result<PullRequestSeen> {
        let now = self.engine.now();
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let (memory, repository, pr) = (memory.clone(), repository.clone(), pr.clone());
        let seen = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let repository = heard_of(tx, &memory.id, &repository)?;
                let recording = Recording { memory: &memory, by: "loci", at: now, job: &job };
                PullRequestUpdate {
                    recording,
                    repository: &repository,
                    actor: task_namespaces::actor_of(&repository)?,
                }
                .see(tx, &pr, change)
            })
            .await?;
        seen.regraded.iter().for_each(tell);
        if !seen.regraded.is_empty() {
            self.engine.wake().call();
        }
        Ok(seen)
    }
}

struct PullRequestUpdate<'a> {
    recording: Recording<'a>,
    repository: &'a Repository,
    actor: ActorId,
}

impl PullRequestUpdate<'_> {
    fn see(&self, tx: &mut dyn Tx, pr: &PullRequest, change: PullRequestChange) -> Result<PullRequestSeen> {
        let mut answer = PullRequestSeen::default();
        let tasks = task_match::tasks_of(tx, self.repository, &self.actor, pr)?;
        let human_commits = match tasks.is_empty() {
            true => None,
            false => task_match::human_commits(tx, self.repository, &self.actor, pr)?,
        };
        let reviews = if tasks.is_empty() { Vec::new() } else { self.reviews(tx, pr.number)? };
        let mut first_heads = BTreeSet::new();
        for task in tasks {
            answer.tasks.push(task.id.clone());
            let task = self.noted(tx, task, pr)?;
            let before = self.recording.of(tx, &task)?;
            let (mut facts, says_more) = self.facts(tx, &task, &before.facts, pr)?;
            first_heads.extend(facts.heads.first().map(|head| head.sha.clone()));
            let by_hand = before.by_hand.clone().filter(|_| !says_more);
            if by_hand.is_none() {
                facts.revision_count = rounds::count(&facts.heads, &reviews);
            }
            facts.human_commits = human_commits.or(facts.human_commits);
            let why = why(pr, change);
            let (outcome, is_regraded) =
                self.recording.record(tx, &task, before, OutcomeInput { facts, by_hand, why })?;
            if is_regraded {
                if outcome.grade.is_some_and(grades::is_merged) {
                    answer.regraded.extend(self.supersede(tx, &task)?);
                }
                answer.regraded.push(outcome);
            }
        }
        for sha in first_heads {
            unmatched_reports::checks_matched(tx, self.repository, &sha)?;
        }
        if pr.merged_at.is_some() {
            self.merged(tx, pr, !answer.tasks.is_empty())?;
            for task in &answer.tasks {
                answer.regraded.extend(self.taking().catch_up(tx, task)?);
            }
            answer.regraded.extend(self.taken_back(tx, pr)?);
        }
        Ok(answer)
    }

    /// Combines the facts of a task with a report on its pull request. The flag is true if the
    /// report states a new end.
    fn facts(
        &self,
        tx: &dyn Tx,
        task: &Task,
        before: &OutcomeFacts,
        pr: &PullRequest,
    ) -> Result<(OutcomeFacts, bool)> {
        let told_head = task.pr.as_ref().and_then(|pr| pr.head_sha.as_deref());
        let told_head = told_head.filter(|_| task.kind == TaskKind::NewTask);
        let mut facts = seen(before, pr, told_head);
        let says_more = (facts.is_open, facts.merged_at) != (before.is_open, before.merged_at);
        if facts.is_open == Some(false) && facts.merged_at.is_none() && facts.superseded_by.is_none() {
            facts.superseded_by = self.successor(tx, task)?;
        }
        if let Some(first) = facts.heads.first() {
            let waiting = unmatched_reports::checks_of(tx, self.repository, &first.sha, self.recording.at)?;
            waiting.iter().for_each(|suite| decide(&mut facts, suite));
        }
        if !pr.commits.is_empty() {
            facts.own_reverts = revert_messages::within(&pr.commits, |name| is_named(self.repository, name));
        }
        revert_state::settle(&mut facts);
        Ok((facts, says_more))
    }

    fn taking(&self) -> RevertContext<'_> {
        RevertContext { recording: &self.recording, repository: self.repository, actor: &self.actor }
    }

    fn reviews(&self, tx: &dyn Tx, pr: u64) -> Result<Vec<Review>> {
        tx.ledger().nouns(&LedgerPage {
            memory: self.repository.memory.clone(),
            shelf: Review::SHELF,
            actor: None,
            subject: Some(Review::subject_of(&self.repository.id, pr)),
            after: None,
            limit: REVIEWS_MAX,
        })
    }

    /// Records on a task the pull request that a branch or a trailer led to.
    fn noted(&self, tx: &mut dyn Tx, mut task: Task, pr: &PullRequest) -> Result<Task> {
        let before = task.pr.clone();
        let merged = pr.merge_commit_sha.clone().filter(|_| pr.merged_at.is_some());
        // The head that the task reported stays, because the task pushed it.
        let head_sha = before.as_ref().and_then(|known| known.head_sha.clone());
        let known =
            TaskPullRequest { number: pr.number, url: pr.url.clone(), head_sha, merge_commit_sha: merged };
        meet(&mut task, known);
        if task.pr != before {
            task.updated_at = self.recording.at;
            tx.tasks_mut().put(&task)?;
        }
        Ok(task)
    }

    /// Records that the merge commit leads back to the pull request.
    fn merged(&self, tx: &mut dyn Tx, pr: &PullRequest, has_tasks: bool) -> Result<()> {
        let sha = pr.merge_commit_sha.as_deref().and_then(ObjectId::parse).filter(|_| has_tasks);
        let Some(sha) = sha else { return Ok(()) };
        let place = (&self.repository.memory, &self.actor);
        let (row, _) = task_commits::row(tx, place, &sha, self.recording.at)?;
        if row.merged_pr == Some(pr.number) {
            return Ok(());
        }
        tx.commits_mut().put(&TaskCommit { merged_pr: Some(pr.number), ..row })
    }

    /// Applies the reverts that the pull request itself states.
    fn taken_back(&self, tx: &mut dyn Tx, pr: &PullRequest) -> Result<Vec<Outcome>> {
        let is_it = |name: &str| is_named(self.repository, name);
        let mut numbers = revert_messages::pull_requests(&pr.body, is_it);
        numbers.retain(|number| *number != pr.number);
        let mut names = vec![revert_messages::named(pr.number)];
        names.extend(pr.merge_commit_sha.as_ref().map(|sha| sha.to_ascii_lowercase()));
        if numbers.len() == 1 {
            // Its commits are the same revert. With several reverted requests, the assignment is
            // unknown.
            let own = revert_messages::within(&pr.commits, is_it);
            names.extend(own.into_iter().map(|own| own.by).collect::<BTreeSet<_>>());
        }
        let at = pr.merged_at.unwrap_or(pr.updated_at);
        let mut regraded = Vec::new();
        for number in numbers {
            let (what, names) = (revert_messages::named(number), names.clone());
            regraded.extend(self.taking().take_in(tx, &HeardRevert { what, names, tip: None, at })?);
        }
        Ok(regraded)
    }

    /// Returns a later task for the same issue whose pull request was merged.
    fn successor(&self, tx: &dyn Tx, task: &Task) -> Result<Option<String>> {
        for other in self.of_issue(tx, task)? {
            let is_later = (other.created_at, &other.id) > (task.created_at, &task.id);
            let is_another = other.pr.as_ref().map(|pr| pr.number) != task.pr.as_ref().map(|pr| pr.number);
            if is_later && is_another && self.recording.of(tx, &other)?.grade.is_some_and(grades::is_merged) {
                return Ok(Some(format!("{BY_TASK}{}", other.id)));
            }
        }
        Ok(None)
    }

    /// Marks earlier tasks for the same issue, closed without a merge, as superseded by this one.
    fn supersede(&self, tx: &mut dyn Tx, task: &Task) -> Result<Vec<Outcome>> {
        let mut regraded = Vec::new();
        for other in self.of_issue(tx, task)? {
            let before = self.recording.of(tx, &other)?;
            let is_earlier = (other.created_at, &other.id) < (task.created_at, &task.id);
            if !is_earlier || before.grade != Some(OutcomeGrade::ClosedUnmerged) || before.by_hand.is_some() {
                continue;
            }
            let mut facts = before.facts.clone();
            facts.superseded_by = Some(format!("{BY_TASK}{}", task.id));
            let heard = OutcomeInput { facts, by_hand: None, why: "a later task for its issue was merged" };
            let (outcome, is_regraded) = self.recording.record(tx, &other, before, heard)?;
            regraded.extend(is_regraded.then_some(outcome));
        }
        Ok(regraded)
    }

    fn of_issue(&self, tx: &dyn Tx, task: &Task) -> Result<Vec<Task>> {
        let Some(issue) = task.issue else { return Ok(Vec::new()) };
        let query = TaskQuery {
            actors: vec![task.actor.clone()],
            issue: Some(issue),
            ..TaskQuery::all(task.memory.clone(), OF_ISSUE_MAX)
        };
        let found = tx.tasks().list(&query)?;
        Ok(found.into_iter().filter(|other| other.id != task.id).collect())
    }
}

/// Returns the word of a report for the history.
fn why(pr: &PullRequest, change: PullRequestChange) -> &'static str {
    match (pr.merged_at.is_some(), pr.is_open, change) {
        (true, ..) => "merged",
        (false, false, _) => "closed",
        (false, true, PullRequestChange::Reopened) => "reopened",
        (false, true, _) => "open",
    }
}
