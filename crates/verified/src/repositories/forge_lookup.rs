//! Finds the repository of a forge's notification: by the forge's number, which neither a rename
//! nor a transfer changes, else by its name there.
//!
//! The number and the name in the notification are stored. Similar names prove nothing, and a name
//! that now belongs to another repository is not followed.

use loci_model::facts::repository::Repository;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::tasks::forge_notifications::NoticedRepository;
use loci_model::{MemoryId, Result, Timestamp};

use super::forge_identity::{ForgeIdentity, learn, number_alias};
use crate::RepositoryName;

/// Returns the repository. Returns `None` if none is registered, or if the one of that name has
/// another number there. `formerly` is its previous name.
pub fn noticed(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    told: &NoticedRepository,
    formerly: Option<&str>,
    now: Timestamp,
) -> Result<Option<Repository>> {
    let Ok(name) = RepositoryName::parse(&format!("{}/{}", told.host, told.path)) else { return Ok(None) };
    let number = number_alias(&told.host, &told.id.to_string());
    let Some(before) = known(tx, memory, (&number, &name), formerly)? else { return Ok(None) };
    let mut repository = before.clone();
    learn(tx, &mut repository, &ForgeIdentity { number, name })?;
    if repository != before {
        repository.updated_at = now;
        tx.repositories_mut().put(&repository)?;
    }
    Ok(Some(repository))
}

fn known(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    (number, name): (&str, &RepositoryName),
    formerly: Option<&str>,
) -> Result<Option<Repository>> {
    if let Some(found) = only(tx.repositories().named(memory, number)?) {
        return Ok(Some(found));
    }
    let host = name.host.as_deref().unwrap_or_default();
    let former = formerly.and_then(|path| RepositoryName::parse(&format!("{host}/{path}")).ok());
    let others = format!("id:{host}:");
    for name in std::iter::once(name).chain(former.as_ref()) {
        let mut found = tx.repositories().named(memory, &name.alias())?;
        if found.is_empty() {
            // It may have been registered without a host.
            found = tx.repositories().named(memory, &name.unqualified())?;
            found.retain(|one| !one.aliases.iter().any(|alias| has_host(alias)));
        }
        // A repository of that name with another number there is a different one.
        found.retain(|one| !one.aliases.iter().any(|alias| alias.starts_with(&others)));
        if let Some(found) = only(found) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn has_host(alias: &str) -> bool {
    RepositoryName::parse(alias).is_ok_and(|name| name.host.is_some())
}

fn only(mut found: Vec<Repository>) -> Option<Repository> {
    let one = found.pop();
    one.filter(|_| found.is_empty())
}
