//! Changes of the index: records that are new or gone, exchanged vectors, what follows from both,
//! compaction.

mod apply;
mod attach;
pub(super) mod bulk;
mod compaction;
pub(super) mod link;
