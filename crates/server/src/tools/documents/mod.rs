//! The family `files`: a memory as files for a model: what lies there, reading, looking for lines, and the memory tool that Anthropic's
//! models know (files-and-git.md §7.3, §11).

mod at;
pub(super) mod memory;
pub(super) mod memory_grep;
pub(super) mod memory_list;
pub(super) mod memory_read;
