//! Consolidation of a tree in runs. A run makes a plan for a state of the tree and stores it. A
//! person may look at the plan, and it is applied in one write, or not at all.
//! [`consolidation`](super::consolidation) and the model make plans; nothing here judges a
//! document.
//!
//! | folder | content |
//! |---|---|
//! | `run`, `run_request` | a stored run; the request and its limits |
//! | `plan_input` | a tree as input of a plan, with the version of each document |
//! | `rule_plan`, `model_plan` | plans by rules; then by a model, in a job |
//! | `runs` | the operations: start, apply, replan, revert, list, differences |
//! | `changelog` | `consolidation/changelog.md`, rendered from runs |
//! | `settings`, `schedule` | thresholds, and the schedule of automatic runs |
//! | [`directory`] | the upkeep of a directory of files, without a store |
//! | `quote_erasure` | removal of a document's quotations from runs |
//!
//! Planning locks nothing: before the plan is applied, the documents that it read are compared with
//! their current versions.

mod changelog;
pub mod directory;
mod document_builder;
mod model_plan;
mod plan_input;
pub(crate) mod quote_erasure;
mod rule_plan;
mod run;
mod run_request;
mod runs;
mod schedule;
mod settings;

pub use changelog::CHANGELOG;
pub(super) use changelog::Changelog;
pub(crate) use model_plan::planning_job::PlanningRunState;
pub use run::{ConsolidationRun, DocumentReadState, RunAction, RunChange, RunReview};
pub use run_request::{ConsolidationAsk, PlannerChoice, RunLimits, RunScope};
pub use runs::list::ConsolidationListing;
pub use runs::revert::Reverted;
pub(super) use runs::run_ledger::counted_since;
pub use settings::{AutoApply, UpkeepSettings};
