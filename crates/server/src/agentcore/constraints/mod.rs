//! What each member of a request must look like, as one table, and the walk that compares a request with it.
//!
//! Shapes are data (`scalars`, `memory_shapes`, `event_shapes`, `record_shapes`, `inputs`); `walk` interprets them over
//! the JSON as it arrived; `refusal` words the answer. Rules that need the state of a memory are the engine's. No value
//! of a member is ever quoted.

mod event_shapes;
mod inputs;
mod memory_shapes;
mod record_shapes;
mod refusal;
mod scalars;
mod shape;
mod walk;

pub use inputs::check;
pub use refusal::{FieldRefusal, Reason, Refusal};

#[cfg(test)]
mod tests;
