//! `reviews_poll`: what has changed in a repository's pull requests since the last time, by asking: for who gets no webhooks, and for who
//! wants to be sure. Both tell the same under the same numbers, so they may run together.

use loci_model::job::{DueRule, Job, JobKind, NewJob};
use loci_model::ledger::{Shelf, Shelved};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::repository::Repository;
use loci_model::time::DAY_MS;
use loci_model::{ActorId, ErrorKind, JobId, MemoryId, RepositoryId, Result, Timestamp};
use serde::{Deserialize, Serialize};

use super::gathering::{failed, not_readable};
use super::handing_on::Handing;
use super::handling::{Handled, pause_of};
use crate::Engine;
use crate::coding::place;
use crate::verified::Standing;

/// A job's key, before the repository's id.
const JOB_KEY: &str = "reviews/poll:";
/// Repositories that are looked at in one round.
const REPOSITORIES: usize = 1_000;
/// Pull requests of one round; the next goes on.
const PULL_REQUESTS: usize = 500;

/// How far a repository was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Cursor {
    memory: MemoryId,
    actor: ActorId,
    repository: RepositoryId,
    /// What was changed before is known.
    until: Timestamp,
    /// Pull requests that were changed then and are known.
    at_until: Vec<u64>,
    polled_at: Timestamp,
}

impl Cursor {
    fn key_of(repository: &RepositoryId) -> String {
        format!("reviews/{repository}")
    }
}

impl Shelved for Cursor {
    const SHELF: Shelf = Shelf::Progress;

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

/// What a round found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReviewsPolled {
    /// Pull requests that were changed.
    pub pull_requests: usize,
    /// Reviews that they have.
    pub reviews: usize,
    /// Of these, what was new or changed.
    pub changed: usize,
}

impl Engine {
    /// Asks a repository's forge for what has changed.
    ///
    /// # Errors
    /// As `reviews_pull`.
    pub async fn reviews_poll(
        &self,
        caller: &Principal,
        standing: &Standing,
        repo: &str,
    ) -> Result<ReviewsPolled> {
        let repository = self.reviewed_repository(caller, standing, repo).await?;
        self.polled(&repository).await
    }

    /// Asks for rounds of the repositories whose last one was long enough ago.
    pub(crate) async fn sweep_reviews(&self, now: Timestamp) -> Result<()> {
        let settings = self.settings.coding.forge;
        if !settings.polls || self.forge.is_none() {
            return Ok(());
        }
        let all = now.plus_millis(DAY_MS);
        let found = self.store.read(move |tx| tx.repositories().unchecked_since(all, REPOSITORIES)).await?;
        for repository in found.into_iter().filter(|repository| self.forge_of(repository).is_some()) {
            let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
            self.store
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
                        kind: JobKind::ReviewPoll,
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

    /// A round, as a job.
    pub(crate) async fn run_review_poll(&self, job: &Job) -> Result<Handled> {
        let Some(repository) = self.repository_of_job(job, JOB_KEY).await? else { return Ok(Handled::Done) };
        match self.polled(&repository).await {
            Ok(_) => Ok(Handled::Done),
            Err(error) if error.kind == ErrorKind::Throttled => {
                Ok(Handled::Later(pause_of(&error, self.now())))
            }
            // The next round asks again.
            Err(error) => Ok(Handled::Failed(error.message)),
        }
    }

    /// The repository that a job is about.
    pub(super) async fn repository_of_job(&self, job: &Job, key: &str) -> Result<Option<Repository>> {
        let Ok(id) = RepositoryId::parse(job.unique_key.strip_prefix(key).unwrap_or_default()) else {
            return Ok(None);
        };
        let memory = job.memory.clone();
        self.store.read(move |tx| tx.repositories().get(&memory, &id)).await
    }

    async fn polled(&self, repository: &Repository) -> Result<ReviewsPolled> {
        let (forge, at) = self.forge_of(repository).ok_or_else(|| not_readable(repository))?;
        let began = self.clock.now();
        let mut cursor = self.cursor(repository, began).await?;
        let mut changed = forge.changed(&at, Some(cursor.until), PULL_REQUESTS).await.map_err(failed)?;
        changed.reverse(); // The oldest first: whatever breaks off goes on there.
        let mut polled = ReviewsPolled::default();
        for (pr, updated_at) in changed {
            if updated_at == cursor.until && cursor.at_until.contains(&pr) {
                continue;
            }
            let read = self.pulled(repository, pr, Handing::WhereNew).await?;
            polled.pull_requests += 1;
            polled.reviews += read.reviews;
            polled.changed += read.changed;
            if updated_at > cursor.until {
                (cursor.until, cursor.at_until) = (updated_at, Vec::new());
            }
            cursor.at_until.push(pr);
            self.note_cursor(&cursor).await?;
        }
        cursor.polled_at = began;
        self.note_cursor(&cursor).await?;
        Ok(polled)
    }

    /// A first round looks a day back: what came before is the matter of a backfill.
    async fn cursor(&self, repository: &Repository, now: Timestamp) -> Result<Cursor> {
        let (memory, key) = (repository.memory.clone(), Cursor::key_of(&repository.id));
        let known = self.store.read(move |tx| tx.ledger().noun::<Cursor>(&memory, &key)).await?;
        let first = || {
            Ok(Cursor {
                memory: repository.memory.clone(),
                actor: place::actor_of(repository)?,
                repository: repository.id.clone(),
                until: now.plus_millis(-DAY_MS),
                at_until: Vec::new(),
                polled_at: now,
            })
        };
        known.map_or_else(first, Ok)
    }

    async fn note_cursor(&self, cursor: &Cursor) -> Result<()> {
        let cursor = cursor.clone();
        self.store.write(move |tx| tx.ledger_mut().put_noun(&cursor)).await
    }
}
