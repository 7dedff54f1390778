//! Commands of the memory of coding agents: tasks, sessions, reviews, rules, prompts, safeguards.

pub(crate) mod attribution;
pub(crate) mod blame;
pub(crate) mod conflicts;
pub(crate) mod dead_letters;
pub(crate) mod eval;
pub(crate) mod githook;
pub(crate) mod graph;
pub(crate) mod held;
pub(super) mod metrics;
pub(crate) mod prefs;
pub(crate) mod prompt;
pub(crate) mod reflect;
pub(crate) mod repository_settings;
pub(crate) mod reviews;
pub(crate) mod rule;
pub(super) mod safeguards;
pub(crate) mod spool;
pub(crate) mod task;
pub(super) mod themes;
