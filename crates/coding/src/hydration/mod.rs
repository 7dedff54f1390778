//! Hydration: what is remembered of a repository, put together for the prompt of a task, within a
//! deadline and a budget.
//! | file | idea |
//! |---|---|
//! | `asked` | the request and its rules |
//! | `kind` | the kinds of what is shown, their tiers and statuses |
//! | `reading`, `named_docs` | the reads, side by side; and documents whose words are left out |
//! | `paths_read` | files that records name, and whether they are there |
//! | `related_shown` | files that change with those of the task, beside the knowledge |
//! | `standing_read` | who agrees, what contradicts it, and on which branch it holds |
//! | `themes_shown` | what several tasks lacked, among the knowledge |
//! | `candidate`, `trust`, `scope_match` | what might be shown, how far it is trusted, whether it has to do with the task |
//! | `noise` | the relevance below which nothing is shown |
//! | `choosing` | what is taken out and why, and the order: pure |
//! | `outcome`, `lines`, `planning` | how a task ended, how a record reads, and what fits: pure |
//! | `origins` | where a record comes from, for whoever is shown it: pure |
//! | `screening` | what was chosen is looked at, as long as there is time |
//! | `rescoring` | the finished block is scored once more |
//! | `exposing` | what was shown, as a row |
//! | `hydrating` | all of this, one after the other |
//! | `task_hydrate` | the verbs |
//! | `searching` | the same by a question of the agent's, while it works |
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
/// How tokens are estimated.
pub use loci_text::tokens::Estimator;
pub use origins::{episode_origin, reflection_evidence, rule_sources};
pub use outcome::outcome_of;
pub use planning::{Limits, Plan, ShownRecord};
pub use related_shown::GRAPH;
pub(super) use scope_match::AskedPaths;
pub use searching::{RepositoryFound, RepositorySearch, SearchFilters, SearchKind, SearchedRecord};
pub(super) use task_hydrate::is_cold;
