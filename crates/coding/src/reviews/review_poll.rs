//! The verb `reviews_poll`: polls a forge for changes in a repository's pull requests since the
//! last poll, without webhooks or in addition to them. Both report equal data under equal numbers,
//! so they may run together.

use loci_api::coding::review::ReviewsPolled;
use loci_engine::calls::call_context::CallContext;
use loci_engine::deliveries::incoming_deliveries::ProcessingEnd;
use loci_model::facts::repository::Repository;
use loci_model::job::{DueRule, Job, NewJob};
use loci_model::ledger::{LedgerNoun, Shelf};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::time::DAY_MS;
use loci_model::{ActorId, Error, ErrorKind, JobId, MemoryId, RepositoryId, Result, Timestamp};
use serde::{Deserialize, Serialize};

use super::dispatch::ForwardedReviews;
use super::hook_job::pause_of;
use super::review_data::{failed, not_readable};
use crate::Coding;
use crate::tasks::task_namespaces;

/// The prefix of a job's key, before the repository's id.
const JOB_KEY: &str = "reviews/poll:";
/// The maximum number of repositories of one sweep.
const REPOSITORIES: usize = 1_000;
/// The maximum number of pull requests of one round. The next round continues.
const PULL_REQUESTS: usize = 500;
/// The number of rounds that may fail at one pull request while the forge answers. Afterwards it is
/// skipped.
const ROUNDS_AT_ONE: u32 = 3;

/// The polling progress of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Cursor {
    memory: MemoryId,
    actor: ActorId,
    repository: RepositoryId,
    /// The time before which all changes are known.
    until: Timestamp,
    /// Known pull requests that changed exactly at that time.
    at_until: Vec<u64>,
    /// The pull request at which rounds failed, and the number of these rounds.
    #[serde(default)]
    stuck_at: Option<(u64, u32)>,
    polled_at: Timestamp,
    /// The time at which commits of the default branch were last read.
    #[serde(default)]
    landed_at: Option<Timestamp>,
}

impl Cursor {
    fn key_of(repository: &RepositoryId) -> String {
        format!("reviews/{repository}")
    }

    /// Moves the cursor past a pull request.
    fn pass(&mut self, pr: u64, updated_at: Timestamp) {
        if updated_at > self.until {
            (self.until, self.at_until) = (updated_at, Vec::new());
        }
        self.at_until.push(pr);
        self.stuck_at = None;
    }

    /// True if an unreadable pull request is skipped, so that it does not delay others: at once if
    /// it is missing or too large; otherwise after several rounds in which only this one failed.
    fn gives_up(&mut self, pr: u64, error: &Error) -> bool {
        match error.kind {
            ErrorKind::Throttled => false,
            ErrorKind::NotFound | ErrorKind::TooLarge => true,
            _ => {
                let before = self.stuck_at.filter(|(at, _)| *at == pr).map_or(0, |(_, rounds)| rounds);
                self.stuck_at = Some((pr, before + 1));
                before + 1 >= ROUNDS_AT_ONE
            }
        }
    }
}

impl LedgerNoun for Cursor {
    const SHELF: Shelf = Shelf::PROGRESS;

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.repository)
    }

    fn at(&self) -> Timestamp {
        self.polled_at
    }
}

impl Coding {
    /// Polls a repository's forge for changes.
    ///
    /// # Errors
    /// Errors of `reviews_pull`.
    pub async fn reviews_poll(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
    ) -> Result<ReviewsPolled> {
        let repository = self.reviewed_repository(caller, standing, repo).await?;
        self.polled(&repository).await
    }

    /// Requests rounds of the repositories whose last round is old enough.
    pub(crate) async fn sweep_reviews(&self, now: Timestamp) -> Result<()> {
        let settings = self.parts.settings.forge;
        if !settings.polls || self.engine.forge().is_none() {
            return Ok(());
        }
        let all = now.plus_millis(DAY_MS);
        let found =
            self.engine.store().read(move |tx| tx.repositories().unchecked_since(all, REPOSITORIES)).await?;
        for repository in found.into_iter().filter(|repository| self.forge_of(repository).is_some()) {
            let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
            self.engine
                .store()
                .write(move |tx| {
                    let key = Cursor::key_of(&repository.id);
                    let cursor = tx.ledger().noun::<Cursor>(&repository.memory, &key)?;
                    let next = cursor.map(|cursor| cursor.polled_at.plus_millis(settings.poll_interval_ms));
                    if next.is_some_and(|next| next > now) || tx.memories().get(&repository.memory)?.is_none()
                    {
                        return Ok(());
                    }
                    let new = NewJob {
                        id: job.clone(),
                        memory: repository.memory.clone(),
                        kind: crate::jobs::reviews::POLL,
                        unique_key: format!("{JOB_KEY}{}", repository.id),
                        strategy: None,
                        actor: None,
                        session: None,
                        due: now,
                        due_rule: DueRule::Earlier,
                    };
                    tx.jobs_mut().enqueue(&new, now).map(drop)
                })
                .await?;
        }
        Ok(())
    }

