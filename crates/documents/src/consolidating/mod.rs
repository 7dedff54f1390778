//! The upkeep of a tree without a model: what may be said to be twice, contradicted, out of place
//! or past its time, as a plan. It chooses, drops and links text, and composes none; the same tree
//! gives the same plan, byte for byte. Pure. The schema of plans and the rules that judge them are
//! `consolidation::{plan, validator}`, shared with extraction; whether a statement contradicts
//! another is decided by `consolidation::relate`. Reading a tree, applying a plan and asking a
//! model are verbs.
//! | part | idea |
//! |---|---|
//! | `planner`, `working` | the passes in their order, and what each leaves for the next |
//! | `contradicting`, `labels`, `negations` | of what holds only once, the newer |
//! | `duplicates`, `alike`, `particulars`, `normal` | documents that say the same |
//! | `lines_twice` | a line that stands twice in one topic |
//! | `reorganizing` | what is always loaded, within its budget |
//! | `topics` | facts of one topic in one file |
//! | `pruning` | what is past its time, or was never used |
//! | `clusters` | a tree in parts that a model can be shown |
//! | `applied`, `report` | the tree afterwards, and what it gains |
//! | `changelog` | a run as an entry that nothing in it can forge |
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
