//! Exposures: what a coding agent was shown of what is remembered, and what was left out and why.
//! Without them no measure can be tied to a memory. Shapes only: they hold ids and numbers, no texts.

use serde::{Deserialize, Serialize};

use crate::tasks::task::MemoryArm;
use crate::words::closed_words;
use crate::{ActorId, ExposureId, MemoryId, RecordId, SessionId, TaskId, Timestamp};

closed_words! {
    /// The call that showed something.
    ExposureCall {
        /// Before the agent began.
        Hydrate = "hydrate",
        /// While it worked.
        Search = "search",
    }
}

/// A record that might have been shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExposedRecord {
    /// The record.
    pub record: RecordId,
    /// Its version.
    pub version: u32,
    /// As what: `rules`, `knowledge`, `episodes`, `reflections`, `preferences`.
    pub kind: String,
    /// Its place in its kind, from 1.
    pub rank: u32,
    /// How well it fits the question, 0 to 1; 1 for what is shown whatever the question is.
    pub similarity: f64,
    /// How far it is trusted now, 0 to 1.
    pub trust: f64,
    /// What decided its place.
    pub score: f64,
    /// What its lines cost; 0 where it never came to that.
    pub tokens: u32,
    /// `shown`, `shadow`, or `dropped:` and the reason.
    pub decision: String,
}

/// What one call showed.
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
    /// When.
    pub at: Timestamp,
    /// By which call.
    pub call: ExposureCall,
    /// The state of the memory it was made from.
    pub snapshot: String,
    /// Which memory the task is given.
    pub arm: MemoryArm,
    /// SHA-256 of the question; `None`: there was none.
    pub query_sha256: Option<String>,
    /// How tokens were estimated.
    pub estimator: String,
    /// At most so many tokens.
    pub limit: u32,
    /// So many were used.
    pub used: u32,
    /// SHA-256 over what was shown: ids and versions, in order.
    pub memory_hash: String,
    /// Something could not be read in time, or at all.
    pub degraded: bool,
    /// Everything that was looked at, by kind and rank.
    pub records: Vec<ExposedRecord>,
}

impl ExposedRecord {
    /// True where the agent saw it.
    pub fn is_shown(&self) -> bool {
        self.decision == SHOWN
    }
}

/// A share as it is kept and told: four decimals say enough.
pub fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// The decision on what the agent saw.
pub const SHOWN: &str = "shown";
/// The decision on what a task of the control group would have seen.
pub const SHADOW: &str = "shadow";
