//! `loci consolidate --path`: consolidates a plain directory without a server, a store or a model.
//! Files are read completely and replaced by renaming. Nothing is written without `--apply`, and
//! new files are written before old ones are removed.

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use loci_api::documents::consolidation as shape;
use loci_documents::consolidation::changelog::ChangelogEntry;
use loci_documents::consolidation::report::report;
use loci_documents::consolidation::{PlanRequest, PlanResult, plan};
use loci_documents::upkeep::CHANGELOG;
use loci_documents::upkeep::directory::{Directory, DirectoryFile, FileChange, ready};
use loci_engine::consolidation::plan::Operation;
use loci_model::{Timestamp, limits};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::{Consolidate, Planner, Scope};
use crate::adapters::SystemClock;
use crate::exit::{CommandOutcome, Usage};
use crate::output;

/// The maximum number of files in a directory.
const FILES_MAX: usize = limits::UPKEEP_DOCUMENTS_MAX;
const RULES: &str = "deterministic@2";
/// The name prefix of incomplete files.
const DRAFT: &str = ".loci-new-";

pub(super) fn run(asked: &Consolidate, root: &Path) -> Result<shape::ConsolidationRun> {
    if asked.planner == Planner::Llm {
        return Err(Usage("a directory is planned by rules: leave --planner out".to_owned()).into());
    }
    if asked.scope == Some(Scope::SinceLast) {
        let rule = "a directory keeps no record of runs: --scope is all";
        return Err(Usage(rule.to_owned()).into());
    }
    let now = loci_model::ports::clock::Clock::now(&SystemClock::default());
    let operations = operations(&asked.ops)?;
    let DirectoryContent { files, unread } = found(root)?;
    let read = files.iter().map(|file| &file.path);
    let paths: Vec<String> = read.chain(unread.iter().map(|(path, _)| path)).cloned().collect();
    let word = asked.layout.as_deref().unwrap_or_else(|| Directory::layout_of(&paths));
    let directory = Directory::read(Directory::layout_named(word)?, files, unread)?;
    for (path, why) in &directory.refused {
        output::note(format!("{path} is left alone: {why}"));
    }
    let snapshot = directory.snapshot()?;
    let question = PlanRequest::of(&operations, now);
    let planned = plan(&snapshot, &question);
    let ready = ready(&planned.actions);
    let mut changes = directory.after(&ready)?;
    let is_sound = planned.violations.is_empty();
    let applies = asked.apply && is_sound && !ready.is_empty();
    if applies {
        let done: Vec<_> = planned.actions.iter().filter(|one| one.held.is_none()).cloned().collect();
        changes.extend(directory.logged(&ChangelogEntry {
            at: now,
            run: "directory",
            planner: RULES,
            operations: &operations,
            actions: &done,
            held: planned.actions.len() - done.len(),
            failed_deletes: &[],
            summary: &planned.summary(),
        }));
        write(root, &changes)?;
    }
    let told = serde_json::to_value(report(&snapshot, &planned, &question, 0))?;
    let status = match (is_sound, asked.apply) {
        (false, _) => "failed",
        (true, true) => "applied",
        (true, false) => "planned",
    };
    shaped(status, &planned, (&operations, now), changes, told)
}

fn operations(words: &[String]) -> Result<Vec<Operation>> {
    if words.is_empty() {
        return Ok(Operation::DEFAULT.to_vec());
    }
    let read = |word: &String| {
        let operation = serde_json::from_value::<Operation>(Value::String(word.clone()));
        let rule = "--ops must be of resolve_contradictions, deduplicate, derive_insights, reorganize, prune";
        operation.map_err(|_| anyhow::Error::from(Usage(rule.to_owned())))
    };
    let all = words.iter().map(read).collect::<Result<BTreeSet<_>>>()?;
    Ok(all.into_iter().collect())
}

/// The files that were read from a directory.
#[derive(Debug, Default)]
struct DirectoryContent {
    files: Vec<DirectoryFile>,
    /// Files that cannot be planned on, with the reason. They stay, and nothing replaces them.
    unread: Vec<(String, String)>,
}

/// Returns the Markdown files of a directory, by path. It follows no links, and ignores names that
/// begin with a dot.
fn found(root: &Path) -> Result<DirectoryContent> {
    let mut found = DirectoryContent::default();
    let mut waiting = vec![String::new()];
    while let Some(below) = waiting.pop() {
        let place = root.join(&below);
        let entries = std::fs::read_dir(&place).with_context(|| format!("reading {}", place.display()))?;
        for entry in entries {
            let entry = entry?;
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            if name.starts_with('.') {
                continue;
            }
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                waiting.push(path);
            } else if path.ends_with(".md") {
                match file(root, &path, kind.is_file())? {
                    Ok(file) => found.files.push(file),
                    Err(why) => found.unread.push((path, why)),
                }
            }
        }
        if found.files.len() + found.unread.len() > FILES_MAX {
            bail!("the directory has more than {FILES_MAX} files");
        }
    }
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found.unread.sort();
    Ok(found)
}

