//! A bare repository as a file backend: one branch, `main`, one commit per call, and the branch
//! moves only from the commit that was read. All contents of a commit are specified, so that the
//! same changes in the same order give the same ids. This module interprets neither files nor
//! messages.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use loci_model::facts::code::{EntryKind, ObjectId};
use loci_model::ports::BoxFuture;
use loci_model::ports::files::{
    ChangeNote, FileBackend, FileBytes, FileCapabilities, FileChange, FileEntry, FileListing, FileSkipped,
    FileStep, FilesApplied, FilesCommit, Precondition,
};
use loci_model::{Error, Result, limits};
use sha2::{Digest as _, Sha256};

use super::directory::MARKER_BYTES_MAX;
use super::edited_tree::{PathContentChange, edited, executables};
use super::location_thread::LocationThread;
use super::object_writer::{NewObjects, damaged, durable, failed};
use crate::limits::STRUCTURE_BYTES_MAX;
use crate::objects::format::{HashFormat, ObjectKind};
use crate::repository::Repository;
use crate::repository::caches::Caches;
use crate::repository::layout::Layout;

const BRANCH: &str = "refs/heads/main";
/// The configuration of a bare repository. Pushes are rejected: `mirror_pull` takes changes from a
/// clone, with the rules of every write.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n\
                      [receive]\n\thideRefs = refs\n";
/// The name of the file that identifies the mirror. It is next to the branches, and in no commit.
pub(super) const MARKER: &str = "loci-mirror";
/// The size of pending objects at which those of several commits are written, in bytes.
const TOGETHER_BYTES_MAX: usize = 48 << 20;
/// The age after which a lock file counts as left by a dead process.
const LOCK_AGE_MAX: Duration = Duration::from_secs(60);

/// A writable bare repository.
pub struct BareFiles(LocationThread<BareRepositoryState>);

struct BareRepositoryState {
    path: PathBuf,
    caches: Arc<Caches>,
}

impl BareFiles {
    /// Opens the repository at a path, and creates an empty one if nothing exists there.
    ///
    /// # Errors
    /// If another file or directory exists there, or the repository cannot be created.
    pub fn open(path: &Path) -> Result<Self> {
        let place = BareRepositoryState { path: path.to_owned(), caches: Arc::new(Caches::new()) };
        place.begin()?;
        place.repository()?;
        LocationThread::new(place).map(Self)
    }
}

/// Creates the files by which git recognises a bare repository.
fn make(path: &Path) -> std::io::Result<()> {
    for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
        fs::create_dir_all(path.join(folder))?;
    }
    durable(path, "config", CONFIG.as_bytes())?;
    durable(path, "HEAD", format!("ref: {BRANCH}\n").as_bytes())
}

impl BareRepositoryState {
    /// Creates an empty repository if nothing exists, or no longer exists.
    fn begin(&self) -> Result<()> {
        if self.is_nothing()? { make(&self.path).map_err(failed) } else { Ok(()) }
    }

    /// True if nothing exists, or only an interrupted creation. An unreadable entry counts as
    /// existing.
    fn is_nothing(&self) -> Result<bool> {
        let inside = match fs::read_dir(&self.path) {
            Ok(inside) => inside,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(failed(error)),
        };
        for entry in inside {
            let name = entry.map_err(failed)?.file_name();
            if !["objects", "refs", "config"].iter().any(|one| name == *one) {
                return Ok(false);
            }
        }
        Ok(!self.path.join(BRANCH).exists())
    }

    /// Opens the repository for each call, because people repack it and push to it.
    fn repository(&self) -> Result<Repository> {
        let told = |error: loci_model::ports::code::CodeError| damaged(&error.detail);
        let layout = Layout::at(&self.path, &[]).map_err(told)?;
        let layout = layout.ok_or_else(|| {
            Error::conflict("the mirror's place holds something that is no bare repository: choose another")
        })?;
        Repository::open(&layout, &[], Arc::clone(&self.caches)).map_err(told)
    }

