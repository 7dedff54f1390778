//! Repositories: one identity under many names, and where the code of each can be read.
//!
//! A repository is found by the names of its remotes, by the place of a clone that is known, or by its forge's number; never
//! by a similar name. That two clones share their first commits makes them neither the same nor different (forks do): a
//! person says so.

mod add;
mod at_forge;
pub(super) mod code_access;
pub(super) mod default_tip;
mod default_untold;
mod directory;
mod find;
mod identity;
mod list;
mod noticed;
mod numbered;
pub(super) mod repository_name;

use loci_model::Namespace;
use loci_model::Result;
use loci_model::facts::repository::Repository;

pub use add::name_of;
pub(crate) use at_forge::{Told, learn};
pub(crate) use find::{Found, find, named, of_id};
pub use find::{find_repository, is_named};
pub use noticed::noticed;
pub use numbered::host_of;
pub use numbered::{Numbered, numbered, of_number};

/// What registering did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryAdded {
    /// The repository as it is now.
    pub repository: Repository,
    /// It was not known before.
    pub created: bool,
    /// What to know: another repository that may be the same, names that others have too, a default branch that nothing tells.
    pub warnings: Vec<String>,
}

/// The namespace of a repository's facts.
pub fn knowledge_namespace(repository: &Repository) -> Result<Namespace> {
    Namespace::parse(format!("/{}/knowledge/", repository.key))
}