    /// Runs a round as a job.
    pub(crate) async fn run_review_poll(&self, job: &Job) -> Result<ProcessingEnd> {
        let Some(repository) = self.repository_of_job(job, JOB_KEY).await? else {
            return Ok(ProcessingEnd::Done);
        };
        match self.polled(&repository).await {
            Ok(_) => Ok(ProcessingEnd::Done),
            Err(error) if error.kind == ErrorKind::Throttled => {
                Ok(ProcessingEnd::Later(pause_of(&error, self.engine.now())))
            }
            // The next round polls again.
            Err(error) => Ok(ProcessingEnd::Failed(error.message)),
        }
    }

    /// Returns the repository of a job.
    pub(super) async fn repository_of_job(&self, job: &Job, key: &str) -> Result<Option<Repository>> {
        let Ok(id) = RepositoryId::parse(job.unique_key.strip_prefix(key).unwrap_or_default()) else {
            return Ok(None);
        };
        let memory = job.memory.clone();
        self.engine.store().read(move |tx| tx.repositories().get(&memory, &id)).await
    }

    async fn polled(&self, repository: &Repository) -> Result<ReviewsPolled> {
        let began = self.engine.now();
        let mut cursor = self.cursor(repository, began).await?;
        let polled = self.polled_from(repository, &mut cursor).await;
        // A failed round counts as well, so that the next one is not due at once.
        cursor.polled_at = began;
        let noted = self.note_cursor(&cursor).await;
        polled.and_then(|polled| noted.map(|()| polled))
    }

    /// Processes the changes after a cursor, and moves the cursor.
    async fn polled_from(&self, repository: &Repository, cursor: &mut Cursor) -> Result<ReviewsPolled> {
        let (forge, at) = self.forge_of(repository).ok_or_else(|| not_readable(repository))?;
        let began = self.engine.now();
        self.hand_on_landed(repository, cursor.landed_at.unwrap_or(began)).await?;
        cursor.landed_at = Some(began);
        // The forge lists those at the cursor once more.
        let count = PULL_REQUESTS.saturating_add(cursor.at_until.len());
        let mut changed = forge.changed(&at, Some(cursor.until), count).await.map_err(failed)?;
        changed.reverse(); // The oldest first: whatever breaks off goes on there.
        let mut polled = ReviewsPolled::default();
        for (pr, updated_at) in changed {
            if updated_at == cursor.until && cursor.at_until.contains(&pr) {
                continue;
            }
            match self.pulled(repository, pr, ForwardedReviews::WhereNew).await {
                Ok(read) => {
                    polled.pull_requests += 1;
                    polled.reviews += read.reviews;
                    polled.changed += read.changed;
                }
                Err(error) if cursor.gives_up(pr, &error) => {
                    polled.skipped += 1;
                    let repository = &repository.key;
                    tracing::warn!(
                        repository,
                        pr,
                        ?error,
                        "a pull request cannot be read and is passed over"
                    );
                }
                Err(error) => return Err(error),
            }
            cursor.pass(pr, updated_at);
            self.note_cursor(cursor).await?;
        }
        Ok(polled)
    }

    /// Returns the cursor of a repository. The first round covers one day; a backfill reads earlier
    /// reviews.
    async fn cursor(&self, repository: &Repository, now: Timestamp) -> Result<Cursor> {
        let (memory, key) = (repository.memory.clone(), Cursor::key_of(&repository.id));
        let known = self.engine.store().read(move |tx| tx.ledger().noun::<Cursor>(&memory, &key)).await?;
        let first = || {
            Ok(Cursor {
                memory: repository.memory.clone(),
                actor: task_namespaces::actor_of(repository)?,
                repository: repository.id.clone(),
                until: now.plus_millis(-DAY_MS),
                at_until: Vec::new(),
                stuck_at: None,
                polled_at: now,
                landed_at: None,
            })
        };
        known.map_or_else(first, Ok)
    }

    async fn note_cursor(&self, cursor: &Cursor) -> Result<()> {
        let cursor = cursor.clone();
        self.engine.store().write(move |tx| tx.ledger_mut().put_noun(&cursor)).await
    }
}
