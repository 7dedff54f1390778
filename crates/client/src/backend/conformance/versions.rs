//! Checks of versions: histories, the order of changes, differences between snapshots, and restores
//! as new versions.

use super::check_environment::{
    BackendFault, CheckEnvironment, CheckVerdict, fault, in_words, refused, same,
};
use crate::backend::file_change::{BackendChange, FileOperation, SnapshotRef, VersionQuery};
use crate::backend::path_rules::is_within;
use crate::backend::storage_error::StorageError;
use crate::backend::storage_error::StorageErrorKind::PreconditionFailed;
use crate::backend::stored_file::sha256_hex;

/// The maximum of pages, after which a cursor counts as endless.
const PAGES_MAX: usize = 100_000;

fn failed(error: StorageError) -> BackendFault {
    fault("the call succeeds", in_words(&error))
}

/// Returns the digests of the written versions of a file, newest first, read in pages of `limit`.
async fn written(it: &CheckEnvironment, name: &str, limit: u32) -> Result<Vec<String>, BackendFault> {
    let mut page = VersionQuery { limit, cursor: None };
    let mut out = Vec::new();
    for _ in 0..PAGES_MAX {
        let found = it.backend.history(&it.at(name), &page).await.map_err(failed)?;
        if found.versions.len() > usize::try_from(limit).unwrap_or(usize::MAX) {
            let count = format!("{} versions", found.versions.len());
            return Err(fault(format!("at most {limit} versions on a page"), count));
        }
        let writes = found.versions.into_iter().filter(|one| one.operation == FileOperation::Write);
        out.extend(writes.filter_map(|version| version.sha256));
        match found.next {
            None => return Ok(out),
            next => page.cursor = next,
        }
    }
    Err(fault("a history ends", format!("{PAGES_MAX} pages")))
}

pub(super) async fn history(it: &CheckEnvironment) -> CheckVerdict {
    let texts = ["first\n", "second\n", "third\n"];
    for text in texts {
        it.write("a.md", text.as_bytes()).await?;
    }
    it.write("a.md", b"third\n").await?;
    let expected: Vec<String> = texts.iter().rev().map(|text| sha256_hex(text.as_bytes())).collect();
    same(
        "versions, newest first, none for a write of the same bytes",
        &written(it, "a.md", 100).await?,
        &expected,
    )?;
    same("versions in pages of one", &written(it, "a.md", 1).await?, &expected)?;
    same("versions of a path that never was", &written(it, "never.md", 100).await?, &Vec::new())
}

/// Returns all changes after a cursor, and the cursor of the end.
async fn changes_from(
    it: &CheckEnvironment,
    since: Option<String>,
    limit: u32,
) -> Result<(Vec<BackendChange>, String), BackendFault> {
    let (mut since, mut out) = (since, Vec::new());
    for _ in 0..PAGES_MAX {
        let found = it.backend.changes_since(since.as_deref(), limit).await.map_err(failed)?;
        let inside = found.changes.into_iter().filter(|change| is_within(&change.path, &it.prefix));
        out.extend(inside);
        if !found.more {
            return Ok((out, found.next));
        }
        since = Some(found.next);
    }
    Err(fault("the changes end", format!("{PAGES_MAX} pages")))
}

pub(super) async fn changes(it: &CheckEnvironment) -> CheckVerdict {
    let (_, before) = changes_from(it, None, 100).await?;
    it.write("a.md", b"first\n").await?;
    it.write("b.md", b"other\n").await?;
    it.write("a.md", b"second\n").await?;
    it.delete("b.md").await?;
    let expected = [
        (it.at("a.md"), FileOperation::Write, Some(sha256_hex(b"first\n"))),
        (it.at("b.md"), FileOperation::Write, Some(sha256_hex(b"other\n"))),
        (it.at("a.md"), FileOperation::Write, Some(sha256_hex(b"second\n"))),
        (it.at("b.md"), FileOperation::Delete, None),
    ];
    let known = |changes: &[BackendChange]| -> Vec<_> {
        changes.iter().map(|one| (one.path.clone(), one.operation, one.sha256.clone())).collect()
    };
    let (all, _) = changes_from(it, Some(before.clone()), 100).await?;
    same("changes behind a cursor, in their order", &known(&all), &expected.to_vec())?;
    let (paged, end) = changes_from(it, Some(before), 1).await?;
    same("changes in pages of one", &known(&paged), &expected.to_vec())?;
    let (none, _) = changes_from(it, Some(end), 100).await?;
    same("changes behind the end", &known(&none), &Vec::new())?;
    let Some(second) = all.get(1) else { return Ok(()) };
    let (rest, _) = changes_from(it, Some(second.cursor.clone()), 100).await?;
    same("changes behind the second one", &known(&rest).as_slice(), &expected.get(2..).unwrap_or_default())
}

