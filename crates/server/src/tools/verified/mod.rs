//! The family `verified`: facts about repositories that cite code, checked before they are served (verified-memory.md §12).
//! One file per tool; `shapes`: the forms that several of them take or give; `asked` and `said`: arguments read and
//! results written; `given_back`: results that come back as arguments;
//! `search_repository`: `memory_search` in more than facts, or for a task.

mod asked;
pub(super) mod delete;
pub(super) mod get;
pub(super) mod get_recent;
pub(super) mod given_back;
pub(super) mod history;
pub(super) mod invalidate;
pub(super) mod log_applied;
pub(super) mod read_citation;
pub(super) mod refresh;
mod said;
pub(super) mod search;
pub(super) mod search_by_path;
mod search_repository;
mod shapes;
pub(super) mod stats;
pub(super) mod store;
pub(super) mod supersede;
pub(super) mod verify_citations;

use loci_verified::FactsAsked;

use super::error::ToolError;
use super::tool::Arguments;

/// The facts that a call would look at, for one who has the code where the server has not; `None` for tools and calls that look
/// at no stored facts. One line per tool.
pub(super) fn facts(name: &str, arguments: &Arguments) -> Option<Result<FactsAsked, ToolError>> {
    match name {
        "memory_get_recent" => Some(get_recent::facts(arguments)),
        "memory_search" => search::facts_asked(arguments),
        "memory_search_by_path" => Some(search_by_path::facts(arguments)),
        "memory_verify_citations" => verify_citations::facts(arguments),
        _ => None,
    }
}
