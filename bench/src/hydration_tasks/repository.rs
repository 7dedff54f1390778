//! A file of learnings and tasks: `[scope]: learning` lines, each followed by its tasks
//! (`- description | path, path`). Under `[none]` are tasks without a matching learning.

use anyhow::{Context, Result, bail, ensure};

/// The learnings of one repository, with the tasks that need them.
#[derive(Debug, Default)]
pub(super) struct Repository {
    pub(super) learnings: Vec<Learning>,
    /// Tasks without a matching learning.
    pub(super) unrelated: Vec<Task>,
}

/// A learning as an agent reports it, with the tasks that need it.
#[derive(Debug)]
pub(super) struct Learning {
    pub(super) text: String,
    pub(super) tasks: Vec<Task>,
}

/// A description, and the paths that its task changes.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) description: String,
    pub(super) paths: Vec<String>,
}

impl Repository {
    /// Reads a file.
    ///
    /// # Errors
    /// Errors with the line that has no known format.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut repository = Self::default();
        let mut is_unrelated = false;
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(task) = line.strip_prefix("- ") {
                let tasks = if is_unrelated {
                    &mut repository.unrelated
                } else {
                    let learning = repository.learnings.last_mut();
                    &mut learning
                        .with_context(|| format!("line {}: a task before its learning", at + 1))?
                        .tasks
                };
                tasks.push(Task::parse(task));
            } else if line == "[none]" {
                is_unrelated = true;
            } else if line.starts_with('[') && !is_unrelated {
                let text = line.strip_prefix("[]:").map_or(line, str::trim).to_owned();
                repository.learnings.push(Learning { text, tasks: Vec::new() });
            } else {
                bail!("line {}: neither a learning nor a task: {line}", at + 1);
            }
        }
        ensure!(repository.learnings.iter().any(|one| !one.tasks.is_empty()), "no learning has a task");
        Ok(repository)
    }
}

impl Task {
    fn parse(text: &str) -> Self {
        let (description, paths) = text.split_once(" | ").unwrap_or((text, ""));
        let paths = paths.split(',').map(str::trim).filter(|path| !path.is_empty());
        Self { description: description.trim().to_owned(), paths: paths.map(str::to_owned).collect() }
    }
}
