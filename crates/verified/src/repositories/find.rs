//! Resolves the name of a repository, among those that the caller may see.

use loci_engine::access::{self, View};
use loci_model::facts::repository::Repository;
use loci_model::ports::store::ReadTx;
use loci_model::principal::{Capability, Principal};
use loci_model::{
    ActorId, CodeReason, Error, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, RepositoryId, Result,
};

use super::knowledge_namespace;
use crate::RepositoryName;

/// A repository that the caller may see, with the caller's view of the memory.
#[derive(Debug, Clone)]
pub(crate) struct VisibleRepository {
    /// The repository.
    pub(crate) repository: Repository,
    /// The namespace of its facts.
    pub(crate) namespace: Namespace,
    /// The view that limits the caller's reads or writes.
    pub(crate) view: View,
}

/// Returns true if a view reaches the namespace of a repository's facts. A grant on an actor
/// reaches only the repository with that actor as its key.
pub(super) fn is_visible(view: &View, repository: &Repository, namespace: &Namespace) -> bool {
    let actor = ActorId::parse(repository.key.as_str()).ok();
    view.reaches(&NamespaceFilter::new(namespace, NamespaceMatch::Exact), actor.as_ref())
}

/// Finds the repository of this name.
///
/// # Errors
/// `REPO_UNKNOWN` if there is none, or none whose facts the caller may see; `Conflict` if the name
/// fits several, with their qualified names.
pub(crate) fn find(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    name: &str,
    capability: Capability,
) -> Result<VisibleRepository> {
    let view = access::record_view(caller, memory, capability)?;
    let mut found = Vec::new();
    for repository in named(tx, memory, name)? {
        let namespace = knowledge_namespace(&repository)?;
        if is_visible(&view, &repository, &namespace) {
            found.push(VisibleRepository { repository, namespace, view: view.clone() });
        }
    }
    if found.len() > 1 {
        let names = found.iter().map(|one| qualified(&one.repository)).collect();
        let rule = "the name fits several repositories: write host/owner/name";
        return Err(Error::conflict(rule).on("repo").listing(names));
    }
    found.pop().ok_or_else(|| unknown(name))
}

/// Finds the repository of this name, without the namespace and the view.
///
/// # Errors
/// `REPO_UNKNOWN` if there is none, or none whose facts the caller may see; `Conflict` if the name
/// fits several, with their qualified names.
pub fn find_repository(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    name: &str,
    capability: Capability,
) -> Result<Repository> {
    find(tx, caller, memory, name, capability).map(|found| found.repository)
}

/// Returns true if a repository has this name, regardless of the caller's rights.
///
/// # Errors
/// `Invalid` for a malformed name.
pub fn is_named(tx: &dyn ReadTx, memory: &MemoryId, name: &str, repository: &RepositoryId) -> Result<bool> {
    Ok(named(tx, memory, name)?.iter().any(|one| one.id == *repository))
}

/// Returns the repository of this id, with the checks of [`find`].
pub(crate) fn of_id(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    id: &RepositoryId,
    capability: Capability,
) -> Result<Option<VisibleRepository>> {
    let view = access::record_view(caller, memory, capability)?;
    let Some(repository) = tx.repositories().get(memory, id)? else { return Ok(None) };
    let namespace = knowledge_namespace(&repository)?;
    let visible = is_visible(&view, &repository, &namespace);
    Ok(visible.then_some(VisibleRepository { repository, namespace, view }))
}

/// Returns all repositories of this name, regardless of the caller's rights. A name with a host
/// never matches one of another host.
pub(crate) fn named(tx: &dyn ReadTx, memory: &MemoryId, name: &str) -> Result<Vec<Repository>> {
    let parsed = RepositoryName::parse(name)?;
    let mut found = tx.repositories().named(memory, &parsed.alias())?;
    if found.is_empty() && parsed.host.is_some() {
        // A repository without a remote on any host may be registered as `some.word/name/part`.
        found = tx.repositories().named(memory, &parsed.key().to_lowercase())?;
        found.retain(|repository| !repository.aliases.iter().any(|alias| has_host(alias)));
    }
    Ok(found)
}

fn has_host(alias: &str) -> bool {
    RepositoryName::parse(alias).is_ok_and(|name| name.host.is_some())
}

/// Returns the name that fits this repository only.
pub(super) fn qualified(repository: &Repository) -> String {
    let with_host = repository.aliases.iter().find(|alias| has_host(alias));
    with_host.cloned().unwrap_or_else(|| repository.key.clone())
}

/// Returns the error about a name that no repository has.
pub(crate) fn unknown(name: &str) -> Error {
    let message = format!("no repository {name} is known here: register it with `loci repo add`");
    Error::code(CodeReason::RepositoryUnknown, message).on("repo")
}
