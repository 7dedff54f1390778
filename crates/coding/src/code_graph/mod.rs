//! The graph of a repository's files: changes that they have in common, and imports.

pub(super) mod co_change;
pub(super) mod dependencies;
