//! Changes of the index: new and removed records, replaced vectors, their consequences, and
//! compaction.

mod apply;
mod attach;
pub(super) mod bulk;
mod compaction;
pub(super) mod link;
