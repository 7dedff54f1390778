//! Files that change together: counted from a repository's history and from what tasks changed, without a model
//! (coding-agent-memory.md §15). What imports what is not looked at.
//!
//! | file | idea |
//! |---|---|
//! | `counting` | which files count, and how many of them a change may have |
//! | `grouping` | which commits belong together, and in which order they come: pure |
//! | `graph` | files, transactions, which are in which; renames: pure |
//! | `measures` | support, confidence, lift; often and always together: pure |
//! | `missing`, `impact` | what is absent beside some files, what their change may touch: pure |
//! | `parts`, `reading_history` | reading a history part by part, and the job that does |
//! | `task_files` | what tasks say that they changed |
//! | `counted` | graphs that are kept, and how they catch up |
//! | `asking`, `verbs` | who may ask, and the questions |

mod asking;
mod counted;
mod counting;
mod graph;
mod grouping;
mod impact;
mod measures;
mod missing;
mod parts;
mod reading_history;
pub(super) mod task_files;
#[cfg(test)]
mod tests;
mod verbs;

pub(super) use asking::Scene;
pub use asking::{CoChange, GraphAbout, HistoryState};
pub(crate) use counted::Graphs;
pub(super) use counting::FILES_MAX;
pub use measures::Thresholds;
pub(crate) use reading_history::ask_where_unread;
pub use verbs::{CoChanges, FileSet, ImpactOf, ImpactRow};
pub(super) use verbs::{absent, often_beside};
