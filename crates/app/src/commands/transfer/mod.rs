//! Commands that transfer memories out of a store and into one: export, import, and the formats of
//! other programs.

mod agentcore_location;
pub(crate) mod export;
mod export_agentcore;
#[cfg(feature = "documents")]
mod export_claude_folder;
mod export_format;
pub(crate) mod import;
mod manifest;
