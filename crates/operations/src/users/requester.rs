//! The user of a request to operations memory: a named one, the user of a session, or the caller
//! itself. The user is never guessed: a key that acts for users must state which one.

use loci_engine::access;
use loci_model::principal::{Capability, Principal};
use loci_model::services::knowledge::SreType;
use loci_model::{ActorId, Error, MemoryId, Result};

use crate::Operations;
use crate::records::namespace_rules;
use crate::settings::SUPERVISOR;

/// The remedies for a request that states no user.
const REMEDY: &str = "give user_id, or the header X-Loci-User (loci mcp --user), or the session_id of that user's investigation";

/// The members of a request that state its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SreRequester<'a> {
    /// The user in an argument.
    pub named: Option<&'a str>,
    /// The user of the connection: the header X-Loci-User.
    pub connection: Option<&'a str>,
    /// The session of an investigation.
    pub session: Option<&'a str>,
}

impl Operations {
    /// Returns the user of a request.
    ///
    /// # Errors
    /// `Invalid` on `user_id` if the key acts for users and the request states none; as
    /// [`Operations::sre_requester_if_known`].
    pub async fn sre_requester(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        asked: SreRequester<'_>,
    ) -> Result<String> {
        let known = self.sre_requester_if_known(caller, memory, asked).await?;
        known.ok_or_else(|| unknown(given(asked.session)))
    }

    /// Returns the user of a request; `None` if the key acts for users and the request states none.
    /// An administrator acts for the user of the session, or for itself.
    ///
    /// # Errors
    /// `Denied` on `user_id` if the argument and the connection name different users, or the caller
    /// may not act for the named one; `Denied` if the caller may not read.
    pub async fn sre_requester_if_known(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        asked: SreRequester<'_>,
    ) -> Result<Option<String>> {
        if let Some(user) = self.sre_named_user(caller, memory, asked)? {
            return Ok(Some(user.to_owned()));
        }
        let acts_for_users = access::acts_for_users(caller, memory);
        let is_admin = access::require_whole(caller, memory, Capability::Admin).is_ok();
        // A caller that acts for no other users is the user itself, in every session.
        if !acts_for_users && !is_admin {
            return Ok(Some(caller.name.clone()));
        }
        let of_session = match given(asked.session) {
            Some(session) => self.sre_user_of_session(caller, memory, session).await?,
            None => None,
        };
        Ok(of_session.or_else(|| (!acts_for_users).then(|| caller.name.clone())))
    }

    /// Returns the user that the argument or the connection names.
    fn sre_named_user<'a>(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        asked: SreRequester<'a>,
    ) -> Result<Option<&'a str>> {
        let connection = given(asked.connection);
        let Some(user) = given(asked.named).or(connection) else { return Ok(None) };
        let actor = self.sre_actor_of_user(memory, user).map_err(|error| error.on("user_id"))?;
        let of_connection = connection.filter(|other| *other != user);
        if let Some(other) = of_connection.filter(|_| !access::may_impersonate(caller, memory, &actor)) {
            return Err(two_users(user, other));
        }
        // The operation checks the right that it needs; here any right on the user is enough.
        let may = |capability| access::require_user(caller, memory, (&actor, user), capability);
        may(Capability::Read).or_else(|_| may(Capability::Write)).map_err(|error| error.on("user_id"))?;
        Ok(Some(user))
    }

    /// Returns the agent under which a request without an agent saves knowledge: the caller's name
    /// if it is an agent of the memory, otherwise the supervisor. Starts read both.
    pub fn sre_agent(&self, caller: &Principal, memory: &MemoryId) -> String {
        let settings = self.settings.of(memory);
        let is_agent = settings.is_read(&caller.name);
        if is_agent { caller.name.clone() } else { SUPERVISOR.to_owned() }
    }

    /// True if starts show the knowledge of an agent.
    pub fn sre_agent_is_read(&self, memory: &MemoryId, agent: &str) -> bool {
        self.settings.of(memory).is_read(agent)
    }

    /// Returns the actor of a user's events.
    pub(crate) fn sre_actor_of_user(&self, memory: &MemoryId, user: &str) -> Result<ActorId> {
        namespace_rules::actor(SreType::Investigations, user, self.settings.of(memory))
    }
}

/// Returns the text, or `None` if it is empty.
fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// Returns the error for a request that states no user.
fn unknown(session: Option<&str>) -> Error {
    let rule = match session {
        Some(session) => format!(
            "no one user's investigation has the session {session}, and this key acts for users (capability impersonate): {REMEDY}"
        ),
        None => {
            format!("this key acts for users (capability impersonate) and the request names none: {REMEDY}")
        }
    };
    Error::invalid("user_id", rule)
}

/// Returns the error for an argument and a connection that name different users.
fn two_users(named: &str, connection: &str) -> Error {
    let rule = format!(
        "user_id {named} is not the user of the connection, {connection} (X-Loci-User, loci mcp --user): leave user_id out, \
         connect as {named}, or use a key with the capability impersonate for {named}"
    );
    Error::denied(rule).on("user_id")
}