    fn tip(&self, repository: &Repository) -> Result<Option<ObjectId>> {
        let found = repository.refs.follow(&repository.dir, &repository.dir, BRANCH);
        Ok(found.map_err(|error| damaged(&error.detail))?.map(|(_, id)| id))
    }

    fn tree_of(&self, repository: &Repository, tip: Option<&ObjectId>) -> Result<Option<ObjectId>> {
        let Some(tip) = tip else { return Ok(None) };
        repository.commit(tip).map(|commit| Some(commit.tree)).map_err(|error| damaged(&error.detail))
    }

    fn read(&self, path: &str) -> Result<Option<FileBytes>> {
        let repository = self.repository()?;
        let tip = self.tip(&repository)?;
        let Some(tree) = self.tree_of(&repository, tip.as_ref())? else { return Ok(None) };
        read_at(&repository, &tree, path)
    }

    fn list(&self) -> Result<FileListing> {
        let repository = self.repository()?;
        let tip = self.tip(&repository)?;
        self.list_tree(&repository, tip.as_ref())
    }

    /// Returns the files of a commit of the branch. `None` for a commit that is not in the history
    /// of the branch.
    fn list_at(&self, commit: &str) -> Result<Option<FileListing>> {
        let repository = self.repository()?;
        let told = |error: loci_model::ports::code::CodeError| damaged(&error.detail);
        let (Some(commit), Some(tip)) = (ObjectId::parse(commit), self.tip(&repository)?) else {
            return Ok(None);
        };
        if repository
            .objects
            .header(&commit)
            .map_err(told)?
            .is_none_or(|header| header.kind != ObjectKind::Commit)
            || !repository.is_ancestor(&commit, &tip).map_err(told)?
        {
            return Ok(None);
        }
        self.list_tree(&repository, Some(&commit)).map(Some)
    }

    fn list_tree(&self, repository: &Repository, tip: Option<&ObjectId>) -> Result<FileListing> {
        let told = |error: loci_model::ports::code::CodeError| damaged(&error.detail);
        let marker = marker_in(repository)?;
        let mut listing = FileListing { has_root: true, marker, ..FileListing::default() };
        let Some(tree) = self.tree_of(repository, tip)? else { return Ok(listing) };
        for path in repository.tree_unlisted(&tree).map_err(told)?.iter() {
            listing.skipped.push(FileSkipped { path: path.clone(), why: "no_text_path" });
        }
        let files = repository.tree_files(&tree).map_err(told)?;
        let executables = executables(repository, &tree)?;
        for file in files.iter() {
            let why = match file.entry.kind {
                EntryKind::File => None,
                EntryKind::Symlink => Some("symlink"),
                EntryKind::Submodule | EntryKind::Directory => Some("no_regular_file"),
            };
            if let Some(why) = why {
                listing.skipped.push(FileSkipped { path: file.path.clone(), why });
                continue;
            }
            match blob(repository, &file.entry.id)? {
                Some(found) => listing.entries.push(FileEntry {
                    path: file.path.clone(),
                    bytes: found.bytes.len() as u64,
                    sha256: found.sha256,
                    executable: executables.contains(&file.path),
                }),
                None => listing.skipped.push(FileSkipped { path: file.path.clone(), why: "too_large" }),
            }
        }
        Ok(listing)
    }

