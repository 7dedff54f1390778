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

/// A record that a call examined for a task, shown or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExposedRecord {
    /// The id of the record.
    pub record: RecordId,
    /// The version of the record.
    pub version: u32,
    /// The kind: `rules`, `knowledge`, `episodes`, `reflections`, `preferences`.
    pub kind: String,
    /// The rank of the record among those of its kind, from 1.
    pub rank: u32,
    /// Similarity to the query, 0 to 1; 1 for records that are shown for any query.
    pub similarity: f64,
    /// The current trust, 0 to 1.
    pub trust: f64,
    /// The score that determined the record's rank.
    pub score: f64,
    /// The number of tokens of the record's lines; 0 if the record was dropped before they were
    /// counted.
    pub tokens: u32,
    /// The decision about the record: `shown`; `shadow`, for a task of the control group that would
    /// have been shown it; or `dropped:` and the reason.
    pub decision: String,
}

/// The exposure of a task to memory in one call: the records that the call examined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exposure {
    /// The memory that the exposure belongs to.
    pub memory: MemoryId,
    /// The id of the exposure.
    pub id: ExposureId,
    /// The task that the exposure belongs to.
    pub task: TaskId,
    /// The actor of the task that the exposure belongs to.
    pub actor: ActorId,
    /// The task's session.
    pub session: SessionId,
    /// The time of the call.
    pub at: Timestamp,
    /// The call that returned the records.
    pub call: ExposureCall,
    /// The snapshot of the memory that was read.
    pub snapshot: String,
    /// The memory arm: the part of memory that the task receives.
    pub arm: MemoryArm,
    /// SHA-256 of the query; `None`: there was no query.
    pub query_sha256: Option<String>,
    /// The name of the token estimator.
    pub estimator: String,
    /// The maximum number of tokens of the response.
    pub limit: u32,
    /// The estimated number of tokens of the response.
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
