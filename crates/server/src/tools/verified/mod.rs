//! The family `verified`: facts about repositories that cite code, checked before they are served (verified-memory.md §12).
//! One file per tool; `shapes`: the forms that several of them take or give; `asked` and `said`: arguments read and
//! results written; `given_back`: results that come back as arguments.

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
mod shapes;
pub(super) mod stats;
pub(super) mod store;
pub(super) mod supersede;
pub(super) mod verify_citations;
