//! Hydration: assembles the memory of a repository for the prompt of a task, within a deadline and
//! a budget.
//! | file | idea |
//! |---|---|
//! | `request` | the request and its rules |
//! | `kind` | the kinds of shown memory, their tiers and statuses |
//! | `candidate_reads`, `named_docs` | the concurrent reads, and documents whose content is left out |
//! | `named_files` | files that records name, and their existence |
//! | `related_files` | files that change with those of the task, shown with the knowledge |
//! | `record_relations` | agreement, contradictions, and the branch on which a record holds |
//! | `theme_lines` | themes that several tasks lacked, shown with the knowledge |
//! | `candidate`, `trust`, `scope_match` | candidates, their trust, their match with the task |
//! | `noise` | the relevance below which no record is shown |
//! | `selection` | the records left out with their reasons, and the order: pure |
//! | `outcome`, `lines`, `block_plan` | outcomes of tasks, texts of records, the budget: pure |
//! | `origins` | the origin of a record, for callers: pure |
//! | `safety_screen` | screens the selected records within the deadline |
//! | `block_score` | scores the finished block once more |
//! | `exposure_row` | the exposure of the shown records |
//! | `assembly` | runs all steps in order |
//! | `task_hydrate` | the verbs |
//! | `search` | search by an agent's query in the middle of a task |
//! To add a kind: a variant in `kind`, a read in `candidate_reads`, a section in `lines`.

mod assembly;
mod block_plan;
#[cfg(test)]
mod block_plan_tests;
mod block_score;
mod candidate;
mod candidate_reads;
mod exposure_row;
mod kind;
mod lines;
mod named_docs;
mod named_files;
mod noise;
mod origins;
mod outcome;
mod record_relations;
mod related_files;
mod request;
mod safety_screen;
mod scope_match;
mod search;
mod selection;
mod task_hydrate;
mod theme_lines;
mod trust;

pub use assembly::Hydrated;
pub use block_plan::{BlockLimits, BlockPlan, ShownRecord};
pub use candidate::{Candidate, OmittedRecord, RecordStanding};
pub use kind::{HydrationKind, KindStatus};
pub use lines::{listed_text, shown_text};
/// The token estimators.
pub use loci_text::tokens::Estimator;
pub use origins::{episode_origin, reflection_evidence, rule_sources};
pub use outcome::outcome_of;
pub use related_files::GRAPH;
pub use request::Hydration;
pub(super) use scope_match::RequestPaths;
pub use search::{RepositoryFound, RepositorySearch, SearchFilters, SearchKind, SearchedRecord};
pub(super) use task_hydrate::is_cold;
