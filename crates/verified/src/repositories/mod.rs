//! Repositories: one identity with many names, and the places of the code of each.
//!
//! A repository is found by the names of its remotes, by the place of a known clone, or by its
//! forge's number, never by a similar name. Two clones with common root commits may be one
//! repository or a fork; a person decides.

mod add;
pub(super) mod code_access;
pub(super) mod default_tip;
mod directory;
mod find;
mod forge_identity;
mod forge_lookup;
mod forge_number;
mod identity;
mod list;
pub(super) mod repository_name;
mod unknown_default_branch;

use loci_model::Namespace;
use loci_model::Result;
use loci_model::facts::repository::Repository;

pub use add::name_of;
pub(crate) use find::{VisibleRepository, find, named, of_id, unknown};
pub use find::{find_repository, is_named};
pub(crate) use forge_identity::{ForgeIdentity, learn};
pub use forge_lookup::noticed;
pub use forge_number::host_of;
pub use forge_number::{NumberRelation, numbered, of_number};

/// The result of a registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryAdded {
    /// The repository after the call.
    pub repository: Repository,
    /// True if the repository was new.
    pub created: bool,
    /// Warnings: another repository that may be the same, names that others have too, an unknown
    /// default branch.
    pub warnings: Vec<String>,
}

/// Returns the namespace of a repository's facts.
pub fn knowledge_namespace(repository: &Repository) -> Result<Namespace> {
    Namespace::parse(format!("/{}/knowledge/", repository.key))
}
