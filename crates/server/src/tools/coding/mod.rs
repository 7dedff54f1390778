//! The family `coding`: tasks of coding agents, by the calls of the native API. Each tool has one
//! file. `shapes` has the forms that several tools share. `search_repository` is `memory_search`
//! beyond facts, or for a task.

mod attribution_lookup;
mod feedback;
mod hydrate;
mod note;
mod related_files;
mod rules_list;
pub(super) mod search_repository;
mod shapes;
mod task_history;

use super::tool::Tool;

/// Returns the tools of the family in listing order.
pub(super) fn tools() -> Vec<Tool> {
    vec![
        hydrate::tool(),
        note::tool(),
        feedback::tool(),
        rules_list::tool(),
        related_files::tool(),
        task_history::tool(),
        attribution_lookup::tool(),
    ]
}
