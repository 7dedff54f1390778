//! Events in which the harness of a coding agent reports a task: one line on its end, and the
//! learnings on the repository. The metadata `type` of the event identifies them, or else their
//! first words. Pure; the strategies decide on the resulting records.
//!
//! `reported_task`: the values of such a line; `report_labels`: its parts by their labels.

mod report_labels;
mod reported_task;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use loci_model::event::Role;
use regex::Regex;

use crate::strategies::learnings;

pub use reported_task::ReportedTask;

/// The kind of a message in which a coding agent's program reports on a task.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskEvent {
    /// A report on the end of a task.
    Ended(Box<ReportedTask>),
    /// A statement about the repository that the agent learned in a task.
    Learned,
}

/// A message about a task.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TaskMessage {
    /// The report of a task's end.
    Ended(Box<ReportedTask>),
    /// Statements about the repository, each with its topic.
    Learned(Vec<String>),
}

/// Metadata key of the type of an event.
const TYPE: &str = "type";
/// Values of that key: the agent's report, and the orchestrator's report in its place.
const EPISODE: &str = "task_episode";
const FALLBACK: &str = "orchestrator_fallback_episode";
/// The value of statements about the repository, and their heading.
const LEARNINGS: &str = "repo_learnings";
const LEARNINGS_HEAD: &str = "Repository learnings:";

/// Returns the report in a message; `None` for any other message.
pub(super) fn read(metadata: &BTreeMap<String, String>, role: Role, text: &str) -> Option<TaskMessage> {
    let learned = || {
        let text = text.trim_start();
        TaskMessage::Learned(learnings::statements(text.strip_prefix(LEARNINGS_HEAD).unwrap_or(text)))
    };
    let ended = |is_fallback| TaskMessage::Ended(Box::new(ReportedTask::read(metadata, text, is_fallback)));
    match metadata.get(TYPE).map(String::as_str) {
        Some(LEARNINGS) => Some(learned()),
        Some(EPISODE) => Some(ended(false)),
        Some(FALLBACK) => Some(ended(true)),
        Some(_) | None if HEAD.is_match(text) => Some(ended(false)),
        // A person or an assistant may quote this heading; only a harness sends the role `OTHER`.
        Some(_) | None if role == Role::Other && text.trim_start().starts_with(LEARNINGS_HEAD) => {
            Some(learned())
        }
        Some(_) | None => None,
    }
}

/// The first line of such a report.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"^\s*Task\s+(\S+)\s+(?:completed|ended|finished)\s+with\s+status:\s*([A-Za-z_-]+)\.?")
});

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by the tests of this folder")]
fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "Task t-1 completed with status: COMPLETED. Cost: $0.4213.";

    #[test]
    fn which_messages_tell_of_a_task() {
        let check = |kind: Option<&str>, role, text: &str, expect: Option<&str>| {
            let metadata = kind.map(|kind| (TYPE.to_owned(), kind.to_owned())).into_iter().collect();
            let found = read(&metadata, role, text).map(|message| match message {
                TaskMessage::Ended(report) => report.source_type,
                TaskMessage::Learned(statements) => statements.join("|"),
            });
            assert_eq!(found.as_deref(), expect, "{kind:?} {role:?} {text}");
        };
        let list = "Repository learnings: - [CI]: runs on Node 20.\n- **Build:** run `make gen` first.";
        let both = "[CI]: runs on Node 20.|**Build:** run `make gen` first.";
        check(Some(EPISODE), Role::Other, LINE, Some("agent_episode"));
        check(Some(FALLBACK), Role::Other, LINE, Some("orchestrator_fallback"));
        check(None, Role::Assistant, LINE, Some("agent_episode"));
        check(Some("note"), Role::User, LINE, Some("agent_episode"));
        check(Some(LEARNINGS), Role::Assistant, list, Some(both));
        check(None, Role::Other, list, Some(both));
        check(None, Role::Assistant, list, None);
        check(Some(LEARNINGS), Role::Other, "Repository learnings: No new repository learnings.", Some(""));
        check(None, Role::User, "Task t-1 is done, it did cost $3.", None);
        check(Some(EPISODE), Role::Other, "Pagination is done.", Some("agent_episode"));
    }
}
