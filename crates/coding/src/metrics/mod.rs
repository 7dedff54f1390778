//! Measures of tasks with and without memory: by group, mistakes made despite a rule, and the
//! usefulness of each record to the tasks that were shown it.
//!
//! | file | idea |
//! |---|---|
//! | `repository_metrics`, `evaluations` | the verbs |
//! | `metric_inputs` | the data of each task, in one read |
//! | `repeated_mistakes` | review comments that repeat an earlier rule, by words or vectors |
//! | `metric_groups` | measures of a group of tasks: pure |
//! | `usefulness` | the usefulness of each record: pure |
//! | `statistics` | shares and means with confidence intervals: pure |
//!
//! All measures are derived on request, from the newest tasks (decision 0142). Hydration counts
//! nothing.

pub(super) mod evaluations;
mod metric_groups;
mod metric_inputs;
mod repeated_mistakes;
mod repository_metrics;
mod statistics;
mod usefulness;

pub use metric_groups::MetricsBy;
pub use metric_inputs::Cut;
pub use repository_metrics::Metrics;
