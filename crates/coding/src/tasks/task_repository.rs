//! The repository of a new task: by its name, and by its forge's number. The number is valid across
//! renames. The number of another repository is an error, and an unknown number is a warning.

use loci_api::coding::task::TaskCreate;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::ReadTx;
use loci_model::principal::{Capability, Principal};
use loci_model::{CodeReason, Error, MemoryId, Reason, Result};
use loci_verified::{NumberRelation, find_repository, numbered, of_number};

/// Returns the repository of a task, `None` if it has none, and warnings.
///
/// # Errors
/// `REPO_UNKNOWN`; `Conflict` if the number does not belong to the named repository; `Denied`.
pub(super) fn repository(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    new: &TaskCreate,
) -> Result<(Option<Repository>, Vec<String>)> {
    let Some(name) = &new.repo else { return Ok((None, Vec::new())) };
    let forge = new.forge.as_deref();
    let named = find_repository(tx, caller, memory, name, Capability::Write);
    let Some(number) = new.forge_repo_id else { return named.map(|found| (Some(found), Vec::new())) };
    let found = match named {
        Ok(found) => found,
        Err(error) if error.reason == Some(Reason::Code(CodeReason::RepositoryUnknown)) => {
            let by_number = of_number(tx, caller, memory, (forge, number), Capability::Write)?;
            let Some(found) = by_number else { return Err(error) };
            let warning = format!(
                "REPO_RENAMED: {name} is not known here; by its number it is {}: register the new name",
                found.key
            );
            return Ok((Some(found), vec![warning]));
        }
        Err(error) => return Err(error),
    };
    match numbered(tx, &found, forge, number)? {
        NumberRelation::Own => Ok((Some(found), Vec::new())),
        NumberRelation::Unknown => {
            let warning = format!(
                "FORGE_ID_UNCHECKED: it is not known here which number {name} has at its forge: register it \
                 with forge_id, and the number is checked"
            );
            Ok((Some(found), vec![warning]))
        }
        NumberRelation::Another => {
            let rule =
                format!("{number} is not the number of {name} at its forge: send the one it has, or none");
            Err(Error::conflict(rule).on("forge_repo_id"))
        }
    }
}
