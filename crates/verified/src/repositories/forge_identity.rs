//! The identity of a repository at its forge: its number, which neither a rename nor a transfer
//! changes, and its current name. Similar names prove nothing.

use loci_model::Result;
use loci_model::facts::repository::Repository;
use loci_model::ports::code::{CodePlace, CodeResult};
use loci_model::ports::store::ReadTx;

use crate::RepositoryName;
use crate::Verified;

/// A forge's answer, in terms of the repository registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForgeIdentity {
    /// The alias of its number.
    pub(super) number: String,
    pub(super) name: RepositoryName,
}

impl ForgeIdentity {
    /// Returns the place where the repository is read from now on.
    pub(super) fn place(&self) -> Option<CodePlace> {
        Some(CodePlace::Forge { host: self.name.host.clone()?, path: self.name.segments.join("/") })
    }
}

impl Verified {
    /// Asks the forge of a place; `None` for a place on this machine.
    pub(super) async fn told(&self, place: &CodePlace) -> CodeResult<Option<ForgeIdentity>> {
        let Some(code) = self.engine.code() else { return Ok(None) };
        let Some(found) = code.at_forge(place).await? else { return Ok(None) };
        Ok(RepositoryName::parse(&format!("{}/{}", found.host, found.path))
            .ok()
            .map(|name| ForgeIdentity { number: number_alias(&found.host, &found.id.to_string()), name }))
    }

    /// Returns the current answer of a repository's forge. If the forge does not answer, the next
    /// round asks again.
    pub(crate) async fn told_of(&self, repository: &Repository) -> Option<ForgeIdentity> {
        let place = repository.places.iter().find(|place| matches!(place, CodePlace::Forge { .. }))?;
        self.told(place).await.ok().flatten()
    }
}

/// Returns the alias of a forge's own number.
pub(super) fn number_alias(host: &str, number: &str) -> String {
    format!("id:{}:{number}", host.to_lowercase())
}

/// Adds the number and the name to a repository, and updates its place at the forge. Nothing is
/// added if the number or the name belongs to another repository; then a person decides.
pub(crate) fn learn(tx: &dyn ReadTx, repository: &mut Repository, told: &ForgeIdentity) -> Result<()> {
    for alias in [told.number.clone(), told.name.alias()] {
        let owners = tx.repositories().named(&repository.memory, &alias)?;
        if let Some(other) = owners.iter().find(|other| other.id != repository.id) {
            tracing::warn!(
                repository = repository.key,
                other = other.key,
                alias,
                "two repositories are one at their forge"
            );
            return Ok(());
        }
    }
    repository.aliases.extend([told.number.clone(), told.name.alias(), told.name.unqualified()]);
    let moved = repository.places.iter_mut().find(|place| matches!(place, CodePlace::Forge { .. }));
    if let (Some(place), Some(now)) = (moved, told.place()) {
        *place = now;
    }
    Ok(())
}
