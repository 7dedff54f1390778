//! The tasks that the trailers of a commit's message name. They are hints, because anyone can write
//! them. Pure.

use std::collections::BTreeSet;

use loci_model::TaskId;

const NAME: &str = "task-id:";

/// Returns the task ids in order, each once.
pub(crate) fn task_ids(message: &str) -> Vec<TaskId> {
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    for line in message.lines().skip(1) {
        let is_one = line.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME));
        let values = line.get(NAME.len()..).filter(|_| is_one).unwrap_or_default().split(',');
        for id in values.filter_map(|value| TaskId::parse(value.trim()).ok()) {
            if known.insert(id.to_string()) {
                found.push(id);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailers_name_tasks() {
        let check = |message: &str, expect: &[&str]| {
            let found: Vec<String> = task_ids(message).iter().map(ToString::to_string).collect();
            assert_eq!(found, expect, "{message}");
        };
        check("Add pages\n\nTask-Id: t-001\nPrompt-Version: 3f2a", &["t-001"]);
        check("Add pages\n\ntask-id:t-001, t-002\nTask-Id: t-001", &["t-001", "t-002"]);
        check("Task-Id: t-001", &[]);
        check("Add pages\n\nAbout Task-Id: t-001", &[]);
        check("Add pages\n\nTask-Id:", &[]);
        check("Größe\n\nTäsk-Id: t-001", &[]);
    }
}
