//! Preferences of people for the agents that work for them: their words, and their users. A
//! preference itself is a record. The engine decides the precedence and the visibility of
//! preferences.

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, Timestamp};

closed_words! {
    /// The dimension of a preference. One preference is in force for each dimension and scope.
    PreferenceDimension {
        /// The size and the content of pull requests.
        PrSize = "pr_size",
        /// Commits and their messages.
        CommitStyle = "commit_style",
        /// The extent and the manner of tests.
        TestCoverage = "test_coverage",
        /// Documentation next to code.
        Documentation = "documentation",
        /// The use of third-party code.
        Libraries = "libraries",
        /// The style of code.
        Patterns = "patterns",
        /// The tone of the agent.
        Communication = "communication",
        /// Any other subject.
        Other = "other",
    }
}

closed_words! {
    /// The origin of a preference.
    PreferenceOrigin {
        /// The user stated it.
        Explicit = "explicit",
        /// The server concluded it from several review comments on the user's work.
        Implicit = "implicit",
    }
}

/// A user for whom tasks are done. Logins change, and other users may take them, so the number
/// identifies a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreferenceUser {
    /// The memory that the user belongs to.
    pub memory: MemoryId,
    /// The name of the place of their preferences: the login in lower case, or another name if a
    /// different user has that login now.
    pub place: ActorId,
    /// The login in lower case; none if a different user has it now and no new one is known.
    #[serde(default)]
    pub login: Option<String>,
    /// The number by which the forge identifies the user; `None` unless a caller reported it who
    /// may assign numbers to logins.
    #[serde(default)]
    pub user_id: Option<String>,
    /// A number that a caller reported with the login and could not prove. It excludes tasks with
    /// other numbers, and it identifies no one. None if `user_id` is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_id: Option<String>,
    /// Earlier logins, the newest first.
    #[serde(default)]
    pub former_logins: Vec<String>,
    /// True if the user does not want preferences to be inferred from reviews.
    #[serde(default)]
    pub opted_out: bool,
    /// Digests of inferences that the user withdrew. None of them is made again.
    #[serde(default)]
    pub declined: Vec<String>,
    /// The time at which the user was first seen.
    pub created_at: Timestamp,
    /// The time at which the stored user was last changed.
    pub updated_at: Timestamp,
}

impl PreferenceUser {
    /// Returns the key of a user with this number.
    pub fn key_of_id(user_id: &str) -> String {
        format!("id:{user_id}")
    }

    /// Returns the key of a user who is known by a login only.
    pub fn key_of_login(login: &str) -> String {
        format!("login:{login}")
    }
}

impl LedgerNoun for PreferenceUser {
    const SHELF: Shelf = Shelf::named("preference_user");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.place
    }

    fn key(&self) -> String {
        match &self.user_id {
            Some(id) => Self::key_of_id(id),
            None => Self::key_of_login(self.login.as_deref().unwrap_or_default()),
        }
    }

    fn subject(&self) -> Option<String> {
        self.login.clone()
    }

    fn at(&self) -> Timestamp {
        self.created_at
    }
}
