//! The commit to compare a change with: the merge base of its branch and the named revision. Later
//! commits of the named revision are not part of the change.

use anyhow::Result;
use loci_api::verified::evidence::EvidenceRepository;
use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;
use loci_verified::Tip;

use super::{revision, unread};
use crate::exit::NotFound;
use crate::local_code::LocalCode;

/// The commit from which a change starts, for comparison.
pub(super) struct ChangeStart {
    /// The merge base, under the name of the requested revision.
    pub(super) tip: Tip,
    /// The commit of the named revision, if it is not the merge base itself.
    pub(super) parted_from: Option<ObjectId>,
}

/// Returns the merge base of the checked and the named revision.
pub(super) async fn find(
    code: &LocalCode,
    repository: &EvidenceRepository,
    rev: &Tip,
    named: Tip,
) -> Result<ChangeStart> {
    // The files of a working tree are newer than any commit, and a tree without a commit has no
    // history.
    let (false, Some(target), Some(head)) = (named.revision.is_dirty(), named.commit(), rev.commit()) else {
        return Ok(ChangeStart { tip: named, parted_from: None });
    };
    let names = format!("{} and {}", rev.reference, named.reference);
    let base = match code.read(move |source| source.merge_base(&head, &target)).await {
        Ok(base) => base,
        Err(error) if error.why == Unverifiable::PartialClone => {
            let what = format!("the merge base of {names} is not in this clone: {}", error.detail);
            let remedy = "fetch more of the history (git fetch --unshallow, or --deepen=N; in a workflow \
                          fetch-depth: 0), or name by --since a commit that REV descends from";
            return Err(NotFound(format!("{what}; {remedy}")).into());
        }
        Err(error) => return Err(unread(&error)),
    };
    let unrelated = || {
        let remedy = "name by --since a revision of the same history";
        NotFound(format!(
            "{names} have no commit in common, so nothing tells where the change begins: {remedy}"
        ))
    };
    let base = base.ok_or_else(unrelated)?;
    if base == target {
        return Ok(ChangeStart { tip: named, parted_from: None });
    }
    let at_base = revision(code, repository, &base.to_string()).await?;
    let tip = Tip { reference: named.reference, ..at_base };
    Ok(ChangeStart { tip, parted_from: Some(target) })
}
