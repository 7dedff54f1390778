//! Conflicts: records that contradict each other, of which no rule lets one win. They are noted
//! here and stand until a person decides.

mod noting;
mod open;

pub(crate) use noting::{note, note_anywhere};
pub(crate) use open::open_of;