    /// Makes one commit of these changes. It makes none if they change nothing.
    fn apply(&self, changes: &[FileChange], note: &ChangeNote) -> Result<FilesApplied> {
        let repository = self.repository()?;
        let tip = self.tip(&repository)?;
        let tree = self.tree_of(&repository, tip.as_ref())?;
        let mut applied = FilesApplied::default();
        let mut new = NewObjects::new(HashFormat::Sha1);
        let mut edits = BTreeMap::new();
        for change in changes {
            let known = match &tree {
                Some(tree) => read_at(&repository, tree, &change.path)?,
                None => None,
            };
            let holds = match change.only_if {
                Precondition::Any => true,
                Precondition::Absent => known.is_none(),
                Precondition::Holds(digest) => known.as_ref().is_some_and(|known| known.sha256 == digest),
            };
            if !holds {
                applied.refused.push(change.path.clone());
            }
            let lies = known.as_ref().map(|known| (&known.bytes, known.executable));
            let lay = lies.is_some_and(|(_, executable)| executable);
            let wanted = change.bytes.as_ref().map(|bytes| (bytes, change.executable.unwrap_or(lay)));
            if lies == wanted {
                continue;
            }
            edits.insert(change.path.as_str(), held_by(change, &mut new)?);
            applied.changed.push(change.path.clone());
        }
        if !applied.refused.is_empty() {
            applied.changed.clear();
        }
        if applied.changed.is_empty() {
            return Ok(applied);
        }
        let root = match edited(&repository, &mut new, tree.as_ref(), &edits)? {
            Some(root) => root,
            None => new.add(ObjectKind::Tree, Vec::new())?,
        };
        let commit = new.add(ObjectKind::Commit, written(&root, tip.as_ref(), note))?;
        new.write(&self.path, &repository)?;
        self.advance(&repository, tip.as_ref(), &commit)?;
        applied.commit = Some(commit.to_string());
        Ok(applied)
    }

    /// Makes one commit per step, of changes without preconditions. Objects of several commits are
    /// written together.
    fn apply_all(&self, steps: &[FileStep]) -> Result<Vec<FilesApplied>> {
        let mut applied = Vec::with_capacity(steps.len());
        let mut rest = steps;
        while !rest.is_empty() {
            let done = self.apply_some(rest, &mut applied)?;
            rest = rest.get(done..).unwrap_or_default();
        }
        Ok(applied)
    }

    /// Applies as many steps as fit into memory, and returns their number.
    fn apply_some(&self, steps: &[FileStep], applied: &mut Vec<FilesApplied>) -> Result<usize> {
        let repository = self.repository()?;
        let first = self.tip(&repository)?;
        let (mut tip, mut tree) = (first, self.tree_of(&repository, first.as_ref())?);
        let mut new = NewObjects::new(HashFormat::Sha1);
        let mut done = 0;
        for step in steps {
            done += 1;
            let mut edits = BTreeMap::new();
            for change in &step.changes {
                edits.insert(change.path.as_str(), held_by(change, &mut new)?);
            }
            let root = match edited(&repository, &mut new, tree.as_ref(), &edits)? {
                Some(root) => root,
                None => new.add(ObjectKind::Tree, Vec::new())?,
            };
            if tree == Some(root) {
                applied.push(FilesApplied::default());
                continue;
            }
            let commit = new.add(ObjectKind::Commit, written(&root, tip.as_ref(), &step.note))?;
            (tip, tree) = (Some(commit), Some(root));
            let changed = step.changes.iter().map(|change| change.path.clone()).collect();
            applied.push(FilesApplied { changed, refused: Vec::new(), commit: Some(commit.to_string()) });
            if new.bytes() > TOGETHER_BYTES_MAX {
                break;
            }
        }
        if let Some(tip) = tip.filter(|tip| Some(tip) != first.as_ref()) {
            new.write(&self.path, &repository)?;
            self.advance(&repository, first.as_ref(), &tip)?;
        }
        Ok(done)
    }

