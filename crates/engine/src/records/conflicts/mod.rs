//! Conflicts: records that contradict each other, of which no rule lets one win. They are noted
//! here and stand until a person decides.

mod noting;
mod open;

pub use noting::{note, note_anywhere};
pub use open::open_of;
