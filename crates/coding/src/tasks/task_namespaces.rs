//! The actor, the session and the namespaces of a task, and the access checks on them.

use loci_engine::access;
use loci_model::facts::repository::Repository;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::Task;
use loci_model::{
    ActorId, Error, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, Result, SessionId, TaskId,
};
use sha2::{Digest, Sha256};

/// The prefix of a session that is derived from a task's id.
const MADE: &str = "task-";
/// The number of hex digits after it.
const SESSION_DIGITS: usize = 32;

/// Returns the actor of a repository: its scope key.
pub(crate) fn actor_of(repository: &Repository) -> Result<ActorId> {
    ActorId::parse(repository.key.as_str()).map_err(|error| error.on("repo"))
}

/// Returns the actor of a user whose task has no repository.
pub(super) fn actor_of_user(user_id: &str) -> Result<ActorId> {
    ActorId::parse(format!("user:{user_id}")).map_err(|error| error.on("user_id"))
}

/// Returns the session of a task: its id if that is a valid session, else a derived one.
pub(crate) fn session_of(id: &TaskId) -> Result<SessionId> {
    SessionId::parse(id.as_str()).or_else(|_| {
        let digest = hex::encode(Sha256::digest(id.as_str()));
        SessionId::parse(format!("{MADE}{}", digest.get(..SESSION_DIGITS).unwrap_or_default()))
    })
}

/// True if a session is derived from a task's id.
pub(super) fn is_made(session: &SessionId) -> bool {
    session.as_str().strip_prefix(MADE).is_some_and(|digits| digits.len() == SESSION_DIGITS)
}

/// Returns the tasks that can have a session: the one with the same id, if valid. `None` for a
/// derived session, for which every task must be checked.
pub(crate) fn tasks_of_session(session: &SessionId) -> Option<Vec<TaskId>> {
    (!is_made(session)).then(|| TaskId::parse(session.as_str()).into_iter().collect())
}

/// Returns the name of a memory's state, from the number of record changes so far.
pub(crate) fn snapshot(sequence: u64) -> String {
    format!("snap_{sequence}")
}

/// Returns the filter for all namespaces of an actor.
fn subtree(actor: &ActorId) -> Result<NamespaceFilter> {
    Ok(NamespaceFilter::new(&Namespace::parse(format!("/{actor}/"))?, NamespaceMatch::Subtree))
}

/// Returns the namespace of the preferences of a login, ignoring case. `None` for a name that is
/// not a single path segment, so that no other preferences are read for it.
pub(crate) fn preferences_of(user: &str) -> Option<String> {
    let path = format!("/users/{}/", user.to_lowercase());
    (!user.contains('/') && Namespace::parse(path.as_str()).is_ok()).then_some(path)
}

/// True if a task may judge the records of a namespace: that of its actor, or of its user's
/// preferences.
pub(super) fn is_of(task: &Task, of_user: Option<&str>, namespace: &Namespace) -> bool {
    let lies_in = |root: &str| namespace.as_str().starts_with(root);
    lies_in(&format!("/{}/", task.actor)) || of_user.is_some_and(lies_in)
}

/// Requires a grant on the task of an actor and a session.
///
/// # Errors
/// `Denied`.
pub(super) fn require(
    caller: &Principal,
    memory: &MemoryId,
    (actor, session): (&ActorId, &SessionId),
    capability: Capability,
) -> Result<()> {
    access::require_place(caller, memory, (actor, Some(session)), &subtree(actor)?, capability)
}

/// Requires a grant on all tasks of an actor.
///
/// # Errors
/// `Denied`.
pub(crate) fn require_all(
    caller: &Principal,
    memory: &MemoryId,
    actor: &ActorId,
    capability: Capability,
) -> Result<()> {
    access::require_place(caller, memory, (actor, None), &subtree(actor)?, capability)
}

/// True if the caller has a grant on the task.
pub(crate) fn may(caller: &Principal, task: &Task, capability: Capability) -> bool {
    require(caller, &task.memory, (&task.actor, &task.session), capability).is_ok()
}

/// Returns the task, if it exists and the caller may access it.
///
/// # Errors
/// `NotFound` in both cases.
pub(crate) fn visible(
    caller: &Principal,
    id: &TaskId,
    task: Option<Task>,
    capability: Capability,
) -> Result<Task> {
    task.filter(|task| may(caller, task, capability))
        .ok_or_else(|| Error::not_found(format!("there is no task {id} here")).on("task_id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_tasks() {
        let session = |id: &str| session_of(&TaskId::parse(id).unwrap()).unwrap().to_string();
        assert_eq!(session("t-001"), "t-001");
        assert_eq!(session("jira:1.2").len(), MADE.len() + SESSION_DIGITS);
        let made = |id: &str| is_made(&SessionId::parse(session(id)).unwrap());
        assert!(made("jira:1.2") && !made("t-001") && !made("task-001"));
        assert_ne!(session("jira:1.2"), session("jira:1.3"));
        assert!(session(&"a".repeat(128)).starts_with("task-"), "a session has at most 100 characters");
    }

    #[test]
    fn tasks_of_sessions() {
        let tasks = |session: &str| tasks_of_session(&SessionId::parse(session).unwrap());
        assert_eq!(tasks("t-001"), Some(vec![TaskId::parse("t-001").unwrap()]));
        assert_eq!(tasks("task-001").map(|ids| ids.len()), Some(1));
        let made = session_of(&TaskId::parse("jira:1.2").unwrap()).unwrap();
        assert_eq!(tasks(made.as_str()), None);
    }

    #[test]
    fn whoever_is_on_no_repository() {
        assert_eq!(actor_of_user("583231").unwrap().as_str(), "user:583231");
        assert!(actor_of_user("").is_err());
        assert!(actor_of_user("a b").is_err());
    }
}
