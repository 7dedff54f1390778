//! The family `recall`: search and store over all records, with the names and schemas of the Strands memory manager, so that
//! prompts carry over (mcp.md §8.1, memory-manager.md §3).

pub(super) mod add_memory;
pub(super) mod search_memory;
mod stores;
