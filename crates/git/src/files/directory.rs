//! A directory as a file backend. Every component is opened without following links. A file is
//! written under another name, and renamed after it is synced. Editor files and hidden files are
//! ignored. The backend keeps no history, and its preconditions are not atomic with concurrent
//! writers.

use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use loci_model::ports::BoxFuture;
use loci_model::ports::code::CodeError;
use loci_model::ports::files::{
    ChangeNote, FileBackend, FileBytes, FileCapabilities, FileChange, FileDigest, FileEntry, FileListing,
    FileSkipped, FilesApplied, FilesCommit, MARKER, Precondition, is_passed_over,
};
use loci_model::{Error, Result, limits};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::location_thread::LocationThread;
use super::modes::{self, NewEntryKind};
use crate::confined_files::{Dir, EntryType, Stamp, read_all};

/// The prefix of the name of an unfinished file.
const BESIDE: &str = ".loci-writing-";
/// The maximum size of a marker, in bytes.
pub(super) const MARKER_BYTES_MAX: u64 = 4_096;
/// The maximum number of names in a directory.
pub(super) const NAMES_MAX: usize = 200_000;
/// The maximum depth of nested directories.
pub(super) const DEPTH_MAX: usize = 32;

/// The coarsest time step of file times in a file system. Two writes within this time may leave the
/// same attributes.
const FILE_TIME_STEP: Duration = Duration::from_secs(2);

/// A writable directory.
pub struct DirectoryFiles(LocationThread<DirectoryState>);

struct DirectoryState {
    path: PathBuf,
    /// The digest of each file, with the attributes that the file had when it was read: unchanged
    /// files are not read again. A file that changed just before it was read is not included,
    /// because its next change may leave the same attributes.
    known: Mutex<HashMap<String, (Stamp, FileDigest)>>,
    /// The modes of files that were removed since the last listing. A file that is moved keeps the
    /// mode from here.
    removed: Mutex<HashMap<String, Mode>>,
}

impl DirectoryFiles {
    /// Opens the directory at a path, and creates it if it does not exist.
    ///
    /// # Errors
    /// If the directory cannot be created.
    pub fn open(path: &Path) -> Result<Self> {
        modes::make_root(path).map_err(root_failed)?;
        Self::at(path)
    }

    /// Returns the directory at a path, which need not exist before it is marked.
    ///
    /// # Errors
    /// If the thread of the directory cannot be started.
    pub fn at(path: &Path) -> Result<Self> {
        LocationThread::new(DirectoryState::new(path)).map(Self)
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::unavailable("the mirror's directory cannot be read or written").caused_by(error)
}

/// Returns the error for a root that cannot be created.
fn root_failed(error: std::io::Error) -> Error {
    match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            let rule = "a file lies where the mirror's directory is to be";
            let remedy = "move the file away, or make the mirror with another path";
            Error::invalid("path", format!("{rule}: {remedy}")).caused_by(error)
        }
        _ => failed(error),
    }
}

/// Returns the error for a file whose path is blocked by another entry; `place` is the path of that
/// entry.
fn in_the_way(place: &str, lies: &str, path: &str) -> Error {
    let remedy = format!("move {place} away, or move the document (loci files mv)");
    let rule = format!("{place} {lies}, where the file {path} of a document is to be written");
    Error::invalid("path", format!("{rule}: {remedy}"))
}

fn refused(error: Errno) -> Error {
    failed(error.into())
}

fn told(error: CodeError) -> Error {
    Error::unavailable(format!("the mirror's directory cannot be read: {}", error.detail))
}

