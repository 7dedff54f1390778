//! Events that operations memory keeps to users, whatever a key may read (sre-memory.md §9.1, H-7): those of their preferences, and those of
//! investigations that somebody keeps to themselves. Whoever works for the user sees them as the user does; who that is, is `access`'s matter.

use loci_model::event::Event;
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, RecordPage};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::scope::{AccessClause, RecordScope};
use loci_model::sre::SreType;
use loci_model::{ActorId, Result, SessionId, Timestamp};

use super::keeping::{is_sealed, word};
use super::place::{self, PREFERENCES_SESSION};
use super::saving::{EVENT_TYPE, OWNER, SCOPE, SCOPE_PRIVATE};
use super::segment;
use super::whose::id_of;
use super::wire::is_of_profile;
use crate::access;

/// Investigations of one session that are looked at.
const OF_SESSION_MAX: usize = 50;

/// What of a session's events a caller is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventGuard {
    /// Not those that say what the actor prefers.
    without_preferences: bool,
}

impl EventGuard {
    /// Of an actor's session that the caller's grants reach.
    ///
    /// # Errors
    /// `Denied` where all of it is kept to users that the caller does not work for.
    pub(crate) fn of(
        tx: &dyn ReadTx,
        caller: &Principal,
        memory: &Memory,
        (actor, session): (&ActorId, &SessionId),
        capability: Capability,
        now: Timestamp,
    ) -> Result<Self> {
        let of_user = || access::require_user(caller, &memory.id, (actor, &id_of(actor)), capability);
        if !is_of_profile(memory) || of_user().is_ok() {
            return Ok(Self { without_preferences: false });
        }
        if session.as_str() == PREFERENCES_SESSION {
            of_user()?;
        }
        for record in private_of(tx, memory, session, now)? {
            let owner = word(&record, OWNER).unwrap_or_default();
            let whose = match &record.provenance.actor {
                Some(actor) if id_of(actor) == owner => Ok(actor.clone()),
                Some(_) | None => segment::encode(owner, "owner").and_then(ActorId::parse),
            };
            // What names nobody that there can be is an administrator's.
            let whose = whose.map_err(|_| access::another_users())?;
            access::require_user(caller, &memory.id, (&whose, owner), capability)?;
        }
        Ok(Self { without_preferences: true })
    }

    /// True for what the caller is shown.
    pub(crate) fn admits(self, event: &Event) -> bool {
        let kind = || event.metadata.get(EVENT_TYPE).and_then(|word| SreType::parse_input(word));
        !(self.without_preferences && kind() == Some(SreType::Preferences))
    }
}

/// Requires that the caller works for the actor, where a session takes preferences.
///
/// # Errors
/// `Denied` for another user's.
pub(crate) fn require_session(
    caller: &Principal,
    memory: &Memory,
    (actor, session): (&ActorId, &SessionId),
    capability: Capability,
) -> Result<()> {
    if is_of_profile(memory) && session.as_str() == PREFERENCES_SESSION {
        access::require_user(caller, &memory.id, (actor, &id_of(actor)), capability)?;
    }
    Ok(())
}

/// Investigations of a session that somebody keeps to themselves.
fn private_of(
    tx: &dyn ReadTx,
    memory: &Memory,
    session: &SessionId,
    now: Timestamp,
) -> Result<impl Iterator<Item = Record>> {
    let records = match place::scope(memory, SreType::Investigations, None, now) {
        // It has no investigations.
        Err(_) => Vec::new(),
        Ok(scope) => {
            let clause = AccessClause { session: Some(session.clone()), ..AccessClause::default() };
            let states = RecordState::ALL.iter().copied().filter(|state| *state != RecordState::Erased);
            let scope = RecordScope { view: vec![clause], states: states.collect(), ..scope };
            tx.records().list(&RecordPage { scope, after: None, limit: OF_SESSION_MAX })?
        }
    };
    let is_private = |record: &Record| is_sealed(record) && word(record, SCOPE) == Some(SCOPE_PRIVATE);
    Ok(records.into_iter().filter(is_private))
}
