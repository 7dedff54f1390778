//! Exposures of a task: the records that it was shown, and its feedback on them.

pub(crate) mod explain;
pub(crate) mod exposure_get;
pub(crate) mod feedback;
