//! The commit with which a change is compared: where its branch parted from the named revision. What the
//! named revision gained since then is no part of the change.

use anyhow::Result;
use loci_api::verified::evidence::EvidenceRepository;
use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;
use loci_verified::Tip;

use super::{revision, unread};
use crate::exit::NotFound;
use crate::local_code::LocalCode;

/// The beginning of a change.
pub(super) struct ChangeStart {
    /// The merge base, under the name of the revision that was asked for.
    pub(super) tip: Tip,
    /// The commit of the named revision, where it is not the merge base itself.
    pub(super) parted_from: Option<ObjectId>,
}

/// Finds the merge base of the checked and the named revision.
pub(super) async fn find(
    code: &LocalCode,
    repository: &EvidenceRepository,
    rev: &Tip,
    named: Tip,
) -> Result<ChangeStart> {
    // The files of a working tree are younger than any commit, and one without a commit has no history.
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
