//! The commits of a push and their names: the default branch, and further named branches and tags.
//! Read in process, without the git program.

use anyhow::Result;
use loci_model::facts::code::ObjectId;
use loci_model::ports::code::{CodeResult, CodeSource};
use loci_verified::verifier::is_ref_name;

use crate::exit::{NotFound, Usage};
use crate::local_code::LocalCode;

/// A commit to push, with its branch or tag in the mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MirroredCommit {
    /// The full name of the ref, such as `refs/heads/main`.
    pub(super) name: String,
    /// The id of the commit.
    pub(super) commit: ObjectId,
}

/// Returns the commits to push, the default branch first.
pub(super) async fn chosen(code: &LocalCode, more: &[String]) -> Result<Vec<MirroredCommit>> {
    if let Some(bad) = more.iter().find(|name| !is_ref_name(name) || is_no_name(name)) {
        return Err(Usage(format!("--ref must be the name of a branch or a tag, not {bad}")).into());
    }
    let names = more.to_vec();
    let found = code.read(move |source| Ok((default(source)?, further(source, &names)?))).await;
    let unread = |error: loci_model::ports::code::CodeError| {
        anyhow::anyhow!("the clone cannot be read: {} ({})", error.detail, error.why.as_str())
    };
    let (first, further) = found.map_err(unread)?;
    let none = || {
        let rule = "nothing tells which branch of the clone is the default one: commit something, fetch, or say it: \
                    git remote set-head origin --auto";
        NotFound(rule.to_owned())
    };
    let mut all = vec![first.ok_or_else(none)?];
    for (name, sent) in more.iter().zip(further) {
        let sent = sent.ok_or_else(|| NotFound(format!("the clone has no branch and no tag {name}")))?;
        if !all.iter().any(|one| one.name == sent.name) {
            all.push(sent);
        }
    }
    Ok(all)
}

fn is_no_name(name: &str) -> bool {
    ["HEAD", "WORKTREE"].contains(&name) || name.starts_with("refs/")
}

fn default(source: &dyn CodeSource) -> CodeResult<Option<MirroredCommit>> {
    let found = source.default_branch()?;
    Ok(found.map(|(name, commit)| MirroredCommit {
        // A bare repository may be on no branch and still have a tip, which becomes the mirror's
        // main.
        name: format!("refs/heads/{}", if name == "HEAD" { "main" } else { &name }),
        commit,
    }))
}

fn further(source: &dyn CodeSource, names: &[String]) -> CodeResult<Vec<Option<MirroredCommit>>> {
    names.iter().map(|name| one(source, name)).collect()
}

fn one(source: &dyn CodeSource, name: &str) -> CodeResult<Option<MirroredCommit>> {
    let places = [
        (format!("refs/heads/{name}"), format!("refs/heads/{name}")),
        (format!("refs/remotes/origin/{name}"), format!("refs/heads/{name}")),
        (format!("refs/tags/{name}"), format!("refs/tags/{name}")),
    ];
    for (here, there) in places {
        if let Some(commit) = source.resolve(&here)?.and_then(|revision| revision.commit()) {
            return Ok(Some(MirroredCommit { name: there, commit }));
        }
    }
    Ok(None)
}
