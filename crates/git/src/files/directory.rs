//! A directory as a place for files (files-and-git.md §8.1): every component is opened without following links, a file is written beside where
//! it is to lie and renamed when it is durable. Files of editors and what is hidden is not there. It keeps no history, and its
//! preconditions hold as far as nobody writes in the same moment.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use loci_model::ports::BoxFuture;
use loci_model::ports::code::CodeError;
use loci_model::ports::files::{
    ChangeNote, FileBackend, FileBytes, FileCapabilities, FileChange, FileDigest, FileEntry, FileListing,
    FileSkipped, FilesApplied, FilesCommit, Precondition,
};
use loci_model::{Error, Result, limits};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::served::Served;
use crate::beneath::{Dir, Lying, Stamp};

/// The file that says whose mirror this is.
const MARKER: &str = ".loci-mirror";
/// Before the name of a file that is being written.
const BESIDE: &str = ".loci-writing-";
/// Bytes of a marker.
const MARKER_BYTES_MAX: u64 = 4_096;
/// Names of one directory.
const NAMES_MAX: usize = 200_000;
/// Directories inside each other.
const DEPTH_MAX: usize = 32;
/// For the owner alone.
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
const DIRECTORY_MODE: Mode = Mode::RWXU;

/// A directory that is written.
pub struct DirectoryFiles(Served<Place>);

struct Place {
    path: PathBuf,
    /// Digests of files by what tells one content from the next: what did not change is not read again.
    known: Mutex<HashMap<String, (Stamp, FileDigest)>>,
}

impl DirectoryFiles {
    /// The directory at a path; it is made where it is not there.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn open(path: &Path) -> Result<Self> {
        std::fs::create_dir_all(path).map_err(failed)?;
        Served::new(Place { path: path.to_owned(), known: Mutex::default() }).map(Self)
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::unavailable("the mirror's directory cannot be read or written").caused_by(error)
}

fn refused(error: Errno) -> Error {
    failed(error.into())
}

fn told(error: CodeError) -> Error {
    Error::unavailable(format!("the mirror's directory cannot be read: {}", error.detail))
}

impl Place {
    fn root(&self) -> Result<Option<Dir>> {
        Dir::open(&self.path).map_err(told)
    }

    fn needed(&self) -> Result<Dir> {
        let gone =
            || Error::unavailable("the mirror's directory is gone: it is not made again while it is in use");
        self.root()?.ok_or_else(gone)
    }

    fn read(&self, path: &str) -> Result<Option<FileBytes>> {
        read_at(&self.needed()?, path)
    }

    fn list(&self) -> Result<FileListing> {
        let Some(root) = self.root()? else { return Ok(FileListing::default()) };
        let marker = root.read(MARKER.as_bytes(), MARKER_BYTES_MAX).map_err(told)?;
        let marker = marker.map(|text| String::from_utf8_lossy(&text).into_owned());
        let mut listing = FileListing { has_root: true, marker, ..FileListing::default() };
        let mut seen = HashMap::new();
        self.walk(&root, &root, "", 0, &mut listing, &mut seen)?;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = seen;
        listing.entries.sort_by(|one, other| one.path.cmp(&other.path));
        listing.skipped.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(listing)
    }

    fn walk(
        &self,
        root: &Dir,
        dir: &Dir,
        prefix: &str,
        depth: usize,
        listing: &mut FileListing,
        seen: &mut HashMap<String, (Stamp, FileDigest)>,
    ) -> Result<()> {
        for raw in dir.names(NAMES_MAX).map_err(told)? {
            let shown = format!("{prefix}{}", String::from_utf8_lossy(&raw));
            let mut skip = |why| listing.skipped.push(FileSkipped { path: shown.clone(), why });
            let Ok(name) = std::str::from_utf8(&raw) else {
                skip("no_text_path");
                continue;
            };
            if is_hidden(name) {
                continue;
            }
            match dir.look(&raw).map_err(told)? {
                Some((Lying::Directory, _)) if depth < DEPTH_MAX => {
                    if let Some(inner) = dir.directory(&raw).map_err(told)? {
                        self.walk(root, &inner, &format!("{shown}/"), depth + 1, listing, seen)?;
                    }
                }
                Some((Lying::File, stamp)) if stamp.bytes > limits::MIRRORED_FILE_BYTES_MAX => {
                    skip("too_large")
                }
                Some((Lying::File, stamp)) => match self.digest(root, &shown, stamp)? {
                    Some(sha256) => {
                        seen.insert(shown.clone(), (stamp, sha256));
                        listing.entries.push(FileEntry { path: shown, bytes: stamp.bytes, sha256 });
                    }
                    // It went meanwhile: the next look says what is there.
                    None => skip("unreadable"),
                },
                Some((Lying::Symlink, _)) => skip("symlink"),
                Some((Lying::Directory | Lying::Other, _)) => skip("no_regular_file"),
                None => {}
            }
        }
        Ok(())
    }

