//! What a forge says of who a repository is: its number, which neither a rename nor a transfer
//! changes, and its name now. Nothing is concluded from similar names.

use loci_model::Result;
use loci_model::facts::repository::Repository;
use loci_model::ports::code::{CodePlace, CodeResult};
use loci_model::ports::store::ReadTx;

use crate::RepositoryName;
use crate::Verified;

/// A forge's answer, in the words of our registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// The alias of its number.
    pub(super) number: String,
    pub(super) name: RepositoryName,
}

impl Told {
    /// Where it is read from now on.
    pub(super) fn place(&self) -> Option<CodePlace> {
        Some(CodePlace::Forge { host: self.name.host.clone()?, path: self.name.segments.join("/") })
    }
}

impl Verified {
    /// Asks the forge of a place; `None` for a place on this machine.
    pub(super) async fn told(&self, place: &CodePlace) -> CodeResult<Option<Told>> {
        let Some(code) = self.engine.code() else { return Ok(None) };
        let Some(found) = code.at_forge(place).await? else { return Ok(None) };
        Ok(RepositoryName::parse(&format!("{}/{}", found.host, found.path))
            .ok()
            .map(|name| Told { number: number_alias(&found.host, &found.id.to_string()), name }))
    }

    /// What the forge of a repository says now. Where it cannot be asked the next round does.
    pub(crate) async fn told_of(&self, repository: &Repository) -> Option<Told> {
        let place = repository.places.iter().find(|place| matches!(place, CodePlace::Forge { .. }))?;
        self.told(place).await.ok().flatten()
    }
}

/// The alias of a forge's own number.
pub(super) fn number_alias(host: &str, number: &str) -> String {
    format!("id:{}:{number}", host.to_lowercase())
}

/// Adds the number and the name to a repository, and reads it where it is now. Nothing is added where the number or the
/// name belongs to another one: a person decides.
pub(crate) fn learn(tx: &dyn ReadTx, repository: &mut Repository, told: &Told) -> Result<()> {
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
