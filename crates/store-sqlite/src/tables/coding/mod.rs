//! The tables of the memory of coding agents: tasks and their sessions, commits, exposures,
//! prompts.

mod commits;
mod exposures;
mod prompts;
mod task_sessions;
mod tasks;
