//! Arguments that several families share.

use serde_json::Value;

use super::schema::{hinted, pattern, said, text};

/// Returns the schema of a repository.
pub(super) fn repo() -> Value {
    let form = "^([A-Za-z0-9.-]+\\.[A-Za-z]{2,}(:[0-9]+)?/)?[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)+$";
    let mut repo = said(pattern(form), "'owner/name'; or this clone");
    if let Some(repo) = repo.as_object_mut() {
        repo.insert("minLength".to_owned(), 3.into());
        repo.insert("maxLength".to_owned(), 300.into());
    }
    repo
}

/// Returns the schema of a revision.
pub(super) fn revision() -> Value {
    let form = pattern("^[^-\\s~^:?*\\[\\\\][^\\s~^:?*\\[\\\\]*([~^][0-9]*)*$");
    let mut revision = said(form, "Branch, tag, commit, HEAD or WORKTREE; omitted: WORKTREE in a clone");
    if let Some(revision) = revision.as_object_mut() {
        revision.insert("maxLength".to_owned(), 250.into());
    }
    revision
}

/// Returns the schema of a record.
pub(super) fn record_id() -> Value {
    hinted(pattern("^(mem-)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"), "the id of a record")
}

/// Returns the schema of a path in a repository.
pub(super) fn path() -> Value {
    said(text(1, 1024), "Path from the repository root, '/'-separated")
}
