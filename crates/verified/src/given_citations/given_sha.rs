//! The `sha` of a citation as callers give it.
//!
//! It is the commit at which they read the lines, or the object of the file, which
//! `memory_read_citation` returns under this name. The module compares no lines.

use loci_model::facts::code::ObjectId;
use loci_model::ports::code::{CodeResult, CodeSource};

use crate::verifier::Verifier;

/// The meaning of a citation's `sha`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GivenSha {
    /// The file at the revision of the call.
    Current,
    /// The file at another commit.
    Commit(ObjectId),
    /// A content of the file that differs from its content at the revision of the call. It may be
    /// the content of no file at all.
    Object(ObjectId),
}

/// Returns the meaning of a `sha` for a path; `None` for shortened digits that match no commit, or
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
    // This check comes first, because it spares the forge a request for a commit that does not
    // exist.
    if object.is_some() && verifier.blob_at(path) == object {
        return Ok(Some(GivenSha::Current));
    }
    let commit = source.resolve(sha)?.and_then(|revision| revision.commit());
    Ok(commit.map(GivenSha::Commit).or(object.map(GivenSha::Object)))
}
