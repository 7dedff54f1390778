//! The repository of a new task: by its name, and by the number that its forge knows it by. A
//! number holds where names change; one that is another repository's is a mistake, and one that
//! nobody knows is said.

use loci_api::coding::task::TaskCreate;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::ReadTx;
use loci_model::principal::{Capability, Principal};
use loci_model::{CodeReason, Error, MemoryId, Reason, Result};
use loci_verified::{Numbered, find_repository, numbered, of_number};

/// The repository of a task, `None` where it is on none, and what to know of that.
///
/// # Errors
/// `REPO_UNKNOWN`; `Conflict` where the number is not the named repository's; `Denied`.
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
        Numbered::Own => Ok((Some(found), Vec::new())),
        Numbered::Unknown => {
            let warning = format!(
                "FORGE_ID_UNCHECKED: it is not known here which number {name} has at its forge: register it \
                 with forge_id, and the number is checked"
            );
            Ok((Some(found), vec![warning]))
        }
        Numbered::Another => {
            let rule =
                format!("{number} is not the number of {name} at its forge: send the one it has, or none");
            Err(Error::conflict(rule).on("forge_repo_id"))
        }
    }
}
