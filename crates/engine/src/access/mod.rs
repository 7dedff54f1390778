//! Access: the one module that decides the permissions of a caller.
//!
//! The engine checks authorization before existence: a caller without permission gets "denied" or
//! "not found", whether the object exists or not.
//!
//! | file | holds |
//! |---|---|
//! | `view` | the namespace subtrees of a memory whose records a caller may read or write |
//! | `events` | events that a caller may read or write, actors and sessions that it may list |
//! | `grant_restrictions` | restricted grants: visible events, metadata of writes |
//! | `segment` | ids of people as segments of namespaces |
//! | `people` | the users for whom a caller acts, and operations that require a person |
//! | `keys` | the operations on access keys |

mod events;
pub(super) mod grant_restrictions;
pub mod keys;
mod people;
pub mod segment;
mod view;

use loci_model::principal::{Capability, Grant, Principal};
use loci_model::{ActorId, Error, MemoryId, NamespaceFilter, Result, SessionId};

use events::covers_events;
pub use events::event_view;
pub use events::{require_events, visible_actors, visible_sessions};
pub use people::another_users;
pub use people::{acts_for_users, may_impersonate, require_outcome, require_user, require_user_in_person};
pub use people::{is_person, require_person, require_unverified};
use view::clause;
pub use view::{View, bound_view, record_view, tree_view};

fn grants<'a>(
    caller: &'a Principal,
    memory: &'a MemoryId,
    capability: Capability,
) -> impl Iterator<Item = &'a Grant> {
    caller.grants.iter().filter(move |grant| {
        grant.capabilities.contains(&capability)
            && grant.memory.as_ref().is_none_or(|granted| granted == memory)
    })
}

fn refused(what: &str) -> Error {
    Error::denied(format!("the caller's grants do not allow {what}"))
}

/// Returns the error for a write whose response would depend on stored content that the caller
/// may not read.
pub fn needs_reading(what: &str) -> Error {
    let rule = format!("the answer to {what} depends on what is stored");
    Error::denied(format!("{rule}: the key needs a grant of read there, too"))
}

/// Checks that a grant gives the caller a capability on the whole memory.
pub fn require_whole(caller: &Principal, memory: &MemoryId, capability: Capability) -> Result<()> {
    if grants(caller, memory, capability).any(|grant| grant.is_whole(memory)) {
        Ok(())
    } else {
        Err(refused("this on the whole memory"))
    }
}

/// Returns the memories that the caller's grants cover completely with a capability; `None` means
/// every memory.
pub fn whole_memories(caller: &Principal, capability: Capability) -> Option<Vec<MemoryId>> {
    let mut memories = Vec::new();
    for grant in caller.grants.iter().filter(|grant| grant.capabilities.contains(&capability)) {
        let is_part = grant.actor.is_some()
            || grant.session.is_some()
            || grant.namespace.is_some()
            || grant.strategy.is_some()
            || grant.is_bound();
        match &grant.memory {
            _ if is_part => {}
            None => return None,
            Some(memory) => memories.push(memory.clone()),
        }
    }
    memories.sort();
    memories.dedup();
    Some(memories)
}

/// Checks that the caller may create memories, which requires the capability `admin` on every
/// memory.
pub fn require_server_admin(caller: &Principal) -> Result<()> {
    let everything = |grant: &Grant| {
        grant.capabilities.contains(&Capability::Admin)
            && grant.memory.is_none()
            && grant.actor.is_none()
            && grant.session.is_none()
            && grant.namespace.is_none()
            && grant.strategy.is_none()
            && !grant.is_bound()
    };
    if caller.grants.iter().any(everything) { Ok(()) } else { Err(refused("administration of the server")) }
}

/// Returns true if the server may reveal to the caller that the memory exists. The caller needs a
/// grant on the memory; the grants of a task's agent do not count.
pub fn may_know(caller: &Principal, memory: &MemoryId) -> bool {
    [Capability::Read, Capability::Write, Capability::Admin]
        .into_iter()
        .any(|capability| grants(caller, memory, capability).next().is_some())
}

/// Returns true if the caller has a grant to act as the agent of a task in the memory.
pub fn may_act(caller: &Principal, memory: &MemoryId) -> bool {
    grants(caller, memory, Capability::Agent).next().is_some()
}

/// Returns the grants under which the caller may submit answers as the given worker agent.
pub fn of_worker<'a>(
    caller: &'a Principal,
    memory: &'a MemoryId,
    agent: &'a ActorId,
) -> impl Iterator<Item = &'a Grant> {
    let is_of_agent = move |grant: &&Grant| grant.actor.as_ref().is_none_or(|granted| granted == agent);
    grants(caller, memory, Capability::Worker).filter(is_of_agent)
}

/// Returns true if the caller may submit answers as any worker agent of the memory.
pub(crate) fn may_report(caller: &Principal, memory: &MemoryId) -> bool {
    grants(caller, memory, Capability::Worker).next().is_some()
}

/// Returns true if the caller may act as the agent of the task with that actor and session.
pub fn is_agent_of(caller: &Principal, memory: &MemoryId, (actor, session): (&ActorId, &SessionId)) -> bool {
    grants(caller, memory, Capability::Agent).any(|grant| covers_events(grant, actor, Some(session)))
}

/// Checks that the caller has a grant on the data that an actor's session wrote. The grant must
/// be on the events of the session, or on a namespace subtree that contains all of `place`.
pub fn require_place(
    caller: &Principal,
    memory: &MemoryId,
    (actor, session): (&ActorId, Option<&SessionId>),
    place: &NamespaceFilter,
    capability: Capability,
) -> Result<()> {
    let holds = |grant: &Grant| {
        is_of_tree(grant) && clause(grant).namespace.is_some_and(|granted| granted.covers(place))
    };
    let granted =
        grants(caller, memory, capability).any(|grant| covers_events(grant, actor, session) || holds(grant));
    if granted { Ok(()) } else { Err(refused("this on that actor and session")) }
}

/// Returns true if the grant covers all records of a namespace subtree, without other
/// restrictions.
fn is_of_tree(grant: &Grant) -> bool {
    grant.actor.is_none() && grant.session.is_none() && grant.strategy.is_none() && !grant.is_bound()
}