    /// Replaces this repository with an empty one. The branch is removed first, so that an
    /// interruption afterwards is repeated.
    fn renew(&self) -> Result<()> {
        let gone = |result: std::io::Result<()>| match result {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(error)),
            Ok(()) | Err(_) => Ok(()),
        };
        gone(fs::remove_file(self.path.join(BRANCH)))?;
        for file in ["packed-refs", "FETCH_HEAD", "ORIG_HEAD", "shallow"] {
            gone(fs::remove_file(self.path.join(file)))?;
        }
        for folder in ["refs", "logs", "objects"] {
            gone(fs::remove_dir_all(self.path.join(folder)))?;
        }
        make(&self.path).map_err(failed)
    }

    /// Moves the branch, if it has not changed. Git's own lock excludes concurrent pushes.
    fn advance(&self, repository: &Repository, from: Option<&ObjectId>, to: &ObjectId) -> Result<()> {
        let moved = || Error::conflict("somebody else moved the mirror's branch meanwhile: try again");
        let file = self.path.join(BRANCH);
        let lock = file.with_extension("lock");
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut held = held(&lock)?;
        let work = || -> Result<()> {
            if self.tip(repository)?.as_ref() != from {
                return Err(moved());
            }
            std::io::Write::write_all(&mut held, format!("{to}\n").as_bytes()).map_err(failed)?;
            held.sync_all().map_err(failed)?;
            fs::rename(&lock, &file).map_err(failed)?;
            let folder = file.parent().unwrap_or(&self.path);
            fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
        };
        let mut work = work;
        let done = work();
        if done.is_err() {
            // A lock that is left behind would block everyone.
            drop(fs::remove_file(&lock));
        }
        done
    }

    fn newest(&self) -> Result<Option<FilesCommit>> {
        let repository = self.repository()?;
        let Some(tip) = self.tip(&repository)? else { return Ok(None) };
        let read = repository.objects.read_kind(&tip, ObjectKind::Commit, STRUCTURE_BYTES_MAX);
        let content = read.map_err(|error| damaged(&error.detail))?;
        let text = String::from_utf8_lossy(&content);
        let message = text.split_once("\n\n").map(|(_, message)| message).unwrap_or_default();
        Ok(Some(FilesCommit { id: tip.to_string(), message: message.to_owned() }))
    }
}

/// Takes git's lock. Removes a stale one, because no process holds it for that long.
fn held(lock: &Path) -> Result<fs::File> {
    let take = || fs::OpenOptions::new().write(true).create_new(true).open(lock);
    let is_held = |error: &std::io::Error| error.kind() == std::io::ErrorKind::AlreadyExists;
    let mut taken = take();
    if taken.as_ref().is_err_and(is_held) {
        let since = fs::metadata(lock).and_then(|lying| lying.modified());
        let age = since.ok().and_then(|since| since.elapsed().ok()).unwrap_or_default();
        if age >= LOCK_AGE_MAX {
            drop(fs::remove_file(lock));
            taken = take();
        }
    }
    taken.map_err(|error| {
        if is_held(&error) {
            let rule = format!("{} is held by another: try again in a minute", lock.display());
            Error::conflict(rule)
        } else {
            failed(error)
        }
    })
}

fn marker_in(repository: &Repository) -> Result<Option<String>> {
    let read = repository.dir.read(MARKER.as_bytes(), MARKER_BYTES_MAX);
    let marker = read.map_err(|error| damaged(&error.detail))?;
    Ok(marker.map(|text| String::from_utf8_lossy(&text).into_owned()))
}

fn read_at(repository: &Repository, tree: &ObjectId, path: &str) -> Result<Option<FileBytes>> {
    let entry = repository.tree_entry(tree, path).map_err(|error| damaged(&error.detail))?;
    match entry.filter(|entry| entry.kind == EntryKind::File) {
        Some(entry) => {
            let executable = executables(repository, tree)?.contains(path);
            Ok(blob(repository, &entry.id)?.map(|file| FileBytes { executable, ..file }))
        }
        None => Ok(None),
    }
}

/// Returns the content that a path has after a change.
fn held_by(change: &FileChange, new: &mut NewObjects) -> Result<PathContentChange> {
    let Some(bytes) = &change.bytes else { return Ok(None) };
    Ok(Some((new.add(ObjectKind::Blob, bytes.clone())?, change.executable)))
}

