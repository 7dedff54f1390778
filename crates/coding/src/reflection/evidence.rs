//! The data that reflections are based on: ended tasks, with their episodes and reviews. Plain
//! values: the generators that use them are pure.

use std::collections::BTreeSet;

use loci_model::tasks::task::TaskStatus;
use loci_model::{RecordId, TaskId};

/// Directories that contain modules and are not modules themselves.
const HOLDERS: &[&str] = &[
    "src", "lib", "libs", "app", "apps", "packages", "crates", "services", "modules", "internal", "pkg",
    "cmd",
];

/// A task that has ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EndedTask {
    /// Its episode.
    pub(super) episode: RecordId,
    pub(super) task: TaskId,
    /// True if only the orchestrator reported it. Such a task counts only for failures.
    pub(super) is_minimal: bool,
    pub(super) status: Option<TaskStatus>,
    /// The kind of its failure.
    pub(super) failure: Option<String>,
    pub(super) files: Vec<String>,
    /// The outcome of its pull request, as one word.
    pub(super) outcome: Option<String>,
    /// True if the first checks of its pull request passed.
    pub(super) ci_passed: Option<bool>,
    /// True if its agent reported self-feedback.
    pub(super) has_feedback: bool,
    /// Requests of its reviewers, each with a key that identifies repetitions, and its text.
    pub(super) asked: Vec<(String, String)>,
    /// True if it was reviewed.
    pub(super) is_reviewed: bool,
    /// Files that its reviewers named: paths, and suffixes of paths.
    pub(super) named: BTreeSet<String>,
}

impl EndedTask {
    /// Returns the modules that it changed.
    pub(super) fn modules(&self) -> BTreeSet<String> {
        self.files.iter().filter_map(|file| module_of(file)).collect()
    }

    /// Returns the kind of its failure, if it failed.
    pub(super) fn failed_by(&self) -> Option<&str> {
        match (self.status?, &self.failure) {
            (TaskStatus::Failed, Some(category)) => Some(category),
            (TaskStatus::TimedOut, None) => Some("timeout"),
            (TaskStatus::TimedOut, Some(category)) => Some(category),
            _ => None,
        }
    }
}

/// Information that several tasks lacked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MissingInformation {
    /// The id of its theme.
    pub(super) id: String,
    /// The text of its newest item.
    pub(super) text: String,
    /// The tasks that lacked it.
    pub(super) tasks: BTreeSet<String>,
}

/// A file that reviewers named, and the files that it usually changes with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CoChangedFiles {
    pub(super) path: String,
    /// Files of tasks.
    pub(super) because: BTreeSet<String>,
}

/// True if a name identifies a file: its path, or the last segments of it.
pub(super) fn is_named_by(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The data of all generators.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct TaskEvidence {
    /// The tasks, the oldest first.
    pub(super) works: Vec<EndedTask>,
    pub(super) lacked: Vec<MissingInformation>,
    pub(super) together: Vec<CoChangedFiles>,
}

impl TaskEvidence {
    /// Returns the tasks with a report.
    pub(super) fn told(&self) -> impl Iterator<Item = &EndedTask> {
        self.works.iter().filter(|work| !work.is_minimal)
    }

    /// Returns the modules that tasks changed, in order.
    pub(super) fn modules(&self) -> BTreeSet<String> {
        self.works.iter().flat_map(EndedTask::modules).collect()
    }
}

/// A common property of several tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskPattern {
    /// The key of the subject. A later finding with this key replaces it.
    pub(super) key: String,
    /// The text, without numbers.
    pub(super) text: String,
    /// A description of the counted property.
    pub(super) predicate: String,
    /// Episodes with the property.
    pub(super) hits: Vec<RecordId>,
    /// Episodes that were checked.
    pub(super) of: Vec<RecordId>,
}

impl TaskPattern {
    /// Returns a finding with its hits among the checked tasks.
    pub(super) fn counted<'a>(
        (key, text, predicate): (String, String, String),
        of: impl Iterator<Item = &'a EndedTask>,
        is_hit: impl Fn(&EndedTask) -> bool,
    ) -> Self {
        let of: Vec<&EndedTask> = of.collect();
        let hits = of.iter().filter(|work| is_hit(work)).map(|work| work.episode.clone()).collect();
        let of = of.iter().map(|work| work.episode.clone()).collect();
        Self { key, text, predicate, hits, of }
    }
}

/// Returns the module of a file: its first directory, or the first two if the first contains
/// modules.
fn module_of(path: &str) -> Option<String> {
    let mut segments = path.trim_start_matches("./").split('/');
    let first = segments.next()?;
    let second = segments.next()?;
    let has_more = segments.next().is_some();
    Some(if HOLDERS.contains(&first) && has_more { format!("{first}/{second}") } else { first.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_files() {
        for (path, expect) in [
            ("src/api/orders.ts", Some("src/api")),
            ("src/main.rs", Some("src")),
            ("docs/a/b.md", Some("docs")),
            ("./crates/engine/src/a.rs", Some("crates/engine")),
            ("Makefile", None),
        ] {
            assert_eq!(module_of(path).as_deref(), expect, "{path}");
        }
    }

    #[test]
    fn names_of_files() {
        for (path, name, expect) in [
            ("docs/openapi.yaml", "docs/openapi.yaml", true),
            ("docs/openapi.yaml", "openapi.yaml", true),
            ("docs/openapi.yaml", "api.yaml", false),
            ("openapi.yaml", "docs/openapi.yaml", false),
        ] {
            assert_eq!(is_named_by(path, name), expect, "{path} {name}");
        }
    }
}
