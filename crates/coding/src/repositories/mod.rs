//! Repositories of coding agents: their settings, counts, marks of work, and the documents that
//! they hold themselves.

pub(super) mod counts;
pub(super) mod docs;
pub(super) mod docs_at_commit;
mod documented_learnings;
pub(super) mod progress;
pub(super) mod repository_settings;
mod setting_secrets;
