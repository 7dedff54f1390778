//! The family `coding`: tasks of coding agents, by the calls of the native API (mcp.md §8.4; coding-agent-memory.md). One file per
//! tool; `shapes`: the forms that several of them take.

pub(super) mod attribution_lookup;
pub(super) mod feedback;
pub(super) mod hydrate;
pub(super) mod note;
pub(super) mod related_files;
pub(super) mod rules_list;
mod shapes;
pub(super) mod task_history;
