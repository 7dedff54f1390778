//! Consolidation of a tree without a model. It plans actions for duplicate, contradictory,
//! misplaced and expired documents. It selects, drops and links texts, and writes none. Equal trees
//! give equal plans, byte for byte. Pure. `consolidation::{plan, validator}` contain the schema of
//! plans and the rules that validate them. `consolidation::relate` decides if one statement
//! contradicts another. Other modules read the tree, apply the plan and ask a model.
//!
//! | part | content |
//! |---|---|
//! | `planner`, `planning_state` | the passes in order, and the state between them |
//! | `contradictions`, `labels`, `negations` | the newer of facts that exclude each other |
//! | `duplicates`, `similarity`, `literal_tokens`, `normal_form` | documents with one meaning |
//! | `duplicate_lines` | a repeated line in one topic |
//! | `reorganize` | the documents that are always loaded, within their budget |
//! | `topics` | facts of one topic in one file |
//! | `prune` | expired and unused documents |
//! | `clusters` | a tree in parts for a model |
//! | `plan_preview`, `report` | the tree afterwards, and the gain |
//! | `changelog` | a run as an entry that no content can forge |
//!
//! To add a pass: a file with a function over `PlanningState`, its line in `planner`.

pub mod changelog;
pub mod clusters;
mod contradictions;
pub(crate) mod duplicate_lines;
mod duplicates;
mod labels;
pub(crate) mod literal_tokens;
pub(crate) mod negations;
pub(crate) mod normal_form;
pub mod plan_preview;
mod planner;
mod planning_state;
mod prune;
mod reorganize;
pub mod report;
pub mod settings;
mod similarity;
mod topics;

pub use planner::{
    About, ModelWork, PlanRequest, PlanResult, PlannedAction, Review, ReviewKind, judged, plan,
};
pub use settings::PlannerSettings;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
