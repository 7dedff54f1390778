//! The investigations that this memory started, and their users. A later call that names another
//! user is a mistake, and one without a session uses that user's. The server alone decides about
//! access; this helps programs that work for several users over one connection.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::hooks::InvestigationState;
use crate::error::ClientError;

/// The maximum of remembered investigations, the latest; for older ones the server decides.
const BEGUN_MAX: usize = 1_000;

/// The started investigations, the latest first.
#[derive(Default)]
pub(super) struct StartedInvestigations(Mutex<VecDeque<StartedInvestigation>>);

struct StartedInvestigation {
    incident: String,
    user: String,
    session: String,
}

impl StartedInvestigations {
    pub(super) fn note(&self, incident: &str, user: &str, session: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.truncate(BEGUN_MAX - 1);
        all.push_front(StartedInvestigation {
            incident: incident.to_owned(),
            user: user.to_owned(),
            session: session.to_owned(),
        });
    }

    /// Returns the session of a call; `None`: the server decides.
    ///
    /// # Errors
    /// `Request` without an incident, and for a user other than the one who started it.
    pub(super) fn session(&self, state: &InvestigationState) -> Result<Option<String>, ClientError> {
        if state.incident_id.is_empty() {
            let rule = "incident_id is required: an investigation has the one that its start says";
            return Err(ClientError::Request(rule.to_owned()));
        }
        let named = state.session_id.clone().filter(|session| !session.is_empty());
        if state.user_id.is_empty() {
            return Ok(named);
        }
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut of_incident = all.iter().filter(|one| one.incident == state.incident_id).peekable();
        if of_incident.peek().is_none() {
            return Ok(named);
        }
        match of_incident.find(|one| one.user == state.user_id) {
            Some(one) => Ok(named.or_else(|| Some(one.session.clone()))),
            None => {
                let rule = "user_id must be whom the investigation was begun for, or empty";
                Err(ClientError::Request(rule.to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_it_is_and_in_which_session() {
        let begun = StartedInvestigations::default();
        begun.note("i-1", "alice", "s-1");
        begun.note("i-1", "bob", "s-2");
        begun.note("i-1", "alice", "s-3");
        let check =
            |user: &str, incident: &str, session: Option<&str>, expect: Result<Option<&str>, &str>| {
                let state = InvestigationState {
                    user_id: user.to_owned(),
                    incident_id: incident.to_owned(),
                    session_id: session.map(str::to_owned),
                };
                let found = begun.session(&state).map_err(|error| error.to_string());
                let found = match &found {
                    Ok(session) => Ok(session.as_deref()),
                    Err(rule) => Err(rule.split(' ').next().unwrap()),
                };
                assert_eq!(found, expect, "{state:?}");
            };
        check("alice", "i-1", None, Ok(Some("s-3")));
        check("alice", "i-1", Some(""), Ok(Some("s-3")));
        check("alice", "i-1", Some("s-1"), Ok(Some("s-1")));
        check("bob", "i-1", None, Ok(Some("s-2")));
        check("", "i-1", None, Ok(None));
        check("carol", "i-1", None, Err("user_id"));
        check("carol", "i-2", None, Ok(None));
        check("alice", "", None, Err("incident_id"));
    }

    #[test]
    fn the_latest_are_known_of() {
        let begun = StartedInvestigations::default();
        let incident = |at: usize| InvestigationState {
            user_id: "alice".to_owned(),
            incident_id: format!("i-{at}"),
            session_id: None,
        };
        (0..=BEGUN_MAX).for_each(|at| begun.note(&format!("i-{at}"), "alice", "s"));
        assert_eq!(begun.session(&incident(0)).unwrap(), None);
        assert_eq!(begun.session(&incident(1)).unwrap().as_deref(), Some("s"));
    }
}
