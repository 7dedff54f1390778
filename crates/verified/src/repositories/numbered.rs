//! Which repository a forge's number means, and whether it is that of a repository that was named.
//! Nothing is learned here: a number is learned when a repository is registered, or from its forge.

use loci_model::facts::repository::Repository;
use loci_model::ports::store::ReadTx;
use loci_model::principal::{Capability, Principal};
use loci_model::{MemoryId, Result};

use super::at_forge::number_alias;
use super::find::of_id;

/// Forges that are at one host.
const HOSTS: &[(&str, &str)] =
    &[("github", "github.com"), ("gitlab", "gitlab.com"), ("bitbucket", "bitbucket.org")];
/// How the alias of a number begins.
const NUMBER: &str = "id:";

/// What is known of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbered {
    /// It is the repository's.
    Own,
    /// It is not: the repository has another one there, or another repository has it.
    Another,
    /// Nobody said which number the repository has.
    Unknown,
}

/// Whether a number, at that forge where one is named, is the repository's.
pub fn numbered(
    tx: &dyn ReadTx,
    repository: &Repository,
    forge: Option<&str>,
    number: u64,
) -> Result<Numbered> {
    let mut numbers = repository.aliases.iter().filter_map(|alias| host_and_number(alias));
    let here = |host: &str| host_of(forge).is_none_or(|wanted| wanted == host);
    let known: Vec<(&str, &str)> = numbers.by_ref().filter(|(host, _)| here(host)).collect();
    let asked = number.to_string();
    if known.iter().any(|(_, own)| *own == asked) {
        return Ok(Numbered::Own);
    }
    if !known.is_empty() {
        return Ok(Numbered::Another);
    }
    let of = |host: &str| tx.repositories().named(&repository.memory, &number_alias(host, &asked));
    let others = host_of(forge).map(of).transpose()?.unwrap_or_default();
    Ok(if others.is_empty() { Numbered::Unknown } else { Numbered::Another })
}

/// The one repository of a number at a forge, where the caller may see it.
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

/// Where a forge is: a word for one that is at one host, else a host.
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
