//! The verb `repository_reflect`: reflects on several tasks of a repository, now or as a dry run.
//! Also the automatic schedule: after a number of ended tasks, or a number of hours.

use loci_api::coding::reflection::{ReflectionFound, RepositoryReflect, RepositoryReflectAsked};
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::facts::repository::Repository;
use loci_model::job::{DueRule, JobKind, NewJob};
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::Task;
use loci_model::{ActorId, Error, JobId, MemoryId, RepositoryId, Result, Timestamp, limits};
use loci_verified::find_repository;
use serde::{Deserialize, Serialize};

use super::evidence_read::ReflectionPlace;
use crate::Coding;
use crate::repositories::progress::{RepositoryProgress, RepositoryWork};
use crate::settings::ReflectionSettings;
use crate::tasks::task_namespaces;

/// The default number of tasks.
const WINDOW_DEFAULT: usize = 50;
/// The prefix of the key of such a job.
const JOB_KEY: &str = "reflect-repository";
const HOUR_MS: i64 = 3_600_000;

/// The tasks of a repository without a reflection so far. Its time is that of the last request for
/// a reflection, or of the first ended task.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct UnreflectedTasks {
    /// The number of tasks that ended since.
    finished: u32,
}

impl RepositoryWork for UnreflectedTasks {
    const KEY: &'static str = "reflection";
}

type ReflectionProgress = RepositoryProgress<UnreflectedTasks>;

impl ReflectionPlace {
    fn key(&self) -> String {
        format!("{JOB_KEY} {} {}", self.window, self.repository)
    }

    /// Parses the subject of a job's key, if the job reflects on a repository.
    pub(crate) fn of(memory: &MemoryId, key: &str) -> Option<Self> {
        let mut parts = key.strip_prefix(JOB_KEY)?.split_ascii_whitespace();
        let window = parts.next()?.parse().ok()?;
        let repository = RepositoryId::parse(parts.next()?).ok()?;
        Some(Self { memory: memory.clone(), repository, window })
    }
}

impl Coding {
    /// Returns ids of the jobs that the end of a task requests.
    pub(crate) fn two_jobs(&self, now: Timestamp) -> Result<[JobId; 2]> {
        let fresh = || JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()));
        Ok([fresh()?, fresh()?])
    }

    /// Requests a job that reflects on the newest tasks of a repository, or returns the findings of
    /// the rules as a dry run.
    ///
    /// # Errors
    /// `Invalid` (`window`); `REPO_UNKNOWN`; `Denied` if the caller may not write all of the
    /// repository's data.
    pub async fn repository_reflect(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        ask: RepositoryReflect,
    ) -> Result<RepositoryReflectAsked> {
        let window = ask.window.map_or(WINDOW_DEFAULT, |window| window as usize);
        if !(1..=limits::REFLECT_WINDOW_MAX).contains(&window) {
            return Err(Error::invalid("window", "window must be 1 to 200"));
        }
        let memory = self.verified.code_memory(caller, standing).await?;
        let (asks, repo, now, of) = (caller.clone(), repo.to_owned(), self.engine.now(), memory.clone());
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let is_trial = ask.dry_run;
        let (place, job) = self
            .engine
            .store()
            .write(move |tx| {
                existing(tx, &of)?;
                let repository = find_repository(tx, &asks, &of, &repo, Capability::Read)?;
                let actor = task_namespaces::actor_of(&repository)?;
                task_namespaces::require_all(&asks, &of, &actor, Capability::Write)?;
                let place = ReflectionPlace { memory: of.clone(), repository: repository.id.clone(), window };
                if is_trial {
                    return Ok((place, None));
                }
                let job = ask_for(tx, &place, actor, &job, now)?;
                Ok((place, Some(job)))
            })
            .await?;
        if let Some(job) = job {
            self.engine.wake().call();
            return Ok(RepositoryReflectAsked { job: Some(job.to_string()), reflections: Vec::new() });
        }
        let Some(look) = self.reflection_look(&place, now).await? else {
            return Ok(RepositoryReflectAsked { job: None, reflections: Vec::new() });
        };
        let enough = look.found().into_iter().filter(|one| one.is_enough);
        let shown = enough.map(|one| ReflectionFound {
            subject: one.key,
            text: one.text,
            hits: one.evidence.hits,
            of: one.evidence.of,
            predicate: one.evidence.predicate,
            episodes: one.episodes.iter().map(ToString::to_string).collect(),
        });
        Ok(RepositoryReflectAsked { job: None, reflections: shown.collect() })
    }
}

