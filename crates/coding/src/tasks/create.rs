//! The verb `task_create`: creates a task. Repeating a request returns the same task; a different
//! request with its id is a conflict.

use std::sync::Arc;

use loci_api::coding::task::TaskCreate;
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::idempotency::{ClientToken, recall, remember, replayed};
use loci_engine::memories::existing;
use loci_engine::safety::{SafetyPolicy, secrets};
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::{
    MemoryArm, Task, TaskFeedback, TaskKind, TaskPrompt, TaskPullRequest, TaskStatus, TaskWritten,
};
use loci_model::{Error, JobId, RecordId, Result, TaskId, Timestamp, limits};
use sha2::{Digest, Sha256};

use super::log_fields::{Call, of_request};
use super::{control_group, field_checks, name_secrets, task_answer, task_namespaces, task_repository};
use crate::Coding;
use crate::preferences::{self, Described};
use crate::prompts::versions::input_hash;
use crate::settings::CodingSettings;

const OPERATION: &str = "TaskCreate";

/// A request with parsed ids and words.
struct TaskRequest {
    asked: TaskCreate,
    id: Option<TaskId>,
    kind: TaskKind,
    parent: Option<TaskId>,
    arm: Option<MemoryArm>,
}

impl TaskRequest {
    fn of(asked: TaskCreate) -> Result<Self> {
        Ok(Self {
            kind: TaskKind::read("kind", asked.kind.as_deref())?.unwrap_or(TaskKind::NewTask),
            id: TaskId::read("task_id", asked.task_id.as_deref())?,
            parent: TaskId::read("parent_task_id", asked.parent_task_id.as_deref())?,
            arm: MemoryArm::read("memory_arm", asked.memory_arm.as_deref())?,
            asked,
        })
    }
}

/// The result of creating a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskCreated {
    /// The task in its present state.
    pub task: Task,
    /// True if the call created the task.
    pub created: bool,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl Coding {
    /// Creates a task.
    ///
    /// # Errors
    /// `Invalid` by the rules of its members; `REPO_UNKNOWN`; `Conflict` if another task has the
    /// id; `Denied`.
    pub async fn task_create(
        &self,
        caller: &Principal,
        standing: &CallContext,
        asked: TaskCreate,
        token: Option<ClientToken>,
    ) -> Result<TaskCreated> {
        let new = TaskRequest::of(asked)?;
        let id = new.id.clone();
        Call::write("task_create", id.as_ref())
            .told(async {
                check(&new.asked)?;
                of_request(&new.asked);
                let memory = self.verified.code_memory(caller, standing).await?;
                let token = token.map(|token| token.of(caller, &memory)).transpose()?;
                let now = self.engine.now();
                let fresh = TaskId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
                let described = self.described(&new.asked)?;
                let own = Arc::clone(&self.parts.settings);
                let (caller, settings) = (caller.clone(), self.engine.settings().clone());
                self.engine
                    .store()
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let place = Some(&memory.id);
                        let before = recall::<TaskId>(tx, token.as_ref(), place, OPERATION, now)?;
                        // A task that was erased since is created again.
                        let before =
                            replayed(before)?.map(|id| tx.tasks().get(&memory.id, &id)).transpose()?;
                        let policy = SafetyPolicy::of(&settings, &memory.settings);
                        if let Some(task) = before.flatten() {
                            let id = task.id.clone();
                            let task =
                                super::task_namespaces::visible(&caller, &id, Some(task), Capability::Write)?;
                            return taken_in_before(tx, &caller, task, |tx| {
                                made(tx, &caller, &memory, &new, id, &policy, now).map(|made| made.task)
                            });
                        }
                        let id = new.id.clone().unwrap_or_else(|| fresh.clone());
                        let CreatedTask { mut task, unmasked_digest, mut warnings } =
                            made(tx, &caller, &memory, &new, id, &policy, now)?;
                        task.arm = arm(tx, &new, &task, &own)?;
                        let created = match tx.tasks().get(&memory.id, &task.id)? {
                            None => taken_in(tx, &caller, (&memory, policy), task, &described, now)?,
                            Some(known)
                                if [&task.request_digest, &unmasked_digest]
                                    .contains(&&known.request_digest) =>
                            {
                                taken_in_before(tx, &caller, known, |_| Ok(task))?
                            }
                            Some(_) => return Err(taken(&task.id)),
                        };
                        warnings.extend(created.warnings);
                        let created = TaskCreated { warnings, ..created };
                        let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                        remember(tx, token.as_ref(), place, OPERATION, &created.task.id, expires)?;
                        Ok(created)
                    })
                    .await
            })
            .await
    }
}

