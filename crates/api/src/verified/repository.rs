//! Repositories whose facts are remembered.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A repository to register, or another name or place of one that is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepositoryAdd {
    /// `owner/name` or `host/owner/name`; absent: as its remote `origin` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A clone, a bare repository or a worktree on the server's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Other names, or URLs of remotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The forge's number for it: `<host>:<number>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge_id: Option<String>,
    /// It can be read at its forge.
    pub at_forge: bool,
    /// It is this repository, known already by another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// The repository it was forked from; kept, its facts are not read along yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The ref that changes states; absent: the repository's own default branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_ref: Option<String>,
    /// How many citations must be valid; absent: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
}

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Repository {
    /// Its identity.
    pub id: String,
    /// Its scope key, `owner/name`.
    pub repo: String,
    /// All names it goes by.
    pub aliases: Vec<String>,
    /// Where its code is read: paths of the server's machine, addresses at forges.
    pub places: Vec<String>,
    /// The ref that changes states, where one is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_ref: Option<String>,
    /// The commit at which its facts were last verified in the background.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_commit: Option<String>,
}

/// What registering did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryAdded {
    /// The repository as it is now.
    pub repository: Repository,
    /// It was not known before.
    pub created: bool,
    /// What to know.
    pub warnings: Vec<String>,
}

/// Which repositories.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepositoryListing {
    /// 1 to 100; absent: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Repositories, by key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryList {
    /// The repositories.
    pub repositories: Vec<Repository>,
    /// Where the next page starts; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Whose facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RepositoryMarkAsk {
    /// `owner/name`, or `host/owner/name`.
    pub repo: String,
}

/// How a repository's facts stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryMark {
    /// Another text where a fact was stored, confirmed, or came to stand elsewhere; it means nothing else.
    pub mark: String,
}
