//! The task for which `loci mcp` was started. Tools of a task use it if their caller names none. An
//! agent seldom knows the id, but the process that starts it does.

use loci_server::tools::tool::ReceivedArguments;

#[cfg(feature = "coding")]
use crate::commands::coding::githook::worktree_task;
use crate::config::environment::Environment;

/// Tools of a task.
const TOOLS: &[&str] = &["memory_hydrate", "memory_note", "memory_feedback", SEARCH];
/// The tool that may be of a task, of a repository, or of a memory without a task.
const SEARCH: &str = "memory_search";
/// The argument with the task.
const TASK: &str = "task_id";

/// The task that this process works on, from its environment.
pub(super) struct TaskOfProcess(Option<String>);

impl TaskOfProcess {
    /// Returns the task in the environment.
    #[cfg(feature = "coding")]
    pub(super) fn of(environment: &Environment) -> Self {
        Self(worktree_task::with(environment, None).map(|here| here.task))
    }

    /// Returns no task: this program has none.
    #[cfg(not(feature = "coding"))]
    pub(super) fn of(_: &Environment) -> Self {
        Self(None)
    }

    /// Returns the arguments with the task, if the tool needs one and the arguments contain neither
    /// it nor its replacement.
    pub(super) fn named(&self, tool: &str, mut arguments: ReceivedArguments) -> ReceivedArguments {
        let tool = tool.replacen('.', "_", 1);
        let instead = if tool == SEARCH { "store" } else { "repo" };
        let is_named = arguments.contains_key(TASK) || arguments.contains_key(instead);
        if let (Some(task), false, true) = (&self.0, is_named, TOOLS.contains(&tool.as_str())) {
            arguments.insert(TASK.to_owned(), task.as_str().into());
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn where_nobody_says() {
        let check = |task: Option<&str>, tool: &str, given: Value, expect: Value| {
            let task = TaskOfProcess(task.map(str::to_owned));
            let given = given.as_object().cloned().unwrap();
            assert_eq!(Value::Object(task.named(tool, given)), expect, "{tool}");
        };
        let ours = json!({ "task_id": "t-1" });
        check(Some("t-1"), "memory_hydrate", json!({}), ours.clone());
        check(Some("t-1"), "memory.feedback", json!({}), ours.clone());
        check(Some("t-1"), "memory_note", json!({ "task_id": "t-2" }), json!({ "task_id": "t-2" }));
        check(Some("t-1"), "memory_hydrate", json!({ "repo": "o/r" }), json!({ "repo": "o/r" }));
        let search = json!({ "repo": "o/r", "task_id": "t-1" });
        check(Some("t-1"), "memory_search", json!({ "repo": "o/r" }), search);
        check(Some("t-1"), "memory.search", json!({ "store": "notes" }), json!({ "store": "notes" }));
        check(Some("t-1"), "task_history", json!({}), json!({}));
        check(None, "memory_note", json!({}), json!({}));
    }
}
