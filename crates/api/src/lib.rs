//! Shapes of the native HTTP API, shared by server, client and the commands. No behaviour, no engine type.
//!
//! Names are snake case, times are RFC 3339 in UTC, durations are milliseconds with `_ms`. A request refuses members
//! it does not know; an answer may gain members. To add an operation: its request and answer here, beside its noun.

pub mod admin;
pub mod attribution;
pub mod commit;
pub mod conflict;
pub mod consolidation;
pub mod dead_letter;
pub mod delivery;
pub mod evaluation;
pub mod event;
pub mod evidence;
pub mod extraction_prompt;
pub mod feedback;
pub mod file;
pub mod graph;
pub mod hook;
pub mod hydration;
pub mod identity;
pub mod investigation;
pub mod job;
pub mod key;
pub mod making;
pub mod me;
pub mod memory;
pub mod memory_ensure;
pub mod memory_recreate;
pub mod memory_tool;
pub mod metrics;
pub mod mirror;
pub mod notice;
pub mod object;
pub mod outcome;
pub mod preference;
pub mod problem;
pub mod profile;
pub mod prompt;
pub mod proposal;
pub mod pull;
pub mod quarantine;
pub mod record;
pub mod record_feedback;
pub mod record_sources;
pub mod reflection;
pub mod repository;
pub mod repository_search;
pub mod repository_settings;
pub mod review;
pub mod rule;
pub mod safeguard;
pub mod search;
pub mod session;
pub mod sre;
pub mod sre_doctor;
pub mod sre_preferences;
pub mod sre_transfer;
pub mod task;
pub mod task_end;
pub mod theme;
pub mod tool;
pub mod tree;
pub mod verdict;

pub use notice::Notices;
pub use problem::{Problem, ProblemBody};

/// A request without members: `{}` or nothing.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}
