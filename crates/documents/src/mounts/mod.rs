//! Mounts: the trees that the memory tool shows, and its commands on them.

pub(super) mod mount_settings;
mod mounted_tree;
pub(super) mod prompt_context;
mod tool_command;
