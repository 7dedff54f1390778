//! Reports of a task: its learnings under way, its end, and the episode that is written of it.

mod complete;
pub(crate) mod completion;
pub(crate) mod episode_record;
pub(crate) mod episode_text;
pub(crate) mod finalize;
pub(crate) mod learnings;
pub(crate) mod note;
