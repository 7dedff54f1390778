//! Reports of a task: its learnings in progress, its end, and its episode.

mod complete;
pub(crate) mod completion;
pub(crate) mod episode_record;
pub(crate) mod episode_text;
pub(crate) mod finalize;
pub(crate) mod learnings;
pub(crate) mod note;
