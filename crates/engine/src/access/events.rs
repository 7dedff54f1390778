//! Access to the events of an actor, or of one of its sessions. A grant on a namespace subtree
//! gives no access to events.

use loci_model::principal::bounds::Bounds;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::{ActorId, MemoryId, Result, SessionId, Timestamp};

use super::{grants, refused};
use crate::access::grant_restrictions::EventView;

/// Checks that a grant of the caller covers all events of an actor, or of one session. The grant
/// must be on the actor (and session) or on the whole memory. If `session` is `None`, a grant on
/// one session is not enough.
pub fn require_events(
    caller: &Principal,
    memory: &MemoryId,
    actor: &ActorId,
    session: Option<&SessionId>,
    capability: Capability,
) -> Result<()> {
    if grants(caller, memory, capability).any(|grant| covers_events(grant, actor, session)) {
        Ok(())
    } else {
        Err(refused("this on events of that actor and session"))
    }
}

/// Returns the events of an actor, or of one session, that the caller may read or write. Grants
/// that are restricted to metadata or age are included.
///
/// # Errors
/// `Denied` if there is no such grant.
pub fn event_view(
    caller: &Principal,
    memory: &MemoryId,
    actor: &ActorId,
    session: Option<&SessionId>,
    capability: Capability,
    now: Timestamp,
) -> Result<EventView> {
    let parts: Vec<Bounds> = grants(caller, memory, capability)
        .filter(|grant| is_place_of(grant, actor, session))
        .map(|grant| grant.bounds(now))
        .collect();
    if parts.is_empty() {
        Err(refused("this on events of that actor and session"))
    } else {
        Ok(EventView::of(parts))
    }
}

/// Returns the actors for whom the caller may list some or all events; `None` means all actors.
pub fn visible_actors(caller: &Principal, memory: &MemoryId) -> Result<Option<Vec<ActorId>>> {
    let mut actors = Vec::new();
    for grant in grants(caller, memory, Capability::Read) {
        if grant.namespace.is_some() || grant.strategy.is_some() || grant.session.is_some() {
            continue;
        }
        match &grant.actor {
            None => return Ok(None),
            Some(actor) => actors.push(actor.clone()),
        }
    }
    if actors.is_empty() {
        return Err(refused("listing the actors of this memory"));
    }
    actors.sort();
    actors.dedup();
    Ok(Some(actors))
}

/// Returns the sessions of an actor for which the caller may list some or all events; `None`
/// means all sessions.
pub fn visible_sessions(
    caller: &Principal,
    memory: &MemoryId,
    actor: &ActorId,
) -> Result<Option<Vec<SessionId>>> {
    let mut sessions = Vec::new();
    for grant in grants(caller, memory, Capability::Read) {
        if grant.namespace.is_some()
            || grant.strategy.is_some()
            || grant.actor.as_ref().is_some_and(|granted| granted != actor)
        {
            continue;
        }
        match &grant.session {
            None => return Ok(None),
            Some(session) => sessions.push(session.clone()),
        }
    }
    if sessions.is_empty() {
        return Err(refused("listing the sessions of that actor"));
    }
    sessions.sort();
    sessions.dedup();
    Ok(Some(sessions))
}

/// Returns true if the grant covers all events of the actor and session.
pub(super) fn covers_events(grant: &Grant, actor: &ActorId, session: Option<&SessionId>) -> bool {
    is_place_of(grant, actor, session) && !grant.is_bound()
}

/// Returns true if the grant covers some or all events of the actor and session.
fn is_place_of(grant: &Grant, actor: &ActorId, session: Option<&SessionId>) -> bool {
    grant.namespace.is_none()
        && grant.strategy.is_none()
        && grant.actor.as_ref().is_none_or(|granted| granted == actor)
        && grant.session.as_ref().is_none_or(|granted| Some(granted) == session)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use loci_model::{Namespace, NamespaceFilter, NamespaceMatch};

    use super::super::{record_view, require_whole};
    use super::*;

    fn memory(text: &str) -> MemoryId {
        MemoryId::parse(text).unwrap()
    }

    fn reader(grant: Grant) -> Principal {
        let capabilities = BTreeSet::from([Capability::Read]);
        Principal { name: "t".into(), grants: vec![Grant { capabilities, ..grant }] }
    }

    #[test]
    fn a_namespace_grant_gives_no_events() {
        let id = memory("notes-0123456789");
        let alice = Namespace::parse("/users/alice/").unwrap();
        let caller =
            reader(Grant { memory: Some(id.clone()), namespace: Some(alice), ..Grant::everything() });
        let actor = ActorId::parse("alice").unwrap();
        assert!(require_events(&caller, &id, &actor, None, Capability::Read).is_err());
        assert!(visible_actors(&caller, &id).is_err());
        assert!(require_whole(&caller, &id, Capability::Read).is_err());
        assert!(record_view(&caller, &id, Capability::Write).is_err());
        assert!(record_view(&caller, &memory("other-0123456789"), Capability::Read).is_err());
        let view = record_view(&caller, &id, Capability::Read).unwrap();
        let filter = |text, mode| NamespaceFilter::new(&Namespace::parse(text).unwrap(), mode);
        let wide = filter("/", NamespaceMatch::Subtree);
        let (narrowed, kept_back) = view.narrow(&wide).unwrap();
        assert_eq!((narrowed, kept_back), (vec![filter("/users/alice", NamespaceMatch::Subtree)], true));
        assert!(view.narrow(&filter("/users/bob", NamespaceMatch::Exact)).is_none());
        assert!(view.narrow(&filter("/users/alicex", NamespaceMatch::Subtree)).is_none());
    }

    #[test]
    fn a_session_grant_is_not_the_actor() {
        let id = memory("notes-0123456789");
        let session = SessionId::parse("s").unwrap();
        let caller = reader(Grant { session: Some(session.clone()), ..Grant::everything() });
        let actor = ActorId::parse("alice").unwrap();
        assert!(require_events(&caller, &id, &actor, Some(&session), Capability::Read).is_ok());
        assert!(require_events(&caller, &id, &actor, None, Capability::Read).is_err());
        assert_eq!(visible_sessions(&caller, &id, &actor).unwrap(), Some(vec![session]));
        assert!(visible_actors(&caller, &id).is_err());
    }
}
