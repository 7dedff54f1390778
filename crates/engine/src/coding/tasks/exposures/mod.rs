//! Exposures of a task: the memories that it was shown, and its feedback on them.

pub(in crate::coding) mod explain;
mod exposure_get;
pub(in crate::coding) mod feedback;
