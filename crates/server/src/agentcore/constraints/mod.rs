//! The constraints on each member of a request, as one table, and the walk that compares a request
//! with it.
//!
//! Shapes are data (`scalars`, `memory_shapes`, `event_shapes`, `record_shapes`, `inputs`). `walk`
//! applies them to the JSON as received. `refusal` words the error. The engine checks rules that
//! depend on the state of a memory. No error quotes the value of a member.

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
