//! Arguments that several tools of the family share.

use loci_model::limits;
use loci_model::tasks::task::TaskStatus;
use serde_json::Value;

use crate::tools::schema::{default, one_of, said, text, whole};

/// A task.
pub(super) fn task_id() -> Value {
    text(1, limits::TASK_ID_CHARS_MAX as u32)
}

/// The task that a tool is of. It may be known without: `loci mcp` names the one that it was started for.
pub(super) fn own_task() -> Value {
    said(task_id(), "Omit for the task of this session")
}

/// A name: a user, a branch, a version.
pub(super) fn name() -> Value {
    text(0, limits::TASK_NAME_CHARS_MAX as u32)
}

/// Words that are looked for.
pub(super) fn words() -> Value {
    text(0, limits::QUERY_CHARS_MAX as u32)
}

/// How far a task has come.
pub(super) fn status() -> Value {
    let words: Vec<&str> = TaskStatus::ALL.iter().map(|status| status.as_str()).collect();
    one_of(&words)
}

/// Issues and pull requests.
pub(super) fn forge_number() -> Value {
    whole(0, i64::MAX)
}

/// Items of a page.
pub(super) fn limit(items: u32) -> Value {
    default(whole(1, limits::PAGE_ITEMS_MAX.into()), items)
}

/// From the page before.
pub(super) fn cursor() -> Value {
    text(0, 4_096)
}
