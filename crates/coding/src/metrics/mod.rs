//! How well tasks went, with memory and without: measures by group, mistakes that were made
//! although a rule was there, and what each memory was worth to the tasks that were shown it.
//!
//! | file | idea |
//! |---|---|
//! | `repository_metrics`, `evaluations` | the verbs |
//! | `gathering` | what is known of each task: one read |
//! | `repeated` | review comments that say what a rule said before: words, or vectors |
//! | `grouping` | measures of a group of tasks: pure |
//! | `usefulness` | what each memory was worth: pure |
//! | `statistics` | shares and means with how sure they are: pure |
//!
//! Everything is derived when it is asked for, of the newest tasks (decision 0142): nothing is counted while tasks are shown something.

pub(super) mod evaluations;
mod gathering;
mod grouping;
mod repeated;
mod repository_metrics;
mod statistics;
mod usefulness;

pub use gathering::Cut;
pub use grouping::MetricsBy;
pub use repository_metrics::Metrics;
