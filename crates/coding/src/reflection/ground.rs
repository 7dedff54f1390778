//! What reflections are drawn from: tasks that have ended, as their episodes and reviews tell them. Plain values: what is found in them is
//! pure.

use std::collections::BTreeSet;

use loci_model::tasks::task::TaskStatus;
use loci_model::{RecordId, TaskId};

/// Directories that hold modules, and are none.
const HOLDERS: &[&str] = &[
    "src", "lib", "libs", "app", "apps", "packages", "crates", "services", "modules", "internal", "pkg",
    "cmd",
];

/// A task that has ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Work {
    /// Its episode.
    pub(super) episode: RecordId,
    pub(super) task: TaskId,
    /// All that is known is what the orchestrator could say: it counts for failures alone.
    pub(super) is_minimal: bool,
    pub(super) status: Option<TaskStatus>,
    /// Which kind of failure it was.
    pub(super) failure: Option<String>,
    pub(super) files: Vec<String>,
    /// How its pull request ended, in a word.
    pub(super) outcome: Option<String>,
    /// Whether the first checks of its pull request passed.
    pub(super) ci_passed: Option<bool>,
    /// Its agent said what it would have needed.
    pub(super) has_feedback: bool,
    /// Requests of its reviewers: each with the key by which it is the same as another, and as it was said.
    pub(super) asked: Vec<(String, String)>,
    /// It was reviewed.
    pub(super) is_reviewed: bool,
    /// Files that its reviewers named: paths, and ends of paths.
    pub(super) named: BTreeSet<String>,
}

impl Work {
    /// Modules that it touched.
    pub(super) fn modules(&self) -> BTreeSet<String> {
        self.files.iter().filter_map(|file| module_of(file)).collect()
    }

    /// Which kind of failure it ended in, where it did.
    pub(super) fn failed_by(&self) -> Option<&str> {
        match (self.status?, &self.failure) {
            (TaskStatus::Failed, Some(category)) => Some(category),
            (TaskStatus::TimedOut, None) => Some("timeout"),
            (TaskStatus::TimedOut, Some(category)) => Some(category),
            _ => None,
        }
    }
}

/// What several tasks lacked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lacked {
    /// Its theme.
    pub(super) id: String,
    /// What its newest item says.
    pub(super) text: String,
    /// The tasks that lacked it.
    pub(super) tasks: BTreeSet<String>,
}

/// A file that reviewers named, and what it usually changes with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Together {
    pub(super) path: String,
    /// Files of tasks.
    pub(super) because: BTreeSet<String>,
}

/// Whether a name means a file: it is its path, or the last parts of it.
pub(super) fn is_named_by(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Everything that generators see.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ground {
    /// Oldest first.
    pub(super) works: Vec<Work>,
    pub(super) lacked: Vec<Lacked>,
    pub(super) together: Vec<Together>,
}

impl Ground {
    /// Tasks of which somebody told.
    pub(super) fn told(&self) -> impl Iterator<Item = &Work> {
        self.works.iter().filter(|work| !work.is_minimal)
    }

    /// Modules that tasks touched, in order.
    pub(super) fn modules(&self) -> BTreeSet<String> {
        self.works.iter().flat_map(Work::modules).collect()
    }
}

/// Something that several tasks have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Names the subject: what is found of it later takes its place.
    pub(super) key: String,
    /// What it says, without numbers.
    pub(super) text: String,
    /// What was counted, in words.
    pub(super) predicate: String,
    /// Episodes that bear it out.
    pub(super) hits: Vec<RecordId>,
    /// Episodes that were looked at.
    pub(super) of: Vec<RecordId>,
}

impl Found {
    /// Of tasks that were looked at those that bear it out.
    pub(super) fn counted<'a>(
        (key, text, predicate): (String, String, String),
        of: impl Iterator<Item = &'a Work>,
        is_hit: impl Fn(&Work) -> bool,
    ) -> Self {
        let of: Vec<&Work> = of.collect();
        let hits = of.iter().filter(|work| is_hit(work)).map(|work| work.episode.clone()).collect();
        let of = of.iter().map(|work| work.episode.clone()).collect();
        Self { key, text, predicate, hits, of }
    }
}

/// The module of a file: its first directory, or the second where the first holds modules.
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
