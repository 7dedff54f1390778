//! Conflicts: records that contradict each other, where no rule decides which one is right. They
//! stay open until a person decides.

mod conflict_write;
mod open_conflicts;

pub use conflict_write::{actor_of, note, note_anywhere};
pub use open_conflicts::{count_open_of, open_of};
