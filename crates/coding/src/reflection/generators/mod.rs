//! Generators that find reflections in tasks without a model, one file each: pure, over the data in
//! `evidence`. A common rule decides if enough tasks support a finding.
//!
//! To add one: a file with a function from the ground to its findings, a line in [`GENERATORS`],
//! cases in its test.

mod change_shapes;
mod comments;
mod failures;
mod fragile_modules;
mod missed_files;
mod missing_information;

use super::evidence::{TaskEvidence, TaskPattern};

/// All generators.
pub(super) const GENERATORS: &[fn(&TaskEvidence) -> Vec<TaskPattern>] = &[
    failures::found,
    comments::found,
    fragile_modules::found,
    missing_information::found,
    missed_files::found,
    change_shapes::found,
];

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use loci_model::tasks::task::TaskStatus;
    use loci_model::{RecordId, TaskId};

    use super::super::evidence::EndedTask;
    use super::*;

    /// Returns a task that ended well, and changed these files.
    pub(in crate::reflection) fn work(number: u8, files: &[&str]) -> EndedTask {
        EndedTask {
            episode: RecordId::compose(&format!("0192d1e8-7b7a-7c3e-8f00-0000000000{number:02x}")).unwrap(),
            task: TaskId::parse(format!("t-{number:03}")).unwrap(),
            is_minimal: false,
            status: Some(TaskStatus::Completed),
            failure: None,
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            outcome: None,
            ci_passed: None,
            has_feedback: false,
            asked: Vec::new(),
            is_reviewed: false,
            named: BTreeSet::new(),
        }
    }

    /// Returns the findings on a subject, as hits and the number of tasks that were checked.
    pub(in crate::reflection) fn counts(found: &[TaskPattern]) -> Vec<(&str, usize, usize)> {
        found.iter().map(|one| (one.key.as_str(), one.hits.len(), one.of.len())).collect()
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        let ground = TaskEvidence { works: vec![work(1, &["src/a/b.rs"])], ..TaskEvidence::default() };
        assert!(GENERATORS.iter().all(|found| found(&ground).is_empty()));
    }
}
