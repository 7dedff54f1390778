//! Settings of documents.

use crate::mounts::mount_settings::MemoryToolMounts;
use crate::upkeep::UpkeepSettings;

/// Settings of documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DocumentsSettings {
    /// The memory tool, and the trees that it shows under a name.
    pub memory_tool: MemoryToolMounts,
    /// How trees are kept in order.
    pub upkeep: UpkeepSettings,
}
