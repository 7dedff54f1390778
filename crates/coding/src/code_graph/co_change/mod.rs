//! Files that change together: counted from a repository's history and from what tasks changed,
//! without a model. Imports are in `dependencies`; `impact_of_change`
//! joins both.
//!
//! | file | idea |
//! |---|---|
//! | `counting_rules` | which files count, and how many of them a change may have |
//! | `commit_groups` | which commits belong together, and in which order they come: pure |
//! | `graph` | files, transactions, which are in which; renames: pure |
//! | `measures` | support, confidence, lift; often and always together: pure |
//! | `missing_files`, `impact` | what is absent beside some files, what their change may touch: pure |
//! | `impact_of_change` | the verb `impact`: imports, common changes and failed tasks in one answer |
//! | `parts`, `history_job` | reading a history part by part, and the job that does |
//! | `task_files` | what tasks say that they changed |
//! | `graph_cache` | graphs that are kept, and how they catch up |
//! | `graph_view`, `verbs` | who may ask, and the questions |

mod commit_groups;
mod counting_rules;
mod graph;
mod graph_cache;
mod graph_view;
mod history_job;
mod impact;
mod impact_of_change;
mod measures;
mod missing_files;
mod parts;
pub(crate) mod task_files;
#[cfg(test)]
mod tests;
mod verbs;

pub(crate) use counting_rules::{Counting, FILES_MAX};
pub(crate) use graph_cache::Graphs;
pub use graph_view::CoChange;
pub(crate) use graph_view::Scene;
pub(crate) use history_job::ask_where_unread;
pub use impact_of_change::ImpactOf;
pub use measures::Thresholds;
pub(crate) use verbs::{absent, often_beside};
