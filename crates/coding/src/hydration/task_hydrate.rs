//! The verbs `task_hydrate`: the memory of a task's repository, for its prompt; and
//! `repository_hydrate`: the same for a caller who names only the repository.

use futures::FutureExt;
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::deadline::{Deadline, DeadlineRead};
use loci_engine::memories::existing;
use loci_model::ports::store::{ReadTx, StoreExt, TaskQuery};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::Task;
use loci_model::{ActorId, Error, MemoryId, Result, TaskId};
use loci_verified::find_repository;

use super::assembly::Hydrated;
use super::candidate_reads::{HydrationScope, PreferenceSkipReason};
use super::request::Hydration;
use crate::Coding;
use crate::preferences;
use crate::tasks::log_fields::{Call, of_repository};
use crate::tasks::task_namespaces;

/// The number of tasks up to which a repository counts as cold.
const COLD_TASKS: usize = 5;

impl Coding {
    /// Assembles the memory for a task. A part that cannot be read, or not in time, is left out,
    /// and the response reports it. A task of the control group is shown nothing.
    ///
    /// # Errors
    /// `Invalid` by the rules of the request; `NotFound`; `Unavailable` if not even the task could
    /// be read in time.
    pub async fn task_hydrate(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        asked: Hydration,
    ) -> Result<Hydrated> {
        Call::load("task_hydrate", Some(id))
            .told(async {
                asked.check()?;
                let deadline =
                    Deadline::begin(self.engine.clock().clone(), asked.timeout_ms(&self.parts.settings));
                let place = async {
                    let memory = self.verified.code_memory(caller, standing).await?;
                    let caller = self.acting(caller, &memory, id).await?;
                    let place = self.place_of_task(&caller, &memory, id, asked.user.as_deref()).await?;
                    Ok::<_, Error>((caller, place))
                };
                let (caller, place) = match deadline.read(place).await {
                    DeadlineRead::Done(place) => place?,
                    DeadlineRead::Late => {
                        return Err(Error::unavailable("the task could not be read in time"));
                    }
                };
                let asked = self.at_working_tree(standing, &place, asked, &deadline).await;
                self.hydrate(&caller, standing, place, asked, &deadline).boxed().await
            })
            .await
    }

    /// Assembles the memory that a task of a repository would be shown, for a caller without a
    /// task, or with read access only. The call writes nothing and ignores the control group: an
    /// operator with a control group names the task.
    ///
    /// # Errors
    /// `Invalid` by the rules of the request; `REPO_UNKNOWN`; `Denied` if the caller may not read
    /// all of the repository's data; `Unavailable` if not even the repository could be read in
    /// time.
    pub async fn repository_hydrate(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        asked: Hydration,
    ) -> Result<Hydrated> {
        Call::load("repository_hydrate", None)
            .told(async {
                asked.check()?;
                let deadline =
                    Deadline::begin(self.engine.clock().clone(), asked.timeout_ms(&self.parts.settings));
                let place = async {
                    let memory = self.verified.code_memory(caller, standing).await?;
                    let place =
                        self.place_of_repository(caller, &memory, repo, asked.user.as_deref()).await?;
                    of_repository(&place.memory, &place.actor);
                    Ok::<_, Error>(place)
                };
                let place = match deadline.read(place).await {
                    DeadlineRead::Done(place) => place?,
                    DeadlineRead::Late => {
                        return Err(Error::unavailable("the repository could not be read in time"));
                    }
                };
                let asked = self.at_working_tree(standing, &place, asked, &deadline).await;
                self.hydrate(caller, standing, place, asked, &deadline).boxed().await
            })
            .await
    }

    /// Sets the revision of a request to the caller's working tree of the repository, if the
    /// request names no revision and such a tree exists. All code reads of the request then use the
    /// same files.
    pub(super) async fn at_working_tree(
        &self,
        standing: &CallContext,
        place: &HydrationScope,
        asked: Hydration,
        deadline: &Deadline,
    ) -> Hydration {
        let (Some(repository), None) = (&place.repository, asked.revision()) else { return asked };
        let looked = async { Ok(self.verified.revision_of(repository, standing, None).await) };
        match deadline.read(looked).await {
            DeadlineRead::Done(Ok(reference)) => Hydration { reference, ..asked },
            DeadlineRead::Done(Err(_)) | DeadlineRead::Late => asked,
        }
    }

