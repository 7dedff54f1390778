//! A bare repository as a place for files (files-and-git.md §9.1): one branch, `main`; one commit a call, moved to only from the commit that
//! was read. Everything that a commit is made of is told, so that the same changes in the same order give the same ids. Nothing here knows
//! what a file or a message means.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loci_model::code::{EntryKind, ObjectId};
use loci_model::ports::BoxFuture;
use loci_model::ports::files::{
    ChangeNote, FileBackend, FileBytes, FileCapabilities, FileChange, FileEntry, FileListing, FileSkipped,
    FilesApplied, FilesCommit, Precondition,
};
use loci_model::{Error, Result, limits};
use sha2::{Digest as _, Sha256};

use super::edited_tree::edited;
use super::object_writing::{NewObjects, damaged, durable, failed};
use super::served::Served;
use crate::caches::Caches;
use crate::layout::Layout;
use crate::limits::STRUCTURE_BYTES_MAX;
use crate::objects::format::{Format, Kind};
use crate::repository::Repository;

const BRANCH: &str = "refs/heads/main";
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";
/// The file that says whose mirror this is: beside the branches, in no commit.
const MARKER: &str = "loci-mirror";
/// Bytes of a marker.
const MARKER_BYTES_MAX: u64 = 4_096;

/// A bare repository that is written.
pub struct BareFiles(Served<Place>);

struct Place {
    path: PathBuf,
    caches: Arc<Caches>,
}

impl BareFiles {
    /// The repository at a path; an empty one is made where nothing is.
    ///
    /// # Errors
    /// Where something else lies there, or it cannot be made.
    pub fn open(path: &Path) -> Result<Self> {
        let is_new = fs::read_dir(path).map_or(true, |mut inside| inside.next().is_none());
        if is_new {
            make(path).map_err(failed)?;
        }
        let place = Place { path: path.to_owned(), caches: Arc::new(Caches::new()) };
        place.repository()?;
        Served::new(place).map(Self)
    }
}

/// What git needs to know a bare repository.
fn make(path: &Path) -> std::io::Result<()> {
    for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
        fs::create_dir_all(path.join(folder))?;
    }
    durable(path, "config", CONFIG.as_bytes())?;
    durable(path, "HEAD", format!("ref: {BRANCH}\n").as_bytes())
}

