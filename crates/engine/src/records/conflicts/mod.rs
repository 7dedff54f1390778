//! Conflicts: contradicting records of which no rule selects one. They are recorded here and stay
//! open until a person decides.

mod noting;
mod open;

pub use noting::{actor_of, note, note_anywhere};
pub use open::open_of;