    async fn place_of_task(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &TaskId,
        user: Option<&str>,
    ) -> Result<HydrationScope> {
        let (caller, memory, id) = (caller.clone(), memory.clone(), id.clone());
        let user = user.map(str::to_owned);
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let task =
                    task_namespaces::visible(&caller, &id, tx.tasks().get(&memory, &id)?, Capability::Write)?;
                let repository = match &task.repository {
                    Some(repository) => tx.repositories().get(&memory, repository)?,
                    None => None,
                };
                let (sequence, is_cold) =
                    (tx.memories().sequence(&memory)?, is_cold(tx, &memory, &task.actor)?);
                let (preferences, nobody) = wishes_of_task(tx, &task, user.as_deref())?;
                let (memory, actor, task) = (memory.clone(), task.actor.clone(), Some(task));
                Ok(HydrationScope { memory, actor, task, repository, preferences, nobody, sequence, is_cold })
            })
            .await
    }

    async fn place_of_repository(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        repo: &str,
        user: Option<&str>,
    ) -> Result<HydrationScope> {
        let (caller, memory, repo) = (caller.clone(), memory.clone(), repo.to_owned());
        let user = user.map(str::to_owned);
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
                let actor = task_namespaces::actor_of(&repository)?;
                task_namespaces::require_all(&caller, &memory, &actor, Capability::Read)?;
                let (sequence, is_cold) = (tx.memories().sequence(&memory)?, is_cold(tx, &memory, &actor)?);
                let repository = Some(repository);
                let (preferences, nobody) = wishes_of_named(tx, &memory, user.as_deref())?;
                let (memory, task) = (memory.clone(), None);
                Ok(HydrationScope { memory, actor, task, repository, preferences, nobody, sequence, is_cold })
            })
            .await
    }
}

/// The namespace of the preferences, and the reason why they are not read, or only with a grant.
pub(super) type Wishes = (Option<String>, Option<PreferenceSkipReason>);

/// Returns the preferences of the task's user. A request that names another user gets none,
/// regardless of the login's owner.
pub(super) fn wishes_of_task(tx: &dyn ReadTx, task: &Task, asked: Option<&str>) -> Result<Wishes> {
    let is_unnamed = |name: &str| preferences::login_of(name).is_none();
    match asked {
        Some(name) if !preferences::is_whose(tx, task, name)? => Ok((
            None,
            Some(if is_unnamed(name) { PreferenceSkipReason::Unnamed } else { PreferenceSkipReason::Other }),
        )),
        Some(_) | None => {
            let Some(found) = preferences::requester_place(tx, task)? else {
                let is_unnamed = task.user.as_deref().is_some_and(is_unnamed);
                return Ok((None, is_unnamed.then_some(PreferenceSkipReason::Unnamed)));
            };
            Ok((Some(found.path), (!found.is_proved).then_some(PreferenceSkipReason::Unproved)))
        }
    }
}

/// Returns the preferences of a named user without a task: by the present login, or by `user:` and
/// the number.
fn wishes_of_named(tx: &dyn ReadTx, memory: &MemoryId, asked: Option<&str>) -> Result<Wishes> {
    let Some(name) = asked else { return Ok((None, None)) };
    let found = preferences::place_named(tx, memory, name)?;
    let nobody = found.is_none().then_some(PreferenceSkipReason::Unnamed);
    Ok((found, nobody))
}

/// True if the server knows hardly any task of an actor.
pub(crate) fn is_cold(tx: &dyn ReadTx, memory: &MemoryId, actor: &ActorId) -> Result<bool> {
    let query = TaskQuery { actors: vec![actor.clone()], ..TaskQuery::all(memory.clone(), COLD_TASKS + 1) };
    Ok(tx.tasks().list(&query)?.len() <= COLD_TASKS)
}
