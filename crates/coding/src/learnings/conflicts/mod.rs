//! Records of a repository that contradict each other, of which no rule may let one win: noted,
//! listed, and decided by a person. Until then both stand: hydration trusts each half, says so, or
//! withholds both, as configured.
//!
//! `conflicts_list`, `conflict_resolve`: the verbs. Noting them, and which are open:
//! `records::conflicts`.

mod conflict_resolve;
mod conflicts_list;

pub use conflict_resolve::{ConflictDecision, ConflictResolved};
pub use conflicts_list::ConflictShown;
