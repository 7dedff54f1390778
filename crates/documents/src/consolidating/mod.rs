//! The upkeep of a tree without a model: it plans the removal of duplicates, contradictions,
//! misplaced and expired documents. It selects, drops and links text, and composes none. Equal
//! trees give equal plans, byte for byte. Pure. `consolidation::{plan, validator}` contain the
//! schema of plans and the rules that validate them, shared with extraction;
//! `consolidation::relate` decides if a statement contradicts another. Other modules read the tree,
//! apply the plan and ask a model.
//!
//! | part | content |
//! |---|---|
//! | `planner`, `working` | the passes in order, and the state between them |
//! | `contradicting`, `labels`, `negations` | the newer of facts that exclude each other |
//! | `duplicates`, `alike`, `particulars`, `normal` | documents with one meaning |
//! | `lines_twice` | a repeated line in one topic |
//! | `reorganizing` | the documents that are always loaded, within their budget |
//! | `topics` | facts of one topic in one file |
//! | `pruning` | expired and unused documents |
//! | `clusters` | a tree in parts for a model |
//! | `applied`, `report` | the tree afterwards, and the gain |
//! | `changelog` | a run as an entry that no content can forge |
//!
//! To add a pass: a file with a function over `Working`, its line in `planner`.

mod alike;
pub mod applied;
pub mod changelog;
pub mod clusters;
mod contradicting;
mod duplicates;
mod labels;
pub(crate) mod lines_twice;
pub(crate) mod negations;
pub(crate) mod normal;
pub(crate) mod particulars;
mod planner;
mod pruning;
mod reorganizing;
pub mod report;
pub mod settings;
mod topics;
mod working;

pub use planner::{About, Asked, LeftToModel, Planned, PlannedAction, Review, ReviewKind, judged, plan};
pub use settings::PlannerSettings;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
