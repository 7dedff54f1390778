//! The user that a request of operations memory is for: a named one, the user of a session, or the
//! caller. A key for several users is nobody in person, so a request of it that names no user is
//! refused. The rights are checked by the verb that acts for the user.

use loci_model::principal::{Capability, Principal};
use loci_model::sre::SreType;
use loci_model::{ActorId, Error, MemoryId, Result};

use super::place;
use super::settings::SUPERVISOR;
use super::whose::id_of;
use crate::{Engine, access};

/// The remedy of a request that does not say for whom it is.
const WITHOUT_USER: &str = "this key works for several users (capability impersonate) and the request names none: give user_id, or the \
                            header X-Loci-User, or the session_id of that user's investigation";

/// The members of a request that say for whom it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SreRequester<'a> {
    /// The user that the request or its connection names.
    pub user: Option<&'a str>,
    /// The session of an investigation.
    pub session: Option<&'a str>,
}

impl Engine {
    /// Returns the user that a request is for.
    ///
    /// # Errors
    /// `Invalid` on `user_id` where the key works for several users and nothing says for which;
    /// `Denied` where the caller may not read.
    pub async fn sre_requester(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        asked: SreRequester<'_>,
    ) -> Result<String> {
        if let Some(user) = asked.user.filter(|user| !user.is_empty()) {
            return Ok(user.to_owned());
        }
        let acts_for = access::acts_for(caller, memory);
        let is_admin = access::require_whole(caller, memory, Capability::Admin).is_ok();
        // A caller that works for nobody else is the user, in every session.
        if acts_for.is_empty() && !is_admin {
            return Ok(caller.name.clone());
        }
        if let Some(session) = asked.session.filter(|session| !session.is_empty())
            && let Some(user) = self.sre_user_of_session(caller, memory, session).await?
        {
            return Ok(user);
        }
        match acts_for.as_slice() {
            [] => Ok(caller.name.clone()),
            [Some(only)] => Ok(id_of(only)),
            _ if is_admin => Ok(caller.name.clone()),
            _ => Err(Error::invalid("user_id", WITHOUT_USER)),
        }
    }

    /// Returns the agent whose knowledge a request without an agent saves: the caller's own name
    /// where it is an agent of the memory, else the supervisor. Starts read both.
    pub fn sre_agent(&self, caller: &Principal, memory: &MemoryId) -> String {
        let settings = self.settings.sre.of(memory);
        let is_agent = settings.is_read(&caller.name);
        if is_agent { caller.name.clone() } else { SUPERVISOR.to_owned() }
    }

    /// Returns true where starts show the knowledge of an agent.
    pub fn sre_agent_is_read(&self, memory: &MemoryId, agent: &str) -> bool {
        self.settings.sre.of(memory).is_read(agent)
    }

    /// Returns the actor of a user's events.
    pub(super) fn sre_actor_of_user(&self, memory: &MemoryId, user: &str) -> Result<ActorId> {
        place::actor(SreType::Investigations, user, self.settings.sre.of(memory))
    }
}
