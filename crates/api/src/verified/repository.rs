//! Repositories that facts belong to.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to register a repository, or to add a name or a location to a known one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepositoryAdd {
    /// Name of the repository: `owner/name` or `host/owner/name`. Default: the name from the remote
    /// `origin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Path of a clone, a bare repository or a worktree on the server's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Other names of the repository, or URLs of its remotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Id of the repository at its forge: `<host>:<number>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge_id: Option<String>,
    /// True if the server can read the repository at its forge. Default: false.
    pub at_forge: bool,
    /// Name of a known repository that is the same as this one. The new name becomes another name
    /// of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// Name of the repository that this one was forked from. The server stores the name but does
    /// not read the facts of that repository yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Git ref, such as a branch, whose verifications change the state of facts. Default: the
    /// default branch of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_ref: Option<String>,
    /// Number of citations of a fact that must be valid for the fact to be served. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
}

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Repository {
    /// Id of the repository.
    pub id: String,
    /// Name of the repository under which its facts are stored, `owner/name`.
    pub repo: String,
    /// All names of the repository.
    pub aliases: Vec<String>,
    /// Locations of the code: paths on the server's machine, addresses at forges.
    pub places: Vec<String>,
    /// Git ref whose verifications change the state of facts; absent if it is the default branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_ref: Option<String>,
    /// Id of the commit at which a background job last verified the facts; absent if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_commit: Option<String>,
}

/// The result of registering a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryAdded {
    /// The repository after the change.
    pub repository: Repository,
    /// True if the request registered the repository, false if it was known before.
    pub created: bool,
    /// Warnings about the registration.
    pub warnings: Vec<String>,
}

/// A request to list repositories.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepositoryListing {
    /// Maximum number of repositories per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of repositories, sorted by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryList {
    /// The repositories on this page.
    pub repositories: Vec<Repository>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A request for a mark with which a client detects changes of a repository's facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RepositoryMarkAsk {
    /// Name of the repository: `owner/name` or `host/owner/name`.
    pub repo: String,
}

/// A mark with which a client detects changes of a repository's facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryMark {
    /// Opaque text that changes when a fact of the repository is stored, is confirmed or changes
    /// its state. Clients only compare it with an earlier one.
    pub mark: String,
}