impl Coding {
    /// Returns the preferences that a description states, with ids for their records.
    fn described(&self, new: &TaskCreate) -> Result<Described> {
        let now = self.engine.now().millis();
        let stated = preferences::of_description(new, self.engine.settings().patterns);
        let fresh = |_: &_| RecordId::compose(&uuid7(self.engine.ids().as_ref(), now));
        let ids = stated.iter().map(fresh).collect::<Result<Vec<_>>>()?;
        let job = match ids.is_empty() {
            true => None,
            false => Some(JobId::parse(uuid7(self.engine.ids().as_ref(), now))?),
        };
        Ok(Described { stated, ids, job })
    }
}

/// Stores a new task, with the caller's proof of its requester.
fn taken_in(
    tx: &mut dyn Tx,
    caller: &Principal,
    place: (&Memory, SafetyPolicy),
    mut task: Task,
    described: &Described,
    now: Timestamp,
) -> Result<TaskCreated> {
    task.requester_proof = Some(preferences::proof(tx, caller, &task)?);
    tx.tasks_mut().put(&task)?;
    let not_taken_over = preferences::keep_described(tx, caller, place, &task, described, now)?;
    let unproved = preferences::unproved(tx, &task)?;
    let warnings = [not_taken_over, unproved].into_iter().flatten().map(str::to_owned).collect();
    Ok(TaskCreated { task, created: true, warnings })
}

/// Returns the task that the same request created before. If the caller proves its requester for
/// the first time, stores the proof.
fn taken_in_before(
    tx: &mut dyn Tx,
    caller: &Principal,
    mut known: Task,
    sent: impl FnOnce(&dyn ReadTx) -> Result<Task>,
) -> Result<TaskCreated> {
    preferences::prove_again(tx, caller, &mut known)?;
    let read: &dyn ReadTx = tx;
    let unproved = preferences::unproved(read, &known)?;
    let (task, mut warnings) = task_answer::known(caller, known, || sent(read))?;
    warnings.extend(unproved.map(str::to_owned));
    Ok(TaskCreated { task, created: false, warnings })
}

fn taken(id: &TaskId) -> Error {
    let message = format!("another task is called {id}: send what made it, or another task_id");
    Error::conflict(message).on("task_id")
}

fn check(new: &TaskCreate) -> Result<()> {
    field_checks::description(&new.description)?;
    field_checks::trace(new.trace_id.as_ref())?;
    let prompt = new.prompt.as_ref();
    for (field, value) in [
        ("forge", new.forge.as_ref()),
        ("user", new.user.as_ref()),
        ("user_id", new.user_id.as_ref()),
        ("branch", new.branch.as_ref()),
        ("base", new.base.as_ref()),
        ("base_sha", new.base_sha.as_ref()),
        ("prompt.template_id", prompt.and_then(|prompt| prompt.template_id.as_ref())),
        ("prompt.template_sha256", prompt.and_then(|prompt| prompt.template_sha256.as_ref())),
        ("prompt.overrides_sha256", prompt.and_then(|prompt| prompt.overrides_sha256.as_ref())),
        ("prompt_version", new.prompt_version.as_ref()),
        ("model", new.model.as_ref()),
        ("variant", new.variant.as_ref()),
    ] {
        field_checks::name(field, value)?;
    }
    if new.repo.is_none() && new.user_id.is_none() {
        return Err(Error::invalid("repo", "name the repository, or the user_id of whose task it is"));
    }
    Ok(())
}

