//! Changes that tasks report. A reported change is one change of the graph, identical to its squash
//! commit or pull request. Reports of untrusted tasks do not count.

use loci_engine::safety::{RedactionMode, secrets};
use loci_model::Result;
use loci_model::facts::code::ObjectId;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::Tx;
use loci_model::tasks::file_change::{HistoryProgress, TaskFiles};
use loci_model::tasks::task::Task;
use loci_model::{Timestamp, limits};
use loci_verified::verifier::check_path;

use super::history_job::progress_of;

/// Records the files that a task changed, in addition to those recorded before.
pub(crate) fn note(
    tx: &mut dyn Tx,
    task: &Task,
    files: &[String],
    commits: &[String],
    at: Timestamp,
) -> Result<()> {
    let Some(id) = &task.repository else { return Ok(()) };
    if task.security_alert.is_some() {
        return Ok(());
    }
    let key = TaskFiles::key_of(&task.id);
    let before = tx.ledger().noun::<TaskFiles>(&task.memory, &key)?;
    if before.is_none() && files.is_empty() {
        return Ok(());
    }
    let Some(repository) = tx.repositories().get(&task.memory, id)? else { return Ok(()) };
    let mut told = before.clone().unwrap_or_else(|| TaskFiles {
        memory: task.memory.clone(),
        actor: task.actor.clone(),
        repository: id.clone(),
        task: task.id.clone(),
        at,
        files: Vec::new(),
        commits: Vec::new(),
        pull_request: None,
    });
    for path in files.iter().filter_map(|path| written(path)) {
        if !told.files.contains(&path) && told.files.len() < limits::TASK_FILES_MAX {
            told.files.push(path);
        }
    }
    let merge = task.pr.as_ref().and_then(|pr| pr.merge_commit_sha.as_ref());
    for commit in commits.iter().chain(merge).filter_map(|commit| ObjectId::parse(commit)) {
        if !told.commits.contains(&commit) && told.commits.len() < limits::TASK_FILES_MAX {
            told.commits.push(commit);
        }
    }
    told.pull_request = task.pr.as_ref().map(|pr| pr.number).or(told.pull_request);
    if before.as_ref() == Some(&told) || told.files.is_empty() {
        return Ok(());
    }
    told.at = at;
    let mut progress = progress_of(tx, &repository, &epoch(task, at), at)?;
    progress.revision += 1;
    progress.updated_at = at;
    tx.ledger_mut().put_noun(&told)?;
    tx.ledger_mut().put_noun(&progress)
}

/// Withdraws the changes that a task reported.
pub(crate) fn take_back(tx: &mut dyn Tx, task: &Task, at: Timestamp) -> Result<()> {
    let Some(id) = &task.repository else { return Ok(()) };
    let key = TaskFiles::key_of(&task.id);
    if !tx.ledger_mut().remove(&task.memory, &TaskFiles::SHELF, &key)? {
        return Ok(());
    }
    let progress = tx.ledger().noun::<HistoryProgress>(&task.memory, &HistoryProgress::key_of(id))?;
    if let Some(mut progress) = progress {
        progress.epoch = epoch(task, at);
        progress.revision += 1;
        progress.updated_at = at;
        tx.ledger_mut().put_noun(&progress)?;
    }
    Ok(())
}

/// Returns a unique name for the epoch that a task starts at a time.
fn epoch(task: &Task, at: Timestamp) -> String {
    format!("{}@{}", task.id, at.millis())
}

/// Returns a path in its stored form: relative to the root of the repository, with secrets masked.
/// `None` if the path is invalid.
fn written(path: &str) -> Option<String> {
    let path = path.trim();
    let path = secrets::redact(path.strip_prefix("./").unwrap_or(path).to_owned(), RedactionMode::Mask).0;
    check_path(&path).is_ok().then_some(path)
}
