//! The settings of the documents product.

use crate::mirror::MirrorSettings;
use crate::mounts::mount_settings::MemoryToolMounts;
use crate::upkeep::UpkeepSettings;

/// The settings of the documents product.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DocumentsSettings {
    /// The settings of the memory tool, and the mounts: trees that it shows under a name.
    pub memory_tool: MemoryToolMounts,
    /// The settings of the consolidation of trees.
    pub upkeep: UpkeepSettings,
    /// The settings of mirrors.
    pub mirrors: MirrorSettings,
}
