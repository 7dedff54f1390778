//! Records of a repository that contradict each other, of which no rule may let one win (coding-agent-memory.md §16): noted, listed, and
//! decided by a person. Until then both stand: hydration trusts each half, says so, or withholds both, as configured.
//!
//! `noting`: what consolidation leaves here; `standing`: which are open and still two; `conflicts_list`, `conflict_resolve`: the verbs.

mod conflict_resolve;
mod conflicts_list;
mod noting;
mod standing;

pub use conflict_resolve::{ConflictDecision, ConflictResolved};
pub use conflicts_list::{ConflictListing, ConflictShown};
pub(crate) use noting::{note, note_anywhere};
pub(crate) use standing::open_of;
