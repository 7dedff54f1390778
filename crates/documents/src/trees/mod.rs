//! Trees: the paths of records in a namespace, their reconciliation with the records, their writes
//! and their listings.

mod catch_up;
pub(super) mod list;
pub(super) mod listing;
pub(crate) mod reconciliation;
pub(super) mod state_names;
pub(super) mod system_documents;
pub(crate) mod tree;
pub(super) mod tree_view;
pub(crate) mod tree_write;
