//! Records of a repository that contradict each other and that no rule may decide: recorded,
//! listed, and decided by a person. Until then both stay: hydration halves the trust of each and
//! states it, or withholds both, as configured.
//!
//! `conflicts_list`, `conflict_resolve`: the verbs. `records::conflicts` records conflicts and
//! determines which are open.

mod conflict_resolve;
mod conflicts_list;

pub use conflict_resolve::{ConflictDecision, ConflictResolved};
pub use conflicts_list::ConflictShown;
