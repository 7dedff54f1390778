//! Repositories of coding agents: their settings, counts, progress, and their own documents.

pub(super) mod counts;
pub(super) mod docs;
pub(super) mod docs_at_commit;
mod documented_learnings;
pub(super) mod progress;
pub(super) mod repository_settings;
mod setting_secrets;
