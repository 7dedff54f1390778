//! The family `recall`: search and store over all records, with the names and schemas of the
//! Strands memory manager, so that existing prompts work unchanged.

mod add_memory;
mod search_memory;
mod stores;

use super::tool::Tool;

/// Returns the tools of the family in listing order.
pub(super) fn tools() -> Vec<Tool> {
    vec![search_memory::tool(), add_memory::tool()]
}
