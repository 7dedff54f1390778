//! Exposures: the memories that a coding agent was shown, and those left out with the reason.
//! Without them no measurement can be related to a memory. This module holds the data types: ids
//! and numbers, no texts.

use serde::{Deserialize, Serialize};

use crate::tasks::task::MemoryArm;
use crate::words::closed_words;
use crate::{ActorId, ExposureId, MemoryId, RecordId, SessionId, TaskId, Timestamp};

closed_words! {
    /// The call of an exposure.
    ExposureCall {
        /// The call before the agent starts.
        Hydrate = "hydrate",
        /// A search while the agent works.
        Search = "search",
    }
}

/// A record that was a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExposedRecord {
    /// The record.
    pub record: RecordId,
    /// Its version.
    pub version: u32,
    /// The kind: `rules`, `knowledge`, `episodes`, `reflections`, `preferences`.
    pub kind: String,
    /// Its rank in its kind, from 1.
    pub rank: u32,
    /// Similarity to the query, 0 to 1; 1 for records that are shown for any query.
    pub similarity: f64,
    /// The current trust, 0 to 1.
    pub trust: f64,
    /// The score that determined its rank.
    pub score: f64,
    /// The cost of its lines in tokens; 0 if the record was dropped before the count.
    pub tokens: u32,
    /// `shown`, `shadow`, or `dropped:` and the reason.
    pub decision: String,
}

/// The exposure of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exposure {
    /// The memory.
    pub memory: MemoryId,
    /// Its id.
    pub id: ExposureId,
    /// The task.
    pub task: TaskId,
    /// The task's actor.
    pub actor: ActorId,
    /// The task's session.
    pub session: SessionId,
    /// The time of the call.
    pub at: Timestamp,
    /// The call.
    pub call: ExposureCall,
    /// The snapshot of the memory that was read.
    pub snapshot: String,
    /// The part of memory that the task gets.
    pub arm: MemoryArm,
    /// SHA-256 of the query; `None`: there was no query.
    pub query_sha256: Option<String>,
    /// The estimator of tokens.
    pub estimator: String,
    /// Limit of tokens.
    pub limit: u32,
    /// Number of tokens used.
    pub used: u32,
    /// SHA-256 of the shown ids and versions, in order.
    pub memory_hash: String,
    /// True if some memory could not be read, or not in time.
    pub degraded: bool,
    /// All candidates, by kind and rank.
    pub records: Vec<ExposedRecord>,
}

impl ExposedRecord {
    /// True if the agent saw it.
    pub fn is_shown(&self) -> bool {
        self.decision == SHOWN
    }
}

/// Rounds a share to four decimals, which suffice for storage and display.
pub fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// The decision for records that the agent saw.
pub const SHOWN: &str = "shown";
/// The decision for records that a task of the control group would have seen.
pub const SHADOW: &str = "shadow";
