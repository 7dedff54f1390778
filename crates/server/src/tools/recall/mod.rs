//! The family `recall`: search and store over all records, with the names and schemas of the Strands memory manager, so that
//! prompts carry over.

mod add_memory;
mod search_memory;
mod stores;

use super::tool::Tool;

/// The tools of the family, in the order in which they are listed.
pub(super) fn tools() -> Vec<Tool> {
    vec![search_memory::tool(), add_memory::tool()]
}
