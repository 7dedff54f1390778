//! Repositories: one identity with many names (verified-memory.md §9). Shapes; how names are normalised and matched is the
//! engine's matter.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::code::ObjectId;
use crate::ports::code::CodePlace;
use crate::task_session::Capture;
use crate::{MemoryId, RepositoryId, Timestamp};

/// A repository whose facts are remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// The memory.
    pub memory: MemoryId,
    /// Its identity, which nothing changes.
    pub id: RepositoryId,
    /// The scope key `owner/name`: unique in the memory, first segments of its namespaces.
    pub key: String,
    /// All other names, normalised: `host/owner/name`, `owner/name`, `id:<host>:<number>`. A name may be another's too.
    pub aliases: BTreeSet<String>,
    /// Root commits of its history, sorted.
    #[serde(default)]
    pub roots: Vec<ObjectId>,
    /// Where its code can be read, the best first.
    #[serde(default)]
    pub places: Vec<CodePlace>,
    /// The ref that changes states; without one, the source's own default branch.
    #[serde(default)]
    pub default_ref: Option<String>,
    /// How many citations must be valid; `None`: all.
    #[serde(default)]
    pub quorum: Option<u32>,
    /// Whose facts are read along: the parent of a fork.
    #[serde(default)]
    pub parent: Option<RepositoryId>,
    /// Tip of the default branch at which facts were last verified in the background.
    #[serde(default)]
    pub verified_tip: Option<ObjectId>,
    /// When the tip was last looked at.
    #[serde(default)]
    pub checked_at: Option<Timestamp>,
    /// What it has of its own in the place of the server's settings.
    #[serde(default, skip_serializing_if = "RepositorySettings::is_empty")]
    pub settings: RepositorySettings,
    /// When it was registered.
    pub created_at: Timestamp,
    /// When this was last changed.
    pub updated_at: Timestamp,
}

/// What a repository has of its own in the place of the server's settings (coding-agent-memory.md §3); what is absent is as the server
/// says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RepositorySettings {
    /// Tokens of a block, where the request says nothing.
    pub memory_token_budget: Option<u32>,
    /// Which kinds are shown.
    pub tiers: Tiers,
    /// The control group.
    pub control: ControlParts,
    /// What is kept of conversations.
    pub capture: CaptureOwn,
}

impl RepositorySettings {
    /// True where everything is as the server says.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether kinds of what is remembered are shown; what is absent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tiers {
    /// Knowledge.
    pub knowledge: Option<bool>,
    /// Episodes.
    pub episodes: Option<bool>,
    /// Rules from reviews.
    pub rules: Option<bool>,
    /// Preferences.
    pub preferences: Option<bool>,
    /// Reflections.
    pub reflections: Option<bool>,
}

/// Shares of the tasks that are given less than all memory, in millionths: whole numbers are equal or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ControlParts {
    /// None at all.
    pub off: Option<u32>,
    /// Knowledge and episodes.
    pub tier1: Option<u32>,
    /// Rules too.
    pub tier2: Option<u32>,
    /// Preferences and reflections too.
    pub tier3: Option<u32>,
}

/// What is kept of conversations when their sessions have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureOwn {
    /// How much of them.
    pub conversation: Option<Capture>,
    /// For so many days.
    pub retention_days: Option<u32>,
}
