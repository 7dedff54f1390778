//! The task of a working tree. It is stored with the state of the working tree, so that the working
//! trees of one clone can have different tasks. The environment takes precedence.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use loci_server::regular_file;
use serde::{Deserialize, Serialize};

use super::git::WorkingTree;
use crate::config::environment::Environment;

/// The task of a working tree, and the server that receives reports about it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct TaskHere {
    /// The id of the task.
    pub(crate) task: String,
    /// The version of the task's prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prompt_version: Option<String>,
    /// The user who requested the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) user: Option<String>,
    /// The URL of the server that receives reports. `None` means the local one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// The folder of the store, if there is no remote server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data_dir: Option<PathBuf>,
    /// The memory of the task, by name or id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<String>,
}

/// Returns the path of the file in a working tree's own directory.
pub(super) fn file(own: &Path) -> PathBuf {
    own.join("loci").join("githook-task.json")
}

/// Returns the installed task of a working tree.
///
/// # Errors
/// The file cannot be read.
pub(super) fn installed(own: &Path) -> Result<Option<TaskHere>> {
    let path = file(own);
    match regular_file::read(&path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map(Some).with_context(|| format!("the file {}", path.display()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("the file {}", path.display())),
    }
}

/// Returns the installed task of any working tree of a clone. All of them belong to one repository.
pub(super) fn anybodys(tree: &WorkingTree) -> Option<TaskHere> {
    tree.all_of_clone().iter().find_map(|own| installed(own).ok().flatten())
}

/// Returns the task from the environment, completed by the installed one. A prompt version of
/// another task is ignored.
pub(crate) fn with(environment: &Environment, installed: Option<TaskHere>) -> Option<TaskHere> {
    let of =
        |ours: &str, plain: &str| environment.get(ours).or_else(|| environment.get(plain)).map(str::to_owned);
    let task = of("LOCI_TASK_ID", "TASK_ID");
    let mut here = installed.unwrap_or_default();
    if let Some(task) = task
        && task != here.task
    {
        here = TaskHere { task, prompt_version: None, user: None, ..here };
    }
    if let Some(version) = of("LOCI_PROMPT_VERSION", "PROMPT_VERSION") {
        here.prompt_version = Some(version);
    }
    (!here.task.is_empty()).then_some(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(task: &str, version: Option<&str>) -> TaskHere {
        TaskHere { task: task.into(), prompt_version: version.map(Into::into), ..TaskHere::default() }
    }

    #[test]
    fn the_environment_comes_first() {
        let check = |pairs: &[(&str, &str)], installed: Option<TaskHere>, expect: Option<TaskHere>| {
            assert_eq!(with(&Environment::of(pairs), installed), expect, "{pairs:?}");
        };
        let known = || Some(here("t-1", Some("a")));
        check(&[], None, None);
        check(&[], known(), known());
        check(&[("TASK_ID", "t-2")], None, Some(here("t-2", None)));
        check(&[("TASK_ID", "t-2")], known(), Some(here("t-2", None)));
        check(&[("TASK_ID", "t-1")], known(), known());
        check(&[("TASK_ID", "t-2"), ("LOCI_TASK_ID", "t-3")], known(), Some(here("t-3", None)));
        check(&[("PROMPT_VERSION", "b")], known(), Some(here("t-1", Some("b"))));
        check(&[("PROMPT_VERSION", "b")], None, None);
    }
}
