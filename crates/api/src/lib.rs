//! Request and response types of the native HTTP API, shared by the server, the clients and the
//! commands. The crate contains no behavior and no engine type.
//!
//! Names are in snake case. Times are RFC 3339 in UTC. Durations carry their unit in the name,
//! mostly `_ms`. The server rejects a request with an unknown member; a response may gain members.
//!
//! Each product has a folder: `verified`, `coding`, `documents`, `operations`. The other modules
//! belong to the kernel. To add an operation, add its request and response types to the file of its
//! noun in the folder of its product, one line to the product's `table`, and one line to
//! `operation/examples.jsonl`.

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
pub mod verified;
mod word_lists;

pub use error_code::ErrorCode;
pub use notice::Notices;
pub use problem::{Problem, ProblemBody};

/// The body of a request without members: `{}` or nothing.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}
