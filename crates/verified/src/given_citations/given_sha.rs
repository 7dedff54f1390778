//! The `sha` of a citation as callers give it: the commit at which they read the lines, or the
//! object of the file, which `memory_read_citation` returns under the same name. It compares no
//! lines.

use loci_model::facts::code::ObjectId;
use loci_model::ports::code::{CodeResult, CodeSource};

use crate::verifier::Verifier;

/// The meaning of a citation's `sha`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GivenSha {
    /// The file as it lies at the revision of the call.
    Current,
    /// The file at another commit.
    Commit(ObjectId),
    /// Some content of the file, which is not its content at the revision of the call; perhaps of
    /// no file at all.
    Object(ObjectId),
}

/// Returns the meaning of a `sha` for a path; `None` for shortened digits that fit no commit, or
/// several.
///
/// # Errors
/// Errors if commits cannot be looked up.
pub(crate) fn given_sha(
    source: &dyn CodeSource,
    verifier: &Verifier<'_>,
    path: &str,
    sha: &str,
) -> CodeResult<Option<GivenSha>> {
    let object = ObjectId::parse(sha);
    // Asked first: a forge need not be asked for a commit that is none.
    if object.is_some() && verifier.blob_at(path) == object {
        return Ok(Some(GivenSha::Current));
    }
    let commit = source.resolve(sha)?.and_then(|revision| revision.commit());
    Ok(commit.map(GivenSha::Commit).or(object.map(GivenSha::Object)))
}
