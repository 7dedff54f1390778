//! Nouns of work: tasks, sessions, commits, reviews, rules, outcomes, prompts.

pub mod code_history;
pub mod commit;
pub mod evaluation;
pub mod exposure;
pub mod file_change;
pub mod forge_notifications;
pub mod outcome;
pub mod preference;
pub mod prompt_evaluation;
pub mod prompt_version;
pub mod pull_request;
pub mod review;
pub mod rollback;
pub mod rule;
pub mod task;
pub mod task_session;