impl Place {
    /// Read anew each time: people repack it, and push to it.
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
        let told = |error: loci_model::ports::code::CodeError| damaged(&error.detail);
        let marker = repository.dir.read(MARKER.as_bytes(), MARKER_BYTES_MAX).map_err(told)?;
        let marker = marker.map(|text| String::from_utf8_lossy(&text).into_owned());
        let mut listing = FileListing { has_root: true, marker, ..FileListing::default() };
        let tip = self.tip(&repository)?;
        let Some(tree) = self.tree_of(&repository, tip.as_ref())? else { return Ok(listing) };
        for path in repository.tree_unlisted(&tree).map_err(told)?.iter() {
            listing.skipped.push(FileSkipped { path: path.clone(), why: "no_text_path" });
        }
        for file in repository.tree_files(&tree).map_err(told)?.iter() {
            let why = match file.entry.kind {
                EntryKind::File => None,
                EntryKind::Symlink => Some("symlink"),
                EntryKind::Submodule | EntryKind::Directory => Some("no_regular_file"),
            };
            if let Some(why) = why {
                listing.skipped.push(FileSkipped { path: file.path.clone(), why });
                continue;
            }
            match blob(&repository, &file.entry.id)? {
                Some(found) => listing.entries.push(FileEntry {
                    path: file.path.clone(),
                    bytes: found.bytes.len() as u64,
                    sha256: found.sha256,
                }),
                None => listing.skipped.push(FileSkipped { path: file.path.clone(), why: "too_large" }),
            }
        }
        Ok(listing)
    }

    /// One commit of these changes; none where they change nothing.
    fn apply(&self, changes: &[FileChange], note: &ChangeNote) -> Result<FilesApplied> {
        let repository = self.repository()?;
        let tip = self.tip(&repository)?;
        let tree = self.tree_of(&repository, tip.as_ref())?;
        let mut applied = FilesApplied::default();
        let mut new = NewObjects::new(Format::Sha1);
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
            if known.as_ref().map(|known| &known.bytes) == change.bytes.as_ref() {
                continue;
            }
            let blob = change.bytes.as_ref().map(|bytes| new.add(Kind::Blob, bytes.clone())).transpose()?;
            edits.insert(change.path.as_str(), blob);
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
            None => new.add(Kind::Tree, Vec::new())?,
        };
        let commit = new.add(Kind::Commit, written(&root, tip.as_ref(), note))?;
        new.write(&self.path, &repository)?;
        self.advance(&repository, tip.as_ref(), &commit)?;
        applied.commit = Some(commit.to_string());
        Ok(applied)
    }

    /// Moves the branch, if it is where it was: git's own lock keeps whoever pushes out meanwhile.
    fn advance(&self, repository: &Repository, from: Option<&ObjectId>, to: &ObjectId) -> Result<()> {
        let moved = || Error::conflict("somebody else moved the mirror's branch meanwhile: try again");
        let file = self.path.join(BRANCH);
        let lock = file.with_extension("lock");
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let held = fs::OpenOptions::new().write(true).create_new(true).open(&lock);
        let mut held = held.map_err(|error| {
            if error.kind() == std::io::ErrorKind::AlreadyExists { moved() } else { failed(error) }
        })?;
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
            // Left behind it would keep everybody out.
            drop(fs::remove_file(&lock));
        }
        done
    }

    fn newest(&self) -> Result<Option<FilesCommit>> {
        let repository = self.repository()?;
        let Some(tip) = self.tip(&repository)? else { return Ok(None) };
        let read = repository.objects.read_kind(&tip, Kind::Commit, STRUCTURE_BYTES_MAX);
        let content = read.map_err(|error| damaged(&error.detail))?;
        let text = String::from_utf8_lossy(&content);
        let message = text.split_once("\n\n").map(|(_, message)| message).unwrap_or_default();
        Ok(Some(FilesCommit { id: tip.to_string(), message: message.to_owned() }))
    }
}

fn read_at(repository: &Repository, tree: &ObjectId, path: &str) -> Result<Option<FileBytes>> {
    let entry = repository.tree_entry(tree, path).map_err(|error| damaged(&error.detail))?;
    match entry.filter(|entry| entry.kind == EntryKind::File) {
        Some(entry) => blob(repository, &entry.id),
        None => Ok(None),
    }
}

/// A blob; `None` where it is larger than a document.
fn blob(repository: &Repository, id: &ObjectId) -> Result<Option<FileBytes>> {
    let header = repository.objects.header(id).map_err(|error| damaged(&error.detail))?;
    if header.is_some_and(|header| header.bytes > limits::MIRRORED_FILE_BYTES_MAX) {
        return Ok(None);
    }
    let read = repository.objects.read_kind(id, Kind::Blob, limits::MIRRORED_FILE_BYTES_MAX);
    let bytes = read.map_err(|error| damaged(&error.detail))?.to_vec();
    let sha256 = Sha256::digest(&bytes).into();
    Ok(Some(FileBytes { bytes, sha256 }))
}

/// A commit's content.
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
        self.0.ask(Place::list)
    }

    fn apply(&self, changes: Vec<FileChange>, note: ChangeNote) -> BoxFuture<'_, Result<FilesApplied>> {
        self.0.ask(move |place| place.apply(&changes, &note))
    }

    fn mark<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<()>> {
        let text = text.to_owned();
        self.0.ask(move |place| durable(&place.path, MARKER, text.as_bytes()).map_err(failed))
    }

    fn newest(&self) -> BoxFuture<'_, Result<Option<FilesCommit>>> {
        self.0.ask(Place::newest)
    }
}
