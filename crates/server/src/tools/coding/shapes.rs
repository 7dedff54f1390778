//! Arguments that several tools of the family share.

use loci_model::limits;
use loci_model::tasks::task::TaskStatus;
use serde_json::Value;

use crate::tools::schema::{default, one_of, said, text, whole};

/// Returns the schema of a task.
pub(super) fn task_id() -> Value {
    text(1, limits::TASK_ID_CHARS_MAX as u32)
}

/// Returns the schema of the tool's task. It is optional, because `loci mcp` knows the task for
/// which it was started.
pub(super) fn own_task() -> Value {
    said(task_id(), "Omit for the task of this session")
}

/// Returns the schema of a name: a user, a branch, a version.
pub(super) fn name() -> Value {
    text(0, limits::TASK_NAME_CHARS_MAX as u32)
}

/// Returns the schema of search words.
pub(super) fn words() -> Value {
    text(0, limits::QUERY_CHARS_MAX as u32)
}

/// Returns the schema of a task's status.
pub(super) fn status() -> Value {
    let words: Vec<&str> = TaskStatus::ALL.iter().map(|status| status.as_str()).collect();
    one_of(&words)
}

/// Returns the schema of issue and pull request numbers.
pub(super) fn forge_number() -> Value {
    whole(0, i64::MAX)
}

/// Returns the schema of the page size.
pub(super) fn limit(items: u32) -> Value {
    default(whole(1, limits::PAGE_ITEMS_MAX.into()), items)
}

/// Returns the schema of the cursor from the previous page.
pub(super) fn cursor() -> Value {
    text(0, 4_096)
}
