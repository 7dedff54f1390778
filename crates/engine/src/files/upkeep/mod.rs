//! The upkeep of a tree as runs (files-and-git.md §14): what is to be put in order is planned on a state of the tree and kept, looked at by
//! whoever wants to, and done in one write, or not at all. What a plan says is [`consolidating`](super::consolidating)'s matter and the
//! model's; nothing here judges a document.
//!
//! | file | idea |
//! |---|---|
//! | `run` | a run, as it is kept |
//! | `ask` | what is asked for, and its limits |
//! | `reading` | a tree as a plan reads it, with what each document was |
//! | `planning` | a plan on that, without a model |
//! | `consolidation_start`, `filing` | a run begins; one at a time of a tree |
//! | `consolidation_apply`, `preflight`, `carrying` | it is done, if nothing moved, action after action |
//! | `consolidation_replan`, `touched` | what moved is planned anew, the rest stays |
//! | `consolidation_revert` | documents as they were before, by a run of its own |
//! | `consolidations_list`, `differences` | runs, and what they change |
//! | `changelog` | `consolidation/changelog.md`, out of runs |
//! | `modelled`, `question` | a model plans behind the rules, by a job |
//! | `settings`, `scheduling`, `cron` | thresholds, and when runs begin by themselves |
//! | [`directory`] | the same on files of a directory, without a store |
//! | `forgetting` | what a run quotes goes with the document |
//!
//! Nothing is locked while a plan is made: what was read is compared when it is done.

mod ask;
mod carrying;
mod changelog;
mod consolidation_apply;
mod consolidation_replan;
mod consolidation_revert;
mod consolidation_start;
mod consolidations_list;
mod cron;
mod differences;
pub mod directory;
mod filing;
pub(crate) mod forgetting;
mod modelled;
mod planning;
mod preflight;
mod question;
mod reading;
mod run;
mod scheduling;
mod settings;
mod touched;
mod wording;

pub use ask::{ConsolidationAsk, PlannerChoice, RunLimits, RunScope};
pub use changelog::CHANGELOG;
pub(super) use changelog::Changelog;
pub use consolidation_revert::Reverted;
pub use consolidations_list::ConsolidationListing;
pub use differences::DocumentDifference;
pub(super) use filing::counted_since;
pub(crate) use modelled::Modelled;
pub use run::{ConsolidationRun, RunAction, RunChange, RunReview, RunUsage, RunViolation, Seen};
pub use settings::{AutoApply, UpkeepSettings};
