//! The task that a process of `loci mcp` was started for: tools that are of a task mean it where their caller names none. An agent
//! seldom knows the id; whoever started it does.

use loci_server::tools::tool::Arguments;

#[cfg(feature = "coding")]
use crate::commands::coding::githook::task_here;
use crate::config::environment::Environment;

/// Tools that are of a task.
const TOOLS: &[&str] = &["memory_hydrate", "memory_note", "memory_feedback", SEARCH];
/// The one that is of a task and of a repository, too; or of a memory, and then of none.
const SEARCH: &str = "memory_search";
/// The argument that names it.
const TASK: &str = "task_id";

/// The task of this process, where one is known.
pub(super) struct TaskOfProcess(Option<String>);

impl TaskOfProcess {
    /// As the environment says.
    #[cfg(feature = "coding")]
    pub(super) fn of(environment: &Environment) -> Self {
        Self(task_here::with(environment, None).map(|here| here.task))
    }

    /// Returns none: this program knows no tasks.
    #[cfg(not(feature = "coding"))]
    pub(super) fn of(_: &Environment) -> Self {
        Self(None)
    }

    /// The arguments with the task, where the tool is of one and they name neither it nor what takes its place.
    pub(super) fn named(&self, tool: &str, mut arguments: Arguments) -> Arguments {
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
