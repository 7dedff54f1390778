//! Events that operations memory restricts to a user, regardless of a key's grants: events of
//! preferences, and events that its own operations wrote for private investigations, which are
//! marked. A caller that works for the user sees them as the user does. `loci_engine::access`
//! decides who works for a user.

use loci_engine::access::{self, segment};
use loci_engine::hooks::EventFilter;
use loci_model::event::Event;
use loci_model::memory::Memory;
use loci_model::principal::{Capability, Principal};
use loci_model::services::knowledge::SreType;
use loci_model::{ActorId, MemoryId, Result, SessionId};

use crate::input::wire_events::is_of_profile;
use crate::records::namespace_rules::PREFERENCES_SESSION;
use crate::records::save::{EVENT_TYPE, PRIVATE};

/// A filter of a session's events for a caller that does not work for the session's actor.
#[derive(Debug, Clone)]
pub(crate) struct EventGuard {
    caller: Principal,
    memory: MemoryId,
    capability: Capability,
}

impl EventGuard {
    /// Returns the filter of an actor's session within the caller's grants; `None` if all events
    /// are visible.
    ///
    /// # Errors
    /// `Denied` if the whole session belongs to another user.
    pub(crate) fn of(
        caller: &Principal,
        memory: &Memory,
        (actor, session): (&ActorId, &SessionId),
        capability: Capability,
    ) -> Result<Option<Self>> {
        require_session(caller, memory, (actor, session), capability)?;
        let of_user =
            || access::require_user(caller, &memory.id, (actor, &segment::user_of(actor)), capability);
        let is_stranger = is_of_profile(memory) && of_user().is_err();
        let stranger = || Self { caller: caller.clone(), memory: memory.id.clone(), capability };
        Ok(is_stranger.then(stranger))
    }
}

impl EventFilter for EventGuard {
    /// True if the caller may see the event: no preferences of other users, and private events only
    /// within the rights on their owner.
    fn admits(&self, event: &Event) -> bool {
        let Self { caller, memory, capability } = self;
        let kind = event.metadata.get(EVENT_TYPE).and_then(|word| SreType::parse_input(word));
        let is_theirs = |owner: &String| {
            ActorId::parse(owner.clone()).is_ok_and(|owner| {
                access::require_user(caller, memory, (&owner, &segment::user_of(&owner)), *capability).is_ok()
            })
        };
        kind != Some(SreType::Preferences) && event.metadata.get(PRIVATE).is_none_or(is_theirs)
    }
}

/// Requires that the caller works for the actor of a session of preferences.
///
/// # Errors
/// `Denied` for the session of another user.
pub(crate) fn require_session(
    caller: &Principal,
    memory: &Memory,
    (actor, session): (&ActorId, &SessionId),
    capability: Capability,
) -> Result<()> {
    if is_of_profile(memory) && session.as_str() == PREFERENCES_SESSION {
        access::require_user(caller, &memory.id, (actor, &segment::user_of(actor)), capability)?;
    }
    Ok(())
}
