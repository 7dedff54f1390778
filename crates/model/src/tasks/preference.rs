//! What people want of the agents that work for them: the words of preferences, and whose they are.
//! A preference itself is a record; which one counts, and who sees it, is the engine's matter.

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, Timestamp};

closed_words! {
    /// What a preference is about: of one dimension and scope, one is in force.
    PreferenceDimension {
        /// How large a pull request is, and what belongs into one.
        PrSize = "pr_size",
        /// Commits and their messages.
        CommitStyle = "commit_style",
        /// What is tested, and how.
        TestCoverage = "test_coverage",
        /// What is written beside code.
        Documentation = "documentation",
        /// What code of others is used.
        Libraries = "libraries",
        /// How code is written.
        Patterns = "patterns",
        /// How an agent talks.
        Communication = "communication",
        /// Everything else.
        Other = "other",
    }
}

closed_words! {
    /// Where a preference comes from.
    PreferenceOrigin {
        /// Somebody said it.
        Explicit = "explicit",
        /// What was said of their work several times says it.
        Implicit = "implicit",
    }
}

/// Somebody for whom tasks are done. Logins are changed, and taken by others: who has a number is who has that number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreferenceUser {
    /// The memory.
    pub memory: MemoryId,
    /// The name of their preferences' place: the login in lower case; another, where somebody else has that login by now.
    pub place: ActorId,
    /// The login in lower case; none where somebody else has it by now, and no new one was told.
    #[serde(default)]
    pub login: Option<String>,
    /// The forge's number, where it was told by somebody who may give it to the login.
    #[serde(default)]
    pub user_id: Option<String>,
    /// A number that somebody gave with the login and could not prove: it keeps tasks of other
    /// numbers out, and names nobody. None where `user_id` is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_id: Option<String>,
    /// Logins that they had before, the newest first.
    #[serde(default)]
    pub former_logins: Vec<String>,
    /// They want nothing to be concluded from what is said of their work.
    #[serde(default)]
    pub opted_out: bool,
    /// Conclusions that they took back, by digest: none of them is drawn again.
    #[serde(default)]
    pub declined: Vec<String>,
    /// When they were first seen.
    pub created_at: Timestamp,
    /// When this was last changed.
    pub updated_at: Timestamp,
}

impl PreferenceUser {
    /// The name on the shelf of whoever has that number.
    pub fn key_of_id(user_id: &str) -> String {
        format!("id:{user_id}")
    }

    /// The name on the shelf of whoever is known by a login alone.
    pub fn key_of_login(login: &str) -> String {
        format!("login:{login}")
    }
}

impl Shelved for PreferenceUser {
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
