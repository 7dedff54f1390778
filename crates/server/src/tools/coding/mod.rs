//! The family `coding`: tasks of coding agents, by the calls of the native API. One file per tool;
//! `shapes`: the forms that several of them take; `search_repository`: `memory_search` in more than
//! facts, or for a task.

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

/// The tools of the family, in the order in which they are listed.
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