/// Reads a file, or returns the reason why it cannot be planned on. The changelog grows with each
/// run, so its size does not matter.
fn file(root: &Path, path: &str, is_plain: bool) -> Result<Result<DirectoryFile, String>> {
    if !is_plain {
        return Ok(Err("it is no plain file".to_owned()));
    }
    let place = root.join(path);
    let about = std::fs::metadata(&place)?;
    if about.len() > limits::FILE_BYTES_MAX as u64 && path != CHANGELOG {
        return Ok(Err(format!("it has more than {} bytes", limits::FILE_BYTES_MAX)));
    }
    let bytes = std::fs::read(&place).with_context(|| format!("reading {}", place.display()))?;
    let Ok(text) = String::from_utf8(bytes) else { return Ok(Err("it is no UTF-8".to_owned())) };
    let since = about.modified()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let modified_at = Timestamp::clamped(i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    Ok(Ok(DirectoryFile { path: path.to_owned(), text, modified_at }))
}

/// Writes complete files by renaming, then removes obsolete ones. A file that changed since it was
/// read aborts the whole operation.
fn write(root: &Path, changes: &[FileChange]) -> Result<()> {
    for change in changes {
        if !is_as_read(root, change)? {
            let text = format!("{} was changed meanwhile: nothing is written, begin again", change.path);
            return Err(CommandOutcome { code: 3, text }.into());
        }
    }
    for change in changes {
        let Some(text) = &change.after else { continue };
        put(root, change, text)?;
    }
    for change in changes.iter().filter(|change| change.after.is_none()) {
        let place = root.join(&change.path);
        std::fs::remove_file(&place).with_context(|| format!("removing {}", place.display()))?;
    }
    Ok(())
}

/// True if a file is unchanged since it was read. If there was none, nothing may exist there now.
fn is_as_read(root: &Path, change: &FileChange) -> Result<bool> {
    let place = root.join(&change.path);
    let is = match std::fs::symlink_metadata(&place) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        about => Some(about.with_context(|| format!("looking at {}", place.display()))?),
    };
    match (&change.before, is) {
        (None, is) => Ok(is.is_none()),
        (Some(before), Some(about)) if about.is_file() => {
            let bytes = std::fs::read(&place).with_context(|| format!("reading {}", place.display()))?;
            Ok(bytes == before.as_bytes())
        }
        (Some(_), _) => Ok(false),
    }
}

/// Writes a file with the permissions of the file that it replaces or moves, and with the time of
/// its content. Only the owner can read it until it is complete, and it is removed if it cannot be
/// completed.
fn put(root: &Path, change: &FileChange, text: &str) -> Result<()> {
    let place = root.join(&change.path);
    let writing = || format!("writing {}", place.display());
    let folder = place.parent().unwrap_or(root);
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let own = change.before.is_some().then_some(&change.path);
    let like = change.moved_from.as_ref().or(own);
    let rights = match like {
        Some(like) => std::fs::metadata(root.join(like)).with_context(writing)?.permissions(),
        None => rights_of_new(folder).with_context(writing)?,
    };
    let mut file = draft(folder).with_context(writing)?;
    file.write_all(text.as_bytes()).with_context(writing)?;
    if let Some(at) = change.modified_at {
        let since = Duration::from_millis(u64::try_from(at.millis()).unwrap_or_default());
        file.as_file().set_modified(SystemTime::UNIX_EPOCH + since).with_context(writing)?;
    }
    file.as_file().set_permissions(rights).with_context(writing)?;
    file.persist(&place).map(drop).map_err(|error| error.error).with_context(writing)
}

/// Creates a file that only its owner can read.
fn draft(folder: &Path) -> std::io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(DRAFT).permissions(Permissions::from_mode(0o600)).tempfile_in(folder)
}

/// Returns the permissions that the user's umask leaves to a new file, read from an empty one.
fn rights_of_new(folder: &Path) -> std::io::Result<Permissions> {
    let mut builder = tempfile::Builder::new();
    let probe = builder.prefix(DRAFT).permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    Ok(probe.as_file().metadata()?.permissions())
}

