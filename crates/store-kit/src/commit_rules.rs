//! Commits in both stores: read from rows.

use loci_model::Result;
use loci_model::commit::TaskCommit;

use crate::codes::stored;
use crate::fields::Fields;

/// A commit: body.
///
/// # Errors
/// A bug, where the row is damaged.
pub fn commit(row: &impl Fields) -> Result<TaskCommit> {
    stored(serde_json::from_str(row.text(0)?), "commit")
}
