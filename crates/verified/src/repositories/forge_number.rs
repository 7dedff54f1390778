//! Resolves a forge's number to a repository, and compares it with a named repository. Nothing is
//! stored here; the registration or the forge adds a number.

use loci_model::facts::repository::Repository;
use loci_model::ports::store::ReadTx;
use loci_model::principal::{Capability, Principal};
use loci_model::{MemoryId, Result};

use super::find::of_id;
use super::forge_identity::number_alias;

/// Forges with a single host.
const HOSTS: &[(&str, &str)] =
    &[("github", "github.com"), ("gitlab", "gitlab.com"), ("bitbucket", "bitbucket.org")];
/// The prefix of the alias of a number.
const NUMBER: &str = "id:";

/// The relation of a number to a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberRelation {
    /// The number is the repository's.
    Own,
    /// The number is not the repository's: it has another one there, or another repository has this
    /// one.
    Another,
    /// The repository's number is unknown.
    Unknown,
}

/// Compares a number, at the named forge if there is one, with that of the repository.
pub fn numbered(
    tx: &dyn ReadTx,
    repository: &Repository,
    forge: Option<&str>,
    number: u64,
) -> Result<NumberRelation> {
    let mut numbers = repository.aliases.iter().filter_map(|alias| host_and_number(alias));
    let here = |host: &str| host_of(forge).is_none_or(|wanted| wanted == host);
    let known: Vec<(&str, &str)> = numbers.by_ref().filter(|(host, _)| here(host)).collect();
    let asked = number.to_string();
    if known.iter().any(|(_, own)| *own == asked) {
        return Ok(NumberRelation::Own);
    }
    if !known.is_empty() {
        return Ok(NumberRelation::Another);
    }
    let of = |host: &str| tx.repositories().named(&repository.memory, &number_alias(host, &asked));
    let others = host_of(forge).map(of).transpose()?.unwrap_or_default();
    Ok(if others.is_empty() { NumberRelation::Unknown } else { NumberRelation::Another })
}

/// Returns the only repository of a number at a forge, if the caller may see it.
pub fn of_number(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    (forge, number): (Option<&str>, u64),
    capability: Capability,
) -> Result<Option<Repository>> {
    let Some(host) = host_of(forge) else { return Ok(None) };
    let found = tx.repositories().named(memory, &number_alias(host, &number.to_string()))?;
    let [one] = found.as_slice() else { return Ok(None) };
    Ok(of_id(tx, caller, memory, &one.id, capability)?.map(|found| found.repository))
}

/// Returns the host of a forge, from the name of one with a single host, or from a host.
pub fn host_of(forge: Option<&str>) -> Option<&str> {
    let forge = forge?;
    let known = HOSTS.iter().find(|(name, _)| *name == forge).map(|(_, host)| *host);
    known.or_else(|| forge.contains('.').then_some(forge))
}

fn host_and_number(alias: &str) -> Option<(&str, &str)> {
    alias.strip_prefix(NUMBER)?.rsplit_once(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_forges_are() {
        let check =
            |forge: Option<&str>, expect: Option<&str>| assert_eq!(host_of(forge), expect, "{forge:?}");
        check(Some("github"), Some("github.com"));
        check(Some("git.example"), Some("git.example"));
        check(Some("gitea"), None);
        check(None, None);
        assert_eq!(host_and_number("id:git.example:8443:12"), Some(("git.example:8443", "12")));
        assert_eq!(host_and_number("acme/shop"), None);
    }
}
