//! Files that change together: counted from a repository's history and from what tasks changed, without a model
//! (coding-agent-memory.md §15). Imports are in `dependencies`; `impact_of_change` joins both.
//!
//! | file | idea |
//! |---|---|
//! | `counting` | which files count, and how many of them a change may have |
//! | `grouping` | which commits belong together, and in which order they come: pure |
//! | `graph` | files, transactions, which are in which; renames: pure |
//! | `measures` | support, confidence, lift; often and always together: pure |
//! | `missing`, `impact` | what is absent beside some files, what their change may touch: pure |
//! | `impact_of_change` | the verb `impact`: imports, common changes and failed tasks in one answer |
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
mod impact_of_change;
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
pub(super) use counting::{Counting, FILES_MAX};
pub use impact_of_change::{Impact, ImpactOf, ImpactRow};
pub use measures::Thresholds;
pub(crate) use reading_history::ask_where_unread;
pub use verbs::{CoChanges, FileSet};
pub(super) use verbs::{absent, often_beside};
