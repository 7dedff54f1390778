//! Stores the preferences of a user that the description of a new task states.

use loci_api::coding::task::TaskCreate;
use loci_engine::access;
use loci_engine::records::batch;
use loci_engine::records::record_builder::Building;
use loci_engine::safety::{Patterns, SafetyPolicy};
use loci_model::facts::repository::Repository;
use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::Task;
use loci_model::{ActorId, JobId, MemoryId, RecordId, Result, Timestamp};

use super::owner;
use super::precedence::{NewPreference, PreferenceWriteResult, keep};
use super::requester::may;
use super::stated_preferences::{StatedPreference, stated};

/// The warning about a login and a number with namespaces that the caller may not write.
const NOT_TAKEN_OVER: &str = "USER_NOT_TAKEN_OVER: user and user_id do not belong together as far as is known, \
     and the caller may not write the places of the preferences that this concerns: none were moved; let an \
     administrator send a task that names both";

/// The preferences that a description states, and the ids under which they are stored.
pub(crate) struct Described {
    pub(crate) stated: Vec<StatedPreference>,
    pub(crate) ids: Vec<RecordId>,
    /// The job that computes their vectors, if there are any.
    pub(crate) job: Option<JobId>,
}

/// Returns the preferences that the description of a task states; empty if the task names no valid
/// user.
pub(crate) fn of_description(new: &TaskCreate, own: Option<&'static Patterns>) -> Vec<StatedPreference> {
    let is_named = new.user.as_deref().is_some_and(|user| owner::login_of(user).is_some());
    if is_named { stated(&new.description, Patterns::in_force(own)) } else { Vec::new() }
}

/// Stores the preferences that the description of a new task states. They apply everywhere if the
/// caller may write the person's preferences or those of everybody. For a caller who may only
/// create tasks of a repository, they apply to that repository. Returns a warning if the task's
/// login and number involve namespaces that the caller may not write.
pub(crate) fn keep_described(
    tx: &mut dyn Tx,
    caller: &Principal,
    place: (&Memory, SafetyPolicy),
    task: &Task,
    described: &Described,
    now: Timestamp,
) -> Result<Option<&'static str>> {
    let may_write = |place: &ActorId| may_write(caller, &task.memory, place);
    let is_seen = owner::seen(tx, task, &may_write, now)?;
    keep_stated(tx, caller, place, task, described, now)?;
    Ok((!is_seen).then_some(NOT_TAKEN_OVER))
}

fn keep_stated(
    tx: &mut dyn Tx,
    caller: &Principal,
    (memory, policy): (&Memory, SafetyPolicy),
    task: &Task,
    described: &Described,
    now: Timestamp,
) -> Result<()> {
    if described.stated.is_empty() {
        return Ok(());
    }
    let Some(whose) = owner::of_task(tx, task)? else { return Ok(()) };
    let repository: Option<Repository> = match &task.repository {
        Some(id) if !may_write(caller, &memory.id, &whose.place)? => {
            match tx.repositories().get(&memory.id, id)? {
                Some(repository) => Some(repository),
                None => return Ok(()),
            }
        }
        None if !may_write(caller, &memory.id, &whose.place)? => return Ok(()),
        Some(_) | None => None,
    };
    let view = access::record_view(&Principal::engine(), &memory.id, Capability::Write)?;
    let building = Building { memory, view: &view, policy, expiry: None, by: &caller.name, now };
    let mut is_any = false;
    for (one, id) in described.stated.iter().zip(&described.ids) {
        let new = NewPreference {
            whose: &whose,
            dimension: one.dimension,
            text: &one.text,
            repository: repository.as_ref(),
            task: Some(&task.id),
            concluded: None,
        };
        is_any |= matches!(keep(tx, &building, &new, id)?, PreferenceWriteResult::Added(_));
    }
    match &described.job {
        Some(job) if is_any => batch::ask_for_vectors(tx, &memory.id, job, now),
        Some(_) | None => Ok(()),
    }
}

fn may_write(caller: &Principal, memory: &MemoryId, place: &ActorId) -> Result<bool> {
    may(caller, memory, place, Capability::Write)
}
