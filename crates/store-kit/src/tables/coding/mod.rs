//! The tables of coding memory: tasks and their sessions, commits, exposures, prompts.

pub(super) mod commits;
pub(super) mod exposures;
pub(super) mod prompts;
pub(super) mod task_sessions;
pub(super) mod tasks;
