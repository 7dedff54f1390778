//! Files that change together, counted from a repository's history and from the changes that tasks
//! report, without a model. Imports are in `dependencies`; `impact_query` joins both.
//!
//! | file | idea |
//! |---|---|
//! | `counting_rules` | the files that count, and the maximum number of files in a change |
//! | `commit_groups` | groups of commits that are one change, and their order: pure |
//! | `graph` | files, transactions, the files of each transaction; renames: pure |
//! | `measures` | support, confidence, lift; often and always together: pure |
//! | `missing_files`, `impact` | files missing from a change, files that it may affect: pure |
//! | `impact_query` | the verb `impact`: imports, common changes and failed tasks joined |
//! | `history_parts`, `history_job` | reads a history part by part, and the job that does so |
//! | `task_files` | the files that tasks report as changed |
//! | `graph_cache` | cached graphs, and their updates |
//! | `graph_view`, `verbs` | the access check, and the queries |

mod commit_groups;
mod counting_rules;
mod graph;
mod graph_cache;
mod graph_view;
mod history_job;
mod history_parts;
mod impact;
mod impact_query;
mod measures;
mod missing_files;
pub(crate) mod task_files;
#[cfg(test)]
mod tests;
mod verbs;

pub(crate) use counting_rules::{CountingRules, FILES_MAX};
pub(crate) use graph_cache::Graphs;
pub use graph_view::CoChange;
pub(crate) use graph_view::Scene;
pub(crate) use history_job::ask_where_unread;
pub use impact_query::ImpactOf;
pub use measures::Thresholds;
pub(crate) use verbs::{absent, often_beside};