impl DirectoryState {
    fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), known: Mutex::default(), removed: Mutex::default() }
    }

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
        let settled = UNIX_EPOCH.elapsed().unwrap_or_default().saturating_sub(FILE_TIME_STEP);
        let marker = root.read(MARKER.as_bytes(), MARKER_BYTES_MAX).map_err(told)?;
        let marker = marker.map(|text| String::from_utf8_lossy(&text).into_owned());
        let mut listing = FileListing { has_root: true, marker, ..FileListing::default() };
        let mut seen = HashMap::new();
        self.walk(&root, &root, "", 0, &mut listing, &mut seen)?;
        seen.retain(|_, (stamp, _)| stamp.is_older_than(settled));
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = seen;
        self.removed.lock().unwrap_or_else(PoisonError::into_inner).clear();
        listing.entries.sort_by(|one, other| one.path.cmp(&other.path));
        listing.skipped.sort_by(|one, other| one.path.cmp(&other.path));
        listing.passed_over.sort();
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
        let names = match dir.names(NAMES_MAX) {
            Ok(names) => names,
            // An unreadable root is an error; an unreadable directory in it does not affect the
            // others.
            Err(error) if prefix.is_empty() => return Err(told(error)),
            Err(_) => {
                let path = prefix.trim_end_matches('/').to_owned();
                listing.skipped.push(FileSkipped { path, why: "unreadable" });
                return Ok(());
            }
        };
        for raw in names {
            let shown = format!("{prefix}{}", String::from_utf8_lossy(&raw));
            let mut skip = |why| listing.skipped.push(FileSkipped { path: shown.clone(), why });
            let Ok(name) = std::str::from_utf8(&raw) else {
                skip("no_text_path");
                continue;
            };
            if is_passed_over(name) {
                if shown != MARKER {
                    listing.passed_over.push(shown);
                }
                continue;
            }
            let Ok(lying) = dir.look(&raw) else {
                skip("unreadable");
                continue;
            };
            match lying {
                Some((EntryType::Directory, _)) if depth < DEPTH_MAX => match dir.directory(&raw) {
                    Ok(Some(inner)) if is_mirror(&inner) => skip("other_mirror"),
                    Ok(Some(inner)) => {
                        self.walk(root, &inner, &format!("{shown}/"), depth + 1, listing, seen)?
                    }
                    Ok(None) => {}
                    Err(_) => skip("unreadable"),
                },
                Some((EntryType::File, stamp)) if stamp.bytes > limits::MIRRORED_FILE_BYTES_MAX => {
                    skip("too_large")
                }
                Some((EntryType::File, stamp)) => match self.digest(root, &shown, stamp) {
                    Ok(Some(sha256)) => {
                        seen.insert(shown.clone(), (stamp, sha256));
                        let Stamp { bytes, executable, .. } = stamp;
                        listing.entries.push(FileEntry { path: shown, bytes, sha256, executable });
                    }
                    // It was removed meanwhile, or is unreadable: the next listing shows its state.
                    Ok(None) | Err(_) => skip("unreadable"),
                },
                Some((EntryType::Symlink, _)) => skip("symlink"),
                Some((EntryType::Directory | EntryType::Other, _)) => skip("no_regular_file"),
                None => {}
            }
        }
        Ok(())
    }

    /// Returns the digest of a file, which is read only if it may have changed.
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
                Some(bytes) if known.as_ref().map(|known| &known.bytes) == Some(bytes) => {
                    let lies = known.as_ref().is_some_and(|known| known.executable);
                    let Some(wanted) = change.executable.filter(|wanted| *wanted != lies) else { continue };
                    set_executable(&self.path, &change.path, wanted)?;
                }
                Some(bytes) => {
                    let like = change.like.as_deref().filter(|_| known.is_none());
                    let like = like.map(|like| self.mode_of(&root, like)).transpose()?.flatten();
                    let file = (bytes.as_slice(), change.executable, like);
                    if !write(&self.path, &change.path, file, change.only_if)? {
                        applied.refused.push(change.path.clone());
                        continue;
                    }
                }
                None if known.is_none() => continue,
                None => {
                    if let Some(mode) = mode_at(&root, &change.path)? {
                        let mut removed = self.removed.lock().unwrap_or_else(PoisonError::into_inner);
                        removed.insert(change.path.clone(), mode);
                    }
                    remove(&self.path, &change.path)?;
                }
            }
            applied.changed.push(change.path.clone());
        }
        Ok(applied)
    }

    /// Returns the mode of an existing file, or of one in the last listing.
    fn mode_of(&self, root: &Dir, path: &str) -> Result<Option<Mode>> {
        let removed = self.removed.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied();
        Ok(mode_at(root, path)?.or(removed))
    }
}

fn mode_at(root: &Dir, path: &str) -> Result<Option<Mode>> {
    let Some((file, _)) = root.file(path.as_bytes()).map_err(told)? else { return Ok(None) };
    let stat = rustix::fs::fstat(&file).map_err(refused)?;
    Ok(Some(Mode::from_raw_mode(stat.st_mode)))
}

fn read_at(root: &Dir, path: &str) -> Result<Option<FileBytes>> {
    let Some((file, stamp)) = root.file(path.as_bytes()).map_err(told)? else { return Ok(None) };
    let bytes = read_all(file, &stamp, limits::MIRRORED_FILE_BYTES_MAX).map_err(told)?;
    let sha256 = Sha256::digest(&bytes).into();
    Ok(Some(FileBytes { bytes, sha256, executable: stamp.executable }))
}

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
const NEW_FILE: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// Returns the parent directory of a path, created if it does not exist, and the last component.
fn parent_of<'a>(root: &Path, path: &'a str) -> Result<(OwnedFd, &'a str)> {
    let mut at = rustix::fs::open(root, DIRECTORY, Mode::empty()).map_err(refused)?;
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut above = Vec::new();
    for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
        above.push(folder);
        let mode = modes::of_new(&at, NewEntryKind::Directory).map_err(refused)?;
        match rustix::fs::mkdirat(&at, folder, mode) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(refused(error)),
        }
        at = match rustix::fs::openat(&at, folder, DIRECTORY, Mode::empty()) {
            Ok(inner) => inner,
            Err(Errno::NOTDIR | Errno::LOOP) => {
                return Err(in_the_way(&above.join("/"), "is no directory", path));
            }
            Err(error) => return Err(refused(error)),
        };
    }
    Ok((at, name))
}

