//! Reports of a task: its learnings under way, its end, and the episode that is written of it.

mod complete;
pub(in crate::coding) mod completion;
pub(in crate::coding) mod episode_record;
pub(in crate::coding) mod episode_text;
pub(in crate::coding) mod finalize;
pub(in crate::coding) mod learnings;
pub(in crate::coding) mod note;
