//! The upkeep of a tree as runs: what is to be put in order is planned on a state of the tree and
//! kept, looked at by whoever wants to, and done in one write, or not at all. What a plan says is
//! [`consolidating`](super::consolidating)'s matter and the model's; nothing here judges a
//! document.
//!
//! | folder | idea |
//! |---|---|
//! | `run`, `run_request` | a run, as it is kept; what is asked for, and its limits |
//! | `tree_reading` | a tree as a plan reads it, with what each document was |
//! | `rule_plan`, `model_plan` | a plan on that, by rules; behind these by a model, by a job |
//! | `runs` | the verbs: start, apply, replan, revert, list, differences |
//! | `changelog` | `consolidation/changelog.md`, out of runs |
//! | `settings`, `schedule` | thresholds, and when runs begin by themselves |
//! | [`directory`] | the same on files of a directory, without a store |
//! | `quote_erasure` | what a run quotes goes with the document |
//!
//! Nothing is locked while a plan is made: what was read is compared when it is done.

mod changelog;
pub mod directory;
mod model_plan;
pub(crate) mod quote_erasure;
mod rule_plan;
mod run;
mod run_request;
mod runs;
mod schedule;
mod settings;
mod tree_reading;
mod wording;

pub use changelog::CHANGELOG;
pub(super) use changelog::Changelog;
pub(crate) use model_plan::planning_job::Modelled;
pub use run::{ConsolidationRun, RunAction, RunChange, RunReview, Seen};
pub use run_request::{ConsolidationAsk, PlannerChoice, RunLimits, RunScope};
pub use runs::list::ConsolidationListing;
pub use runs::revert::Reverted;
pub(super) use runs::run_ledger::counted_since;
pub use settings::{AutoApply, UpkeepSettings};
