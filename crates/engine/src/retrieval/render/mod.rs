//! Renders memories for a model: a fence around data, a token budget, a receipt of omitted entries.
//! Pure: the same entries, budget and seed give the same bytes.
//!
//! Every text passes [`crate::safety::for_model`] here, independent of earlier checks. The callers
//! select the records: facts (`verified/serving_policy/prompt_block`), hydration
//! (`coding/hydration`).

mod budget;
mod entry;
mod fence;
pub mod line_marks;
mod receipt;

pub use budget::{Budget, COUNT, Group, Heading, Oversize, fill, fill_under};
pub use entry::{RenderedEntry, ScreenedEntry};
pub use fence::{Frame, PREFIX, contained, fence};
pub use receipt::{DropReason, Dropped, Filled, ReceiptEntry};
