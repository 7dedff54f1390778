//! Hydration: assembles the memory of a repository for the prompt of a task, within a deadline and
//! a budget.
//! | file | idea |
//! |---|---|
//! | `asked` | the request and its rules |
//! | `kind` | the kinds of shown memory, their tiers and statuses |
//! | `reading`, `named_docs` | the concurrent reads, and documents whose content is left out |
//! | `paths_read` | files that records name, and their existence |
//! | `related_shown` | files that change with those of the task, shown with the knowledge |
//! | `standing_read` | agreement, contradictions, and the branch on which a record holds |
//! | `themes_shown` | themes that several tasks lacked, shown with the knowledge |
//! | `candidate`, `trust`, `scope_match` | candidates, their trust, their match with the task |
//! | `noise` | the relevance below which no record is shown |
//! | `choosing` | the records left out with their reasons, and the order: pure |
//! | `outcome`, `lines`, `planning` | outcomes of tasks, texts of records, the budget: pure |
//! | `origins` | the origin of a record, for callers: pure |
//! | `screening` | screens the selected records within the deadline |
//! | `rescoring` | scores the finished block once more |
//! | `exposing` | the exposure of the shown records |
//! | `hydrating` | runs all steps in order |
//! | `task_hydrate` | the verbs |
//! | `searching` | search by an agent's query in the middle of a task |
//! To add a kind: a variant in `kind`, a read in `reading`, a section in `lines`.

mod asked;
mod candidate;
mod choosing;
mod exposing;
mod hydrating;
mod kind;
mod lines;
mod named_docs;
mod noise;
mod origins;
mod outcome;
mod paths_read;
mod planning;
#[cfg(test)]
mod planning_tests;
mod reading;
mod related_shown;
mod rescoring;
mod scope_match;
mod screening;
mod searching;
mod standing_read;
mod task_hydrate;
mod themes_shown;
mod trust;

pub use asked::Hydration;
pub use candidate::{Candidate, Left, RecordStanding};
pub use hydrating::Hydrated;
pub use kind::{HydrationKind, KindStatus};
pub use lines::{listed_text, shown_text};
/// The token estimators.
pub use loci_text::tokens::Estimator;
pub use origins::{episode_origin, reflection_evidence, rule_sources};
pub use outcome::outcome_of;
pub use planning::{Limits, Plan, ShownRecord};
pub use related_shown::GRAPH;
pub(super) use scope_match::AskedPaths;
pub use searching::{RepositoryFound, RepositorySearch, SearchFilters, SearchKind, SearchedRecord};
pub(super) use task_hydrate::is_cold;