/// Returns the run in the shape of a server's answer.
fn shaped(
    status: &str,
    planned: &PlanResult,
    (operations, now): (&[Operation], Timestamp),
    changes: Vec<FileChange>,
    report: Value,
) -> Result<shape::ConsolidationRun> {
    let word = |operation: &Operation| -> Result<String> {
        Ok(serde_json::to_value(operation)?.as_str().unwrap_or_default().to_owned())
    };
    let mut actions = Vec::new();
    for (number, one) in (1..).zip(&planned.actions) {
        let status = match (&one.held, status) {
            (Some(_), _) => "held",
            (None, "applied") => "applied",
            (None, _) => "planned",
        };
        actions.push(shape::ConsolidationAction {
            id: format!("a{number}"),
            status: status.to_owned(),
            operation: word(&one.operation)?,
            action: serde_json::to_value(&one.action)?,
            reason: one.action.reason().to_owned(),
            held: one.held.clone(),
        });
    }
    let violation = |one: &loci_engine::consolidation::validator::Violation| shape::ConsolidationViolation {
        code: format!("{:?}", one.code),
        action: Some(format!("a{}", one.action + 1)),
        message: one.message.clone(),
    };
    let difference = |change: FileChange| shape::ConsolidationDifference {
        action: None,
        unified: Some(change.unified()),
        path_a: change.before.is_some().then(|| change.path.clone()),
        path_b: change.after.is_some().then_some(change.path),
    };
    Ok(shape::ConsolidationRun {
        namespace: "/".to_owned(),
        status: status.to_owned(),
        operations: operations.iter().map(word).collect::<Result<_>>()?,
        scope: shape::ConsolidationScope { kind: "all".to_owned(), paths: Vec::new() },
        planner: RULES.to_owned(),
        dry_run: status != "applied",
        plan: actions,
        reviews: planned
            .reviews
            .iter()
            .map(|one| shape::ConsolidationReview {
                reason: one.kind.text().to_owned(),
                paths: one.paths.to_vec(),
            })
            .collect(),
        violations: planned.violations.iter().map(violation).collect(),
        summary: planned.summary(),
        report: Some(report),
        differences: changes.into_iter().map(difference).collect(),
        created_at: now.to_rfc3339(),
        updated_at: now.to_rfc3339(),
        ..shape::ConsolidationRun::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: Option<&str>, after: Option<&str>) -> FileChange {
        FileChange {
            path: "a.md".to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            moved_from: None,
            modified_at: Some(Timestamp::EPOCH.plus_millis(5_000)),
        }
    }

    #[test]
    fn what_was_changed_meanwhile_stops_all() {
        let check = |lies: Option<&[u8]>, change: FileChange, writes: bool| {
            let folder = tempfile::tempdir().unwrap();
            let place = folder.path().join("a.md");
            if let Some(bytes) = lies {
                std::fs::write(&place, bytes).unwrap();
            }
            let after = change.after.clone().map(String::into_bytes);
            match write(folder.path(), &[change]) {
                Ok(()) => assert!(writes && std::fs::read(&place).ok() == after),
                Err(error) => {
                    assert_eq!(error.downcast_ref::<CommandOutcome>().map(|outcome| outcome.code), Some(3));
                    assert!(!writes && std::fs::read(&place).ok().as_deref() == lies);
                }
            }
        };
        check(None, change(None, Some("new")), true);
        check(Some(b"\xe4"), change(None, Some("new")), false);
        check(Some(b""), change(None, Some("new")), false);
        check(Some(b"old"), change(Some("old"), Some("new")), true);
        check(Some(b"older"), change(Some("old"), Some("new")), false);
        check(None, change(Some("old"), None), false);
        check(Some(b"old"), change(Some("old"), None), true);
    }

    #[test]
    fn a_file_that_cannot_be_put_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a.md")).unwrap();
        let error = put(folder.path(), &change(None, Some("new")), "new").unwrap_err();
        assert!(error.to_string().contains("a.md"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_new_file_has_the_rights_of_new_files_once_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |about: std::fs::Metadata| about.permissions().mode() & 0o7777;
        let draft = draft(folder.path()).unwrap();
        assert_eq!(mode(draft.as_file().metadata().unwrap()), 0o600);
        drop(draft);
        let other = folder.path().join("other");
        std::fs::write(&other, "").unwrap();
        put(folder.path(), &change(None, Some("new")), "new").unwrap();
        let made = std::fs::metadata(folder.path().join("a.md")).unwrap();
        assert_eq!(mode(made), mode(std::fs::metadata(&other).unwrap()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn rights_and_times_stay() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a.md");
        std::fs::write(&place, "old").unwrap();
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o600)).unwrap();
        write(folder.path(), &[change(Some("old"), Some("new"))]).unwrap();
        let about = std::fs::metadata(&place).unwrap();
        assert_eq!(about.permissions().mode() & 0o777, 0o600);
        assert_eq!(about.modified().unwrap(), SystemTime::UNIX_EPOCH + Duration::from_secs(5));
    }
}
