//! Types of the coding product: tasks, sessions, commits, reviews, rules, outcomes, prompts and
//! safeguards.

pub mod attribution;
pub mod commit;
pub mod conflict;
pub mod dead_letter;
pub mod evaluation;
pub mod extraction_prompt;
pub mod graph;
pub mod hydration;
pub mod metrics;
pub mod outcome;
pub mod preference;
pub mod prompt;
pub mod reflection;
pub mod repository_search;
pub mod repository_settings;
pub mod review;
pub mod rule;
pub mod safeguard;
pub mod table;
pub mod task;
pub mod theme;
