//! Rendering what is remembered for a model to read: a fence around data, a budget in tokens, a receipt of what was left
//! out. Pure: the same entries, budget and seed give the same bytes.
//!
//! What is shown went through [`crate::safety::for_model`] here, whatever it went through before. Which records are
//! worth showing is the caller's matter: facts (`verified/serving/prompt_block`), hydration
//! (`coding/hydration`).

mod budget;
mod entry;
mod fence;
pub mod line_marks;
mod receipt;

pub use budget::{Budget, COUNT, Group, Heading, Oversize, fill, fill_under};
pub use entry::{Entry, Screened};
pub use fence::{Frame, PREFIX, contained, fence};
pub use receipt::{DropReason, Dropped, Filled, Shown};
