//! Settings of documents.

use crate::mirror::MirrorSettings;
use crate::mounts::mount_settings::MemoryToolMounts;
use crate::upkeep::UpkeepSettings;

/// Settings of documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DocumentsSettings {
    /// The memory tool, and the trees that it shows under a name.
    pub memory_tool: MemoryToolMounts,
    /// The upkeep of trees.
    pub upkeep: UpkeepSettings,
    /// Mirrors.
    pub mirrors: MirrorSettings,
}