async fn snapshot(it: &CheckEnvironment, number: u32) -> Result<SnapshotRef, BackendFault> {
    it.backend.snapshot(&format!("{}-{number}", it.label)).await.map_err(failed)
}

pub(super) async fn diff(it: &CheckEnvironment) -> CheckVerdict {
    it.write("changed.md", b"one\ntwo\n").await?;
    it.write("gone.md", b"gone\n").await?;
    it.write("same.md", b"same\n").await?;
    let a = snapshot(it, 1).await?;
    it.write("changed.md", b"one\nthree\n").await?;
    it.write("new.md", b"new\n").await?;
    it.delete("gone.md").await?;
    let b = snapshot(it, 2).await?;
    let found = it.backend.diff(&a, &b, None).await.map_err(failed)?;
    let inside = |path: &Option<String>| path.clone().filter(|path| is_within(path, &it.prefix));
    let files: Vec<_> = found.files.iter().map(|file| (inside(&file.path_a), inside(&file.path_b))).collect();
    let files: Vec<_> = files.into_iter().filter(|(a, b)| a.is_some() || b.is_some()).collect();
    let at = |name: &str| Some(it.at(name));
    let expected = vec![(at("changed.md"), at("changed.md")), (at("gone.md"), None), (None, at("new.md"))];
    same("files that differ, by path", &files, &expected)?;
    let one = it.backend.diff(&a, &b, Some(&it.at("changed.md"))).await.map_err(failed)?;
    let one: Vec<_> = one.files.iter().map(|file| file.path_b.clone()).collect();
    same("the difference of one file", &one, &vec![at("changed.md")])?;
    let none = it.backend.diff(&b, &b, Some(&it.at("changed.md"))).await.map_err(failed)?;
    same("the difference of a snapshot from itself", &none.files.len(), &0)
}

pub(super) async fn label(it: &CheckEnvironment) -> CheckVerdict {
    let label = format!("{}-1", it.label);
    let made = it.backend.snapshot(&label).await.map_err(failed)?;
    same("the label of a snapshot", &made.label, &label)?;
    refused("a snapshot of a label that is taken", it.backend.snapshot(&label).await, PreconditionFailed)
}

pub(super) async fn restore(it: &CheckEnvironment) -> CheckVerdict {
    it.write("a.md", b"first\n").await?;
    it.write("gone/b.md", b"back again\n").await?;
    it.write("kept.md", b"kept first\n").await?;
    let before = snapshot(it, 1).await?;
    it.write("a.md", b"second\n").await?;
    it.delete("gone/b.md").await?;
    it.write("kept.md", b"kept second\n").await?;
    let versions = written(it, "a.md", 100).await?;
    let paths = [it.at("a.md"), it.at("gone")];
    let done = it.backend.restore(&before, &paths).await.map_err(failed)?;
    same("files that could not be restored", &done.left_out, &Vec::new())?;
    same("restored files", &done.changed, &vec![it.at("a.md"), it.at("gone/b.md")])?;
    it.holds("a.md", Some(b"first\n")).await?;
    it.holds("gone/b.md", Some(b"back again\n")).await?;
    it.holds("kept.md", Some(b"kept second\n")).await?;
    let expected = [vec![sha256_hex(b"first\n")], versions].concat();
    same(
        "versions after a restore: a new one, and every earlier one",
        &written(it, "a.md", 100).await?,
        &expected,
    )
}
