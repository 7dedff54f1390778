//! The digest of a task's input: the part that differs between tasks with the same prompt version.
//! Pure. Shown memory is not included, because it has a digest of its own.

use loci_model::Result;
use loci_model::tasks::task::Task;
use serde_json::json;

use super::canonical_json::canonical;
use super::version_names::digest;

/// Returns the SHA-256, as 64 hex digits, of the UTF-8 of the RFC 8785 canonical JSON
/// `{"description":"…","issue":123}`: the issue's number, or null, and the task's stored text with
/// secrets masked. Every reader of the task can compute it again.
///
/// # Errors
/// `Invalid` for a number beyond double precision, which no issue has.
pub(crate) fn input_hash(task: &Task) -> Result<String> {
    let asked = json!({ "description": task.description, "issue": task.issue });
    Ok(digest(&canonical(&asked)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::MemoryId;
    use loci_testkit_ports::task_samples;

    #[test]
    fn what_is_asked_and_nothing_else() {
        let memory = MemoryId::parse("code-0123456789").unwrap();
        let task = Task {
            description: "Add pagination to /orders".to_owned(),
            issue: Some(123),
            ..task_samples::task(&memory, 1).unwrap()
        };
        let check = |task: Task, expect: &str| assert_eq!(input_hash(&task).unwrap(), expect, "{task:?}");
        let of = |text: &str| digest(text);
        let known = of(r#"{"description":"Add pagination to /orders","issue":123}"#);
        assert_eq!(known, "aeb934c5b2de5b37f5bd54fdeea6c59e22c97fb5ae5f767991457f9511c5776d");
        check(task.clone(), &known);
        check(Task { memory_hash: None, model: None, prompt_version: None, ..task.clone() }, &known);
        let bare = of(r#"{"description":"Add pagination to /orders","issue":null}"#);
        check(Task { issue: None, ..task }, &bare);
    }
}