/// Returns a blob, without its executable bit, which is in the tree; `None` if it is larger than a
/// document.
fn blob(repository: &Repository, id: &ObjectId) -> Result<Option<FileBytes>> {
    let header = repository.objects.header(id).map_err(|error| damaged(&error.detail))?;
    if header.is_some_and(|header| header.bytes > limits::MIRRORED_FILE_BYTES_MAX) {
        return Ok(None);
    }
    let read = repository.objects.read_kind(id, ObjectKind::Blob, limits::MIRRORED_FILE_BYTES_MAX);
    let bytes = read.map_err(|error| damaged(&error.detail))?.to_vec();
    let sha256 = Sha256::digest(&bytes).into();
    Ok(Some(FileBytes { bytes, sha256, executable: false }))
}

/// Returns the content of a commit.
fn written(tree: &ObjectId, parent: Option<&ObjectId>, note: &ChangeNote) -> Vec<u8> {
    let parent = parent.map(|parent| format!("parent {parent}\n")).unwrap_or_default();
    let seconds = note.at.millis().div_euclid(1_000);
    let ChangeNote { author_name, author_email, committer_email, message, .. } = note;
    let message = message.trim_end_matches('\n');
    format!(
        "tree {tree}\n{parent}author {author_name} <{author_email}> {seconds} +0000\n\
         committer Loci <{committer_email}> {seconds} +0000\n\n{message}\n"
    )
    .into_bytes()
}

impl FileBackend for BareFiles {
    fn capabilities(&self) -> FileCapabilities {
        FileCapabilities { versioning: true, cas: true, atomic_multi_write: true }
    }

    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<FileBytes>>> {
        let path = path.to_owned();
        self.0.ask(move |place| place.read(&path))
    }

    fn list(&self) -> BoxFuture<'_, Result<FileListing>> {
        self.0.ask(BareRepositoryState::list)
    }

    fn apply(&self, changes: Vec<FileChange>, note: ChangeNote) -> BoxFuture<'_, Result<FilesApplied>> {
        self.0.ask(move |place| place.apply(&changes, &note))
    }

    fn apply_all(&self, steps: Vec<FileStep>) -> BoxFuture<'_, Result<Vec<FilesApplied>>> {
        self.0.ask(move |place| place.apply_all(&steps))
    }

    fn renew(&self) -> BoxFuture<'_, Result<()>> {
        self.0.ask(BareRepositoryState::renew)
    }

    fn list_at<'a>(&'a self, commit: &'a str) -> BoxFuture<'a, Result<Option<FileListing>>> {
        let commit = commit.to_owned();
        self.0.ask(move |place| place.list_at(&commit))
    }

    fn mark<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<()>> {
        let text = text.to_owned();
        self.0.ask(move |place| durable(&place.path, MARKER, text.as_bytes()).map_err(failed))
    }

    fn begin(&self) -> BoxFuture<'_, Result<()>> {
        self.0.ask(BareRepositoryState::begin)
    }

    fn marker(&self) -> BoxFuture<'_, Result<Option<String>>> {
        let marker = |place: &BareRepositoryState| {
            if place.is_nothing()? { Ok(None) } else { marker_in(&place.repository()?) }
        };
        self.0.ask(marker)
    }

    fn newest(&self) -> BoxFuture<'_, Result<Option<FilesCommit>>> {
        self.0.ask(BareRepositoryState::newest)
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn a_lock_that_was_left_behind_goes() {
        let check = |age: Option<Duration>, expect: bool| {
            let folder = tempfile::tempdir().unwrap();
            let lock = folder.path().join("main.lock");
            if let Some(age) = age {
                let file = fs::File::create(&lock).unwrap();
                let now = file.metadata().unwrap().modified().unwrap();
                file.set_modified(now.checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH)).unwrap();
            }
            let told = held(&lock).map(drop).map_err(|error| error.message);
            assert_eq!(told.is_ok(), expect, "{age:?} {told:?}");
            assert!(told.err().is_none_or(|told| told.contains("main.lock")));
        };
        check(None, true);
        check(Some(Duration::from_secs(5)), false);
        check(Some(Duration::from_secs(61)), true);
    }
}
