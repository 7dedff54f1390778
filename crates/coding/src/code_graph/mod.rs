//! The graph of a repository's files: common changes, and imports.

pub(super) mod co_change;
pub(super) mod dependencies;