/// Writes a file with its executable bit and, for a moved file, the mode of its source. Returns
/// false if the precondition does not hold at the time of the rename. An existing file keeps its
/// mode.
fn write(
    root: &Path,
    path: &str,
    (bytes, executable, like): (&[u8], Option<bool>, Option<Mode>),
    only_if: Precondition,
) -> Result<bool> {
    let (folder, name) = parent_of(root, path)?;
    let digest = Sha256::digest(path.as_bytes());
    let beside: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let beside = format!("{BESIDE}{beside}");
    let _ = rustix::fs::unlinkat(&folder, beside.as_str(), AtFlags::empty());
    let (at_first, at_last) = modes::of_file(&folder, name, executable, like).map_err(refused)?;
    let file = rustix::fs::openat(&folder, beside.as_str(), NEW_FILE, at_first).map_err(refused)?;
    if let Some(mode) = at_last {
        rustix::fs::fchmod(&file, mode).map_err(refused)?;
    }
    let mut file = File::from(file);
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    let done = put_in_place(&folder, &beside, (name, path), only_if);
    if !matches!(done, Ok(true)) {
        let _ = rustix::fs::unlinkat(&folder, beside.as_str(), AtFlags::empty());
        return done;
    }
    rustix::fs::fsync(&folder).map_err(refused)?;
    Ok(true)
}

/// Sets the executable bit of an existing file.
fn set_executable(root: &Path, path: &str, wanted: bool) -> Result<()> {
    let (folder, name) = parent_of(root, path)?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = rustix::fs::openat(&folder, name, flags, Mode::empty()).map_err(refused)?;
    let stat = rustix::fs::fstat(&file).map_err(refused)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(());
    }
    let mode = modes::with_executable(Mode::from_raw_mode(stat.st_mode), wanted);
    rustix::fs::fchmod(&file, mode).map_err(refused)
}

fn put_in_place(
    folder: &OwnedFd,
    beside: &str,
    (name, path): (&str, &str),
    only_if: Precondition,
) -> Result<bool> {
    let over = || rustix::fs::renameat(folder, beside, folder, name).map(|()| true).map_err(refused);
    match only_if {
        Precondition::Any => over(),
        Precondition::Absent => {
            match rustix::fs::renameat_with(folder, beside, folder, name, RenameFlags::NOREPLACE) {
                Ok(()) => Ok(true),
                Err(Errno::EXIST) => {
                    check_no_directory(folder, (name, path))?;
                    Ok(false)
                }
                // Not every file system supports it.
                Err(Errno::INVAL | Errno::NOSYS) => {
                    if check_no_directory(folder, (name, path))? {
                        Ok(false)
                    } else {
                        over()
                    }
                }
                Err(error) => Err(refused(error)),
            }
        }
        // Writing takes time: the file may have been changed meanwhile.
        Precondition::Holds(digest) => {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
            let file = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
                Ok(file) => File::from(file),
                Err(Errno::NOENT | Errno::LOOP) => return Ok(false),
                Err(error) => return Err(refused(error)),
            };
            let mut bytes = Vec::new();
            file.take(limits::MIRRORED_FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
            if FileDigest::from(Sha256::digest(&bytes)) == digest { over() } else { Ok(false) }
        }
    }
}

/// True if a file exists there.
///
/// # Errors
/// `Invalid` for a directory, which does not disappear on its own, unlike a file that is being
/// saved.
fn check_no_directory(folder: &OwnedFd, (name, path): (&str, &str)) -> Result<bool> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {
            Err(in_the_way(path, "is a directory", path))
        }
        Ok(_) => Ok(true),
        Err(_) => Ok(false),
    }
}

/// True for the root of another mirror, a directory or a repository.
fn is_mirror(dir: &Dir) -> bool {
    let has = |marker: &str| matches!(dir.look(marker.as_bytes()), Ok(Some((EntryType::File, _))));
    has(MARKER) || has(super::bare_repository::MARKER)
}