fn ask_for(
    tx: &mut dyn Tx,
    place: &ReflectionPlace,
    actor: ActorId,
    job: &JobId,
    now: Timestamp,
) -> Result<JobId> {
    let before = ReflectionProgress::read(tx, &place.memory, &place.repository)?;
    let (memory, repository) = (place.memory.clone(), place.repository.clone());
    let kept = before.map_or_else(|| actor.clone(), |before| before.actor);
    let work = UnreflectedTasks { finished: 0 };
    tx.ledger_mut().put_noun(&RepositoryProgress { memory, actor: kept, repository, at: now, work })?;
    let new = NewJob {
        id: job.clone(),
        memory: place.memory.clone(),
        kind: JobKind::REFLECT,
        unique_key: place.key(),
        strategy: None,
        actor: Some(actor),
        session: None,
        due: now,
        due_rule: DueRule::Earlier,
    };
    tx.jobs_mut().enqueue(&new, now)
}

/// Counts an ended task, and requests a reflection if enough tasks ended since the last one.
pub(crate) fn finished(
    tx: &mut dyn Tx,
    memory: &Memory,
    task: &Task,
    job: &JobId,
    now: Timestamp,
) -> Result<()> {
    let Some(id) = &task.repository else { return Ok(()) };
    let Some(repository) = tx.repositories().get(&memory.id, id)? else { return Ok(()) };
    let settings = ReflectionSettings::of(&memory.settings, &repository.settings.reflection);
    let before = ReflectionProgress::read(tx, &memory.id, &repository.id)?;
    let mut progress = before.unwrap_or_else(|| RepositoryProgress {
        memory: memory.id.clone(),
        actor: task.actor.clone(),
        repository: repository.id.clone(),
        at: now,
        work: UnreflectedTasks { finished: 0 },
    });
    progress.work.finished = progress.work.finished.saturating_add(1);
    if progress.work.finished < settings.every_tasks {
        return tx.ledger_mut().put_noun(&progress);
    }
    let place = ReflectionPlace {
        memory: memory.id.clone(),
        repository: repository.id.clone(),
        window: WINDOW_DEFAULT,
    };
    ask_for(tx, &place, task_namespaces::actor_of(&repository)?, job, now).map(drop)
}

/// Requests a reflection if enough hours have passed and tasks ended meanwhile.
pub(crate) fn due_by_time(
    tx: &mut dyn Tx,
    repository: &Repository,
    job: &JobId,
    now: Timestamp,
) -> Result<()> {
    let Some(hours) = repository.settings.reflection.every_hours else { return Ok(()) };
    let progress = ReflectionProgress::read(tx, &repository.memory, &repository.id)?;
    let is_due = |progress: &ReflectionProgress| {
        progress.work.finished > 0 && now.millis() - progress.at.millis() >= i64::from(hours) * HOUR_MS
    };
    if !progress.as_ref().is_some_and(is_due) {
        return Ok(());
    }
    let place = ReflectionPlace {
        memory: repository.memory.clone(),
        repository: repository.id.clone(),
        window: WINDOW_DEFAULT,
    };
    ask_for(tx, &place, task_namespaces::actor_of(repository)?, job, now).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_say_what_jobs_are_about() {
        let memory = MemoryId::parse("code_memory-0123456789").unwrap();
        let repository = RepositoryId::parse("0192d1e8-7b7a-7c3e-8f00-000000000000").unwrap();
        let place = ReflectionPlace { memory: memory.clone(), repository, window: 50 };
        assert_eq!(ReflectionPlace::of(&memory, &place.key()), Some(place));
        for key in ["reflect 50 episodes-0123456789 /a/", "reflect-repository", "reflect-repository x y", ""]
        {
            assert_eq!(ReflectionPlace::of(&memory, key), None, "{key}");
        }
    }
}