fn prompt(parts: loci_api::coding::task::TaskPrompt) -> TaskPrompt {
    let loci_api::coding::task::TaskPrompt { template_id, template_sha256, overrides_sha256 } = parts;
    TaskPrompt { template_id, template_sha256, overrides_sha256 }
}

/// A task built from a request.
struct CreatedTask {
    task: Task,
    /// The digest of the request before its names were masked, which earlier versions stored.
    unmasked_digest: String,
    warnings: Vec<String>,
}

fn made(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &Memory,
    new: &TaskRequest,
    id: TaskId,
    policy: &SafetyPolicy,
    now: Timestamp,
) -> Result<CreatedTask> {
    let TaskRequest { asked, kind, parent, arm, .. } = new;
    let (repository, warnings) = task_repository::repository(tx, caller, &memory.id, asked)?;
    let actor = match (&repository, &asked.user_id) {
        (Some(repository), _) => task_namespaces::actor_of(repository)?,
        (None, user_id) => task_namespaces::actor_of_user(user_id.as_deref().unwrap_or_default())?,
    };
    let session = task_namespaces::session_of(&id)?;
    task_namespaces::require(caller, &memory.id, (&actor, &session), Capability::Write)?;
    let mut task = Task {
        memory: memory.id.clone(),
        id,
        actor,
        session,
        repository: repository.map(|repository| repository.id),
        forge: asked.forge.clone(),
        forge_repo_id: asked.forge_repo_id,
        snapshot: None,
        request_digest: String::new(),
        kind: *kind,
        status: TaskStatus::Accepted,
        arm: arm.unwrap_or_default(),
        user: asked.user.clone(),
        user_id: asked.user_id.clone(),
        requester_proof: None,
        description: secrets::redact(asked.description.clone(), policy.secrets).0,
        issue: asked.issue,
        pr: asked.pr.map(|number| TaskPullRequest { number, ..TaskPullRequest::default() }),
        branch: asked.branch.clone(),
        base: asked.base.clone(),
        base_sha: asked.base_sha.clone(),
        prompt: asked.prompt.clone().map(prompt),
        prompt_version: asked.prompt_version.clone(),
        input_hash: None,
        memory_hash: None,
        model: asked.model.clone(),
        variant: asked.variant.clone(),
        parent: parent.clone(),
        trace_id: asked.trace_id.clone(),
        cost_usd: None,
        duration_s: None,
        error_message: None,
        failure_category: None,
        written: TaskWritten::default(),
        feedback: TaskFeedback::default(),
        security_alert: None,
        completed_at: None,
        created_at: Timestamp::EPOCH,
        updated_at: Timestamp::EPOCH,
    };
    let unmasked_digest = digest(&task)?;
    name_secrets::mask(&mut task, policy.secrets);
    task.request_digest = digest(&task)?;
    task.input_hash = Some(input_hash(&task)?);
    task.snapshot = Some(task_namespaces::snapshot(tx.memories().sequence(&memory.id)?));
    (task.created_at, task.updated_at) = (now, now);
    Ok(CreatedTask { task, unmasked_digest, warnings })
}

/// Returns the digest of a task's request: without times, and without values that the server
/// determines.
fn digest(task: &Task) -> Result<String> {
    let bytes = serde_json::to_vec(task)
        .map_err(|error| Error::bug("a task that cannot be written down").caused_by(error))?;
    Ok(hex::encode(Sha256::digest(bytes)))
}

/// Returns the requested arm, else that of the parent task, which belongs to the same comparison
/// group, else the assigned one.
fn arm(tx: &dyn ReadTx, new: &TaskRequest, task: &Task, server: &CodingSettings) -> Result<MemoryArm> {
    if let Some(arm) = new.arm {
        return Ok(arm);
    }
    let parent = new.parent.as_ref().map(|parent| tx.tasks().get(&task.memory, parent)).transpose()?;
    if let Some(parent) = parent.flatten().filter(|parent| parent.actor == task.actor) {
        return Ok(parent.arm);
    }
    let of = task.repository.as_ref().map_or(task.actor.as_str(), |repository| repository.as_str());
    Ok(control_group::dealt(&server.of_task(tx, task)?.control, of, &task.id))
}
