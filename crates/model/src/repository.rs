//! Repositories: one identity with many names (verified-memory.md §9). Shapes; how names are normalised and matched is the
//! engine's matter.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::code::ObjectId;
use crate::ports::code::CodePlace;
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
    /// When it was registered.
    pub created_at: Timestamp,
    /// When this was last changed.
    pub updated_at: Timestamp,
}
