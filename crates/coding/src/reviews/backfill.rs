//! The verb `reviews_backfill`: the reviews of a repository's latest pull requests from the past.
//! Rules from them are candidates at most. An interrupted backfill resumes, and it leaves half of
//! the forge's rate limit to others.

use loci_engine::calls::call_context::CallContext;
use loci_engine::deliveries::incoming_deliveries::ProcessingEnd;
use loci_model::facts::repository::Repository;
use loci_model::job::{DueRule, Job, NewJob};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::{Error, ErrorKind, JobId, Result, limits};
use serde::{Deserialize, Serialize};

use super::dispatch::ForwardedReviews;
use super::hook_job::pause_of;
use super::review_data::{failed, not_readable};
use crate::Coding;
use crate::repositories::progress::{RepositoryProgress, RepositoryWork};
use crate::tasks::task_namespaces;

/// The prefix of a job's key, before the repository's id.
const JOB_KEY: &str = "reviews/backfill:";
/// The number of pull requests that one run of the job reads.
const ROUND: usize = 10;
/// The number of attempts on a pull request with an error of the forge. Afterwards it is skipped.
const TRIES_OF_ONE: u32 = 3;

/// The pull requests of a backfill, which carries the time of its request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct BackfillWork {
    /// The pull requests that are still to be read, the next one last.
    left: Vec<u64>,
    reviews: usize,
}

impl RepositoryWork for BackfillWork {
    const KEY: &'static str = "reviews/backfill";
}

type Backfill = RepositoryProgress<BackfillWork>;

/// The result of requesting a backfill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackfillAsked {
    /// The number of pull requests that are or would be read.
    pub pull_requests: usize,
    /// The job; `None` for a dry run, and if there is nothing to read.
    pub job: Option<JobId>,
}

impl Coding {
    /// Requests the reviews of the latest `count` pull requests, or returns the number that would
    /// be read.
    ///
    /// # Errors
    /// Errors of `reviews_pull`; `Invalid` (count).
    pub async fn reviews_backfill(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        (count, dry_run): (usize, bool),
    ) -> Result<BackfillAsked> {
        if !(1..=limits::BACKFILL_PULL_REQUESTS_MAX).contains(&count) {
            let rule = format!("reviews must be 1 to {}", limits::BACKFILL_PULL_REQUESTS_MAX);
            return Err(Error::invalid("reviews", rule));
        }
        let repository = self.reviewed_repository(caller, standing, repo).await?;
        let (forge, at) = self.forge_of(&repository).ok_or_else(|| not_readable(&repository))?;
        let latest = forge.changed(&at, None, count).await.map_err(failed)?;
        let left: Vec<u64> = latest.into_iter().map(|(pr, _)| pr).collect();
        let pull_requests = left.len();
        if dry_run || left.is_empty() {
            return Ok(BackfillAsked { pull_requests, job: None });
        }
        let job = self.begin_backfill(&repository, left).await?;
        self.engine.wake().call();
        Ok(BackfillAsked { pull_requests, job: Some(job) })
    }

    async fn begin_backfill(&self, repository: &Repository, left: Vec<u64>) -> Result<JobId> {
        let now = self.engine.now();
        let backfill = RepositoryProgress {
            memory: repository.memory.clone(),
            actor: task_namespaces::actor_of(repository)?,
            repository: repository.id.clone(),
            at: now,
            work: BackfillWork { left, reviews: 0 },
        };
        let new = NewJob {
            id: JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?,
            memory: repository.memory.clone(),
            kind: crate::jobs::reviews::BACKFILL,
            unique_key: format!("{JOB_KEY}{}", repository.id),
            strategy: None,
            actor: None,
            session: None,
            due: now,
            due_rule: DueRule::Earlier,
        };
        self.engine
            .store()
            .write(move |tx| {
                tx.ledger_mut().put_noun(&backfill)?;
                tx.jobs_mut().enqueue(&new, now)
            })
            .await
    }

    /// Reads some pull requests of a backfill.
    pub(crate) async fn run_review_backfill(&self, job: &Job) -> Result<ProcessingEnd> {
        let Some(repository) = self.repository_of_job(job, JOB_KEY).await? else {
            return Ok(ProcessingEnd::Done);
        };
        let Some((forge, at)) = self.forge_of(&repository) else {
            return Ok(ProcessingEnd::Failed(not_readable(&repository).message));
        };
        let is_last_try = job.attempts >= TRIES_OF_ONE;
        for _ in 0..ROUND {
            let Some(backfill) = self.backfill_of(&repository).await? else { return Ok(ProcessingEnd::Done) };
            let Some(pr) = backfill.work.left.last().copied() else { return Ok(ProcessingEnd::Done) };
            let now = self.engine.now();
            if let Some(room) =
                forge.room(&at.host).filter(|room| room.left < room.limit / 2 && room.whole_at > now)
            {
                return Ok(ProcessingEnd::Later(room.whole_at));
            }
            match self.pulled(&repository, pr, ForwardedReviews::OfThePast).await {
                Ok(read) => self.note_read(backfill, read.reviews).await?,
                Err(error) if error.kind == ErrorKind::Throttled => {
                    return Ok(ProcessingEnd::Later(pause_of(&error, now)));
                }
                Err(error) => {
                    let is_its_own = matches!(error.kind, ErrorKind::NotFound | ErrorKind::TooLarge)
                        // A forge that answers other requests rejects this one in particular.
                        || is_last_try && forge.changed(&at, None, 1).await.is_ok();
                    if !is_its_own {
                        return Err(error);
                    }
                    let key = &repository.key;
                    tracing::warn!(
                        repository = key,
                        pr,
                        ?error,
                        "a pull request cannot be read and is passed over"
                    );
                    self.note_read(backfill, 0).await?;
                    // The next one has its own attempts.
                    return Ok(ProcessingEnd::Later(self.engine.now()));
                }
            }
        }
        Ok(ProcessingEnd::Later(self.engine.now()))
    }

    async fn backfill_of(&self, repository: &Repository) -> Result<Option<Backfill>> {
        let (memory, id) = (repository.memory.clone(), repository.id.clone());
        self.engine.store().read(move |tx| Backfill::read(tx, &memory, &id)).await
    }

    /// Removes the pull request that was read, unless another backfill was requested meanwhile.
    async fn note_read(&self, read: Backfill, reviews: usize) -> Result<()> {
        self.engine
            .store()
            .write(move |tx| {
                let Some(mut now) = Backfill::read(tx, &read.memory, &read.repository)? else {
                    return Ok(());
                };
                if now == read {
                    now.work.left.pop();
                    now.work.reviews += reviews;
                    tx.ledger_mut().put_noun(&now)?;
                }
                Ok(())
            })
            .await
    }
}
