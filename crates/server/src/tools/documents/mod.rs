//! The family `files`, a memory as files for a model: listing, reading, searching for lines, and
//! the memory tool of Anthropic's models.

mod memory;
mod memory_grep;
mod memory_list;
mod memory_read;
mod tree_lookup;

use super::tool::Tool;

/// Returns the tools of the family in listing order.
pub(super) fn tools() -> Vec<Tool> {
    vec![memory_list::tool(), memory_read::tool(), memory_grep::tool(), memory::tool()]
}