    /// The digest of a file, read only where it may have changed.
    fn digest(&self, root: &Dir, path: &str, stamp: Stamp) -> Result<Option<FileDigest>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied();
        if let Some((before, digest)) = known
            && before == stamp
        {
            return Ok(Some(digest));
        }
        Ok(read_at(root, path)?.map(|found| found.sha256))
    }

    fn apply(&self, changes: &[FileChange]) -> Result<FilesApplied> {
        let root = self.needed()?;
        let mut applied = FilesApplied::default();
        for change in changes {
            let known = read_at(&root, &change.path)?;
            let holds = match change.only_if {
                Precondition::Any => true,
                Precondition::Absent => known.is_none(),
                Precondition::Holds(digest) => known.as_ref().is_some_and(|known| known.sha256 == digest),
            };
            if !holds {
                applied.refused.push(change.path.clone());
                continue;
            }
            match &change.bytes {
                Some(bytes) if known.as_ref().map(|known| &known.bytes) == Some(bytes) => continue,
                Some(bytes) => write(&self.path, &change.path, bytes)?,
                None if known.is_none() => continue,
                None => remove(&self.path, &change.path)?,
            }
            applied.changed.push(change.path.clone());
        }
        Ok(applied)
    }
}

fn read_at(root: &Dir, path: &str) -> Result<Option<FileBytes>> {
    let bytes = root.read(path.as_bytes(), limits::MIRRORED_FILE_BYTES_MAX).map_err(told)?;
    Ok(bytes.map(|bytes| FileBytes { sha256: Sha256::digest(&bytes).into(), bytes }))
}

/// What is hidden, and what editors and stores leave while they write.
fn is_hidden(name: &str) -> bool {
    let is_unfinished = [".swp", ".tmp", "~"].iter().any(|end| name.ends_with(end));
    name.starts_with('.') || is_unfinished || name.contains(".__strands_tmp_")
}

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
const NEW_FILE: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// The directory that a path lies in, made where it is not there, and the last part of the path.
fn parent_of<'a>(root: &Path, path: &'a str) -> Result<(OwnedFd, &'a str)> {
    let mut at = rustix::fs::open(root, DIRECTORY, Mode::empty()).map_err(refused)?;
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
        match rustix::fs::mkdirat(&at, folder, DIRECTORY_MODE) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(refused(error)),
        }
        at = rustix::fs::openat(&at, folder, DIRECTORY, Mode::empty()).map_err(refused)?;
    }
    Ok((at, name))
}

fn write(root: &Path, path: &str, bytes: &[u8]) -> Result<()> {
    let (folder, name) = parent_of(root, path)?;
    let digest = Sha256::digest(path.as_bytes());
    let beside: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let beside = format!("{BESIDE}{beside}");
    let _ = rustix::fs::unlinkat(&folder, beside.as_str(), AtFlags::empty());
    let file = rustix::fs::openat(&folder, beside.as_str(), NEW_FILE, FILE_MODE).map_err(refused)?;
    let mut file = File::from(file);
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    rustix::fs::renameat(&folder, beside.as_str(), &folder, name).map_err(refused)?;
    rustix::fs::fsync(&folder).map_err(refused)
}

/// Removes a file, and directories that are empty then.
fn remove(root: &Path, path: &str) -> Result<()> {
    let (folder, name) = parent_of(root, path)?;
    match rustix::fs::unlinkat(&folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(refused(error)),
    }
    rustix::fs::fsync(&folder).map_err(refused)?;
    let mut rest = path;
    while let Some((folder, _)) = rest.rsplit_once('/') {
        let (above, name) = parent_of(root, folder)?;
        if rustix::fs::unlinkat(&above, name, AtFlags::REMOVEDIR).is_err() {
            break;
        }
        rest = folder;
    }
    Ok(())
}

impl FileBackend for DirectoryFiles {
    fn capabilities(&self) -> FileCapabilities {
        FileCapabilities::default()
    }

    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<FileBytes>>> {
        let path = path.to_owned();
        self.0.ask(move |place| place.read(&path))
    }

    fn list(&self) -> BoxFuture<'_, Result<FileListing>> {
        self.0.ask(Place::list)
    }

    fn apply(&self, changes: Vec<FileChange>, _note: ChangeNote) -> BoxFuture<'_, Result<FilesApplied>> {
        self.0.ask(move |place| place.apply(&changes))
    }

    fn mark<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<()>> {
        let text = text.to_owned();
        self.0.ask(move |place| write(&place.path, MARKER, text.as_bytes()))
    }

    fn newest(&self) -> BoxFuture<'_, Result<Option<FilesCommit>>> {
        Box::pin(async { Ok(None) })
    }
}