/// Removes a file, and directories that become empty.
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
        self.0.ask(DirectoryState::list)
    }

    fn apply(&self, changes: Vec<FileChange>, _note: ChangeNote) -> BoxFuture<'_, Result<FilesApplied>> {
        self.0.ask(move |place| place.apply(&changes))
    }

    fn mark<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<()>> {
        let text = text.to_owned();
        self.0.ask(move |place| {
            modes::make_root(&place.path).map_err(root_failed)?;
            write(&place.path, MARKER, (text.as_bytes(), None, None), Precondition::Any).map(drop)
        })
    }

    fn renew(&self) -> BoxFuture<'_, Result<()>> {
        self.0.ask(|place| {
            let listing = place.list()?;
            listing.entries.iter().try_for_each(|entry| remove(&place.path, &entry.path))
        })
    }

    fn newest(&self) -> BoxFuture<'_, Result<Option<FilesCommit>>> {
        Box::pin(async { Ok(None) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_place_is_over_what_must_lie_there() {
        let digest = |text: &str| FileDigest::from(Sha256::digest(text.as_bytes()));
        let check = |lies: Option<&str>, only_if: Precondition, expect: bool| {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("a.md");
            if let Some(text) = lies {
                std::fs::write(&file, text).unwrap();
            }
            assert_eq!(
                write(folder.path(), "a.md", (b"new", None, None), only_if).unwrap(),
                expect,
                "{lies:?} {only_if:?}"
            );
            let expect = if expect { Some("new") } else { lies };
            assert_eq!(std::fs::read_to_string(&file).ok().as_deref(), expect);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), usize::from(expect.is_some()));
        };
        check(None, Precondition::Absent, true);
        check(Some("saved just now"), Precondition::Absent, false);
        check(Some("old"), Precondition::Holds(digest("old")), true);
        check(Some("saved just now"), Precondition::Holds(digest("old")), false);
        check(None, Precondition::Holds(digest("old")), false);
        check(Some("old"), Precondition::Any, true);
    }

    /// Writes of the same length follow each other within one step of the file system's clock.
    #[test]
    fn a_change_in_the_same_moment_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let place = DirectoryState::new(folder.path());
        for number in 100..300 {
            let text = number.to_string();
            std::fs::write(folder.path().join("a.md"), &text).unwrap();
            let found = place.list().unwrap().entries[0].sha256;
            assert_eq!(found, FileDigest::from(Sha256::digest(text.as_bytes())), "{number}");
        }
    }

    #[test]
    fn what_lies_in_the_way_of_a_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("k/empty.md")).unwrap();
        std::fs::create_dir_all(at("k/full.md")).unwrap();
        for file in ["k/full.md/in.md", "k/file", "k/saved.md"] {
            std::fs::write(at(file), "mine").unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), at("k/linked")).unwrap();
        let check = |path: &str, place: &str, lies: &str| {
            let error = write(folder.path(), path, (b"new", None, None), Precondition::Absent).unwrap_err();
            let expect =
                format!("{place} {lies}, where the file {path} of a document is to be written: move");
            assert_eq!(
                (error.field.as_deref(), error.message.contains(&expect)),
                (Some("path"), true),
                "{error:?}"
            );
        };
        check("k/empty.md", "k/empty.md", "is a directory");
        check("k/full.md", "k/full.md", "is a directory");
        check("k/file/a.md", "k/file", "is no directory");
        check("k/file/a/b.md", "k/file", "is no directory");
        check("k/linked/a.md", "k/linked", "is no directory");
        // A file that was saved meanwhile is left to the next listing.
        let new = (b"new".as_slice(), None, None);
        assert!(!write(folder.path(), "k/saved.md", new, Precondition::Absent).unwrap());
        assert!(std::fs::read(at("k/saved.md")).is_ok_and(|text| text == b"mine"));
        let left = std::fs::read_dir(at("k")).unwrap().count();
        assert_eq!(left, 5, "nothing half-written stays");
        let root = DirectoryFiles::open(&at("k/file")).err().unwrap();
        assert!(root.message.contains("a file lies where the mirror's directory is to be"), "{root:?}");
    }

    #[test]
    fn what_cannot_be_read_is_passed_over() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let closed = |path: &str| {
            let nobody = std::fs::Permissions::from_mode(0o000);
            std::fs::set_permissions(folder.path().join(path), nobody).unwrap();
        };
        for path in ["a.md", "b/c.md", "d.md", "e/f.md"] {
            let place = folder.path().join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, path).unwrap();
        }
        std::fs::write(folder.path().join("e").join(MARKER), "version 1\nx\n").unwrap();
        closed("a.md");
        closed("b");
        let is_root = std::fs::read(folder.path().join("a.md")).is_ok();
        let place = DirectoryState::new(folder.path());
        let listing = place.list().unwrap();
        let skipped: Vec<_> = listing.skipped.iter().map(|one| (one.path.as_str(), one.why)).collect();
        // Root can read everything.
        let expect: &[_] = if is_root { &[] } else { &[("a.md", "unreadable"), ("b", "unreadable")] };
        assert_eq!(skipped, [expect, &[("e", "other_mirror")]].concat());
        assert!(listing.entries.iter().any(|entry| entry.path == "d.md"));
    }
}
