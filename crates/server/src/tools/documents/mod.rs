//! The family `files`: a memory as files for a model: what lies there, reading, looking for lines, and the memory tool that Anthropic's
//! models know.

mod at;
mod memory;
mod memory_grep;
mod memory_list;
mod memory_read;

use super::tool::Tool;

/// The tools of the family, in the order in which they are listed.
pub(super) fn tools() -> Vec<Tool> {
    vec![memory_list::tool(), memory_read::tool(), memory_grep::tool(), memory::tool()]
}
