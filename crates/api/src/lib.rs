//! Shapes of the native HTTP API, shared by server, client and the commands. No behaviour, no engine type.
//!
//! Names are snake case, times are RFC 3339 in UTC, durations are milliseconds with `_ms`. A request refuses members
//! it does not know; an answer may gain members.
//!
//! A product has a folder: `verified`, `coding`, `documents`, `operations`. The modules beside them
//! are of the kernel. To add an operation: its request and answer in the folder of its product, in
//! the file of its noun, and a line in the product's `table`.

pub mod admin;
pub mod coding;
pub mod delivery;
pub mod documents;
pub mod error_code;
pub mod event;
pub mod hook;
pub mod identity;
pub mod job;
pub mod key;
pub mod memory;
pub mod notice;
pub mod operation;
pub mod operations;
pub mod problem;
pub mod profile;
pub mod pull;
pub mod quarantine;
pub mod record;
pub mod search;
pub mod table;
pub mod tool;
mod twin_words;
pub mod verified;

pub use error_code::ErrorCode;
pub use notice::Notices;
pub use problem::{Problem, ProblemBody};

/// A request without members: `{}` or nothing.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}
