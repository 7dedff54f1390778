//! The history of documents and trees: versions, differences, snapshots, and restoring of earlier
//! states.

pub(crate) mod diff;
pub(super) mod history;
mod line_diffs;
pub(super) mod restore;
mod snapshots;
pub(super) mod versions;
