//! Repositories that facts belong to.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to register a repository, or to add a name or a location to a known one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepositoryAdd {
    /// `owner/name` or `host/owner/name`. Default: the name from the remote `origin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Path of a clone, a bare repository or a working tree on the server's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Other names, or URLs of remotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Id of the repository at its forge: `<host>:<number>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge_id: Option<String>,
    /// True if the server can read the repository at its forge. Default: false.
    pub at_forge: bool,
    /// Name of a known repository that this one is identical to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// Repository that this one was forked from. The server stores it but does not read its facts
    /// yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Ref whose verifications change the state of facts. Default: the repository's own default
    /// branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_ref: Option<String>,
    /// Number of citations of a fact that must be valid. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
}

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Repository {
    /// Id of the repository.
    pub id: String,
    /// Scope key of the repository, `owner/name`.
    pub repo: String,
    /// All names of the repository.
    pub aliases: Vec<String>,
    /// Locations of the code: paths on the server's machine, addresses at forges.
    pub places: Vec<String>,
    /// Ref whose verifications change the state of facts, if it is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_ref: Option<String>,
    /// Commit of the last background verification of the facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_commit: Option<String>,
}

/// The result of registering a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryAdded {
    /// The repository after the change.
    pub repository: Repository,
    /// True if the repository was not known before.
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
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of repositories, by scope key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryList {
    /// The repositories.
    pub repositories: Vec<Repository>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A request for the mark of a repository's facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RepositoryMarkAsk {
    /// `owner/name` or `host/owner/name`.
    pub repo: String,
}

/// A mark that shows changes of a repository's facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryMark {
    /// Opaque text that changes when a fact is stored, confirmed or changes its state. It has no
    /// other meaning.
    pub mark: String,
}
