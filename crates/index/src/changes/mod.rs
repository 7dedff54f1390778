//! Changes of the index: added and removed records, replaced vectors, their effects, and
//! compaction.

mod apply;
mod attach;
pub(super) mod bulk;
mod compaction;
pub(super) mod link;
