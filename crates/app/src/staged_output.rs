//! A file or folder that gets its name when it is complete. Until then it is in a hidden folder
//! next to its path. Only the owner may enter that folder, and it is removed if the work fails or a
//! signal ends it. The writer decides about its content. A killed process leaves the hidden folder.
//! The next work next to it removes the folder, because its lock is free. A single file is placed
//! where the links of its name lead, and keeps the mode of the file that it replaces. A path that
//! is not a regular file is written into directly.

use std::fs::{DirEntry, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use loci_server::regular_file::{OPEN_FILES, is_folder_of_open_files};
use tempfile::TempDir;

use crate::output;
use crate::output::protected_paths::ensure_free_of_data;
use crate::process::signal_guard::SignalGuard;

/// The name prefix of the hidden folder.
const PREFIX: &str = ".loci-unfinished-";
/// The name of the output inside the hidden folder, before it gets its own name.
const NAME: &str = "whole";
/// The name of the lock file inside the hidden folder. The writing process keeps it locked.
const LOCK: &str = "lock";
/// The maximum number of attempts to create a hidden folder. Another process may remove one just
/// before this process locks it.
const FOLDERS_MAX: usize = 10;
/// The mode of the hidden folder.
const OWNER_ALONE: u32 = 0o700;
/// The bits of the mode that a new file takes from the file that it replaces.
const MODE_KEPT: u32 = 0o777;
/// The maximum number of symbolic links to follow from a name.
const LINKS_MAX: usize = 40;
/// The name of standard output in a folder such as `/dev/fd`.
const STANDARD_OUTPUT: &str = "1";

/// A file or folder that is being written.
pub(crate) struct StagedOutput {
    folder: TempDir,
    guard: SignalGuard,
    /// The lock, held until the folder is removed.
    lock: File,
    target: PathBuf,
}

impl StagedOutput {
    /// Creates the hidden folder next to `target`, and removes abandoned hidden folders there.
    /// Rejects a target inside a data folder, and a target that is a database or a master key.
    pub(crate) fn beside(target: &Path) -> Result<Self> {
        ensure_free_of_data(target)?;
        let parent = folder_of(target);
        let writing = || format!("writing in {}", parent.display());
        remove_abandoned(parent);
        for _ in 0..FOLDERS_MAX {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX).permissions(Permissions::from_mode(OWNER_ALONE));
            let make = || builder.tempdir_in(parent).with_context(writing);
            let (folder, guard) = SignalGuard::around(make)?;
            if let Some(lock) = locked(folder.path()).with_context(writing)? {
                return Ok(Self { folder, guard, lock, target: target.to_owned() });
            }
        }
        let rule = "another process removes each unfinished folder as soon as it is made";
        Err(io::Error::other(format!("{rule}: try again")).into())
    }

    /// Returns the path to write to. Nothing exists there at first.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(NAME)
    }

    /// Moves the output to its own name. A file may replace a file, and a folder an empty folder.
    /// If the hidden folder cannot be removed afterwards, a note reports it and the call succeeds.
    pub(crate) fn publish(self) -> Result<()> {
        let Self { folder, guard, lock, target } = self;
        let (outcome, left) = guard.finish(|| match std::fs::rename(folder.path().join(NAME), &target) {
            Ok(()) => (Ok(()), left(folder)),
            Err(error) => (Err(error), None),
        });
        drop(lock);
        outcome.with_context(|| format!("writing {}", target.display()))?;
        if let Some(told) = left {
            output::note(told);
        }
        Ok(())
    }
}

/// A single file that is being written.
pub(crate) struct StagedFile {
    out: BufWriter<File>,
    /// The staged output. `None` if the bytes go directly to their path.
    work: Option<StagedOutput>,
    target: PathBuf,
}

impl StagedFile {
    /// Creates a file that will get the name `target`. If the target is a pipe, the call blocks
    /// until a reader opens the pipe.
    pub(crate) fn at(target: &Path) -> Result<Self> {
        let writing = || format!("writing {}", target.display());
        let (file, work) = match place_of(target).with_context(writing)? {
            OutputDestination::Named { place, mode } => {
                let work = StagedOutput::beside(&place)?;
                let file = File::create_new(work.path()).with_context(writing)?;
                if let Some(mode) = mode {
                    file.set_permissions(mode).with_context(writing)?;
                }
                (file, Some(work))
            }
            OutputDestination::Special(place) => {
                (OpenOptions::new().write(true).open(place).with_context(writing)?, None)
            }
            // Its earlier bytes stay.
            OutputDestination::Open(place) => {
                (OpenOptions::new().append(true).open(place).with_context(writing)?, None)
            }
        };
        Ok(Self { out: BufWriter::new(file), work, target: target.to_owned() })
    }

    /// Returns the writer for the bytes of the file.
    pub(crate) fn out(&mut self) -> &mut BufWriter<File> {
        &mut self.out
    }

    /// Writes the buffered bytes, and gives the file its name.
    pub(crate) fn publish(self) -> Result<()> {
        let Self { mut out, work, target } = self;
        let writing = || format!("writing {}", target.display());
        out.flush().with_context(writing)?;
        let Some(work) = work else { return Ok(()) };
        out.get_ref().sync_all().with_context(writing)?;
        work.publish()
    }
}

/// Returns true for `-`, and for a name that leads to the standard output of this process.
pub(crate) fn is_standard_output(target: &Path) -> bool {
    if target == Path::new("-") {
        return true;
    }
    let Ok(OutputDestination::Open(place)) = place_of(target) else { return false };
    let is_own = match (folder_of(&place).canonicalize(), Path::new(OPEN_FILES).canonicalize()) {
        (Ok(folder), Ok(own)) => folder == own,
        (Err(_), _) | (_, Err(_)) => false,
    };
    is_own && place.file_name().is_some_and(|name| name == STANDARD_OUTPUT)
}

/// Returns true if the bytes written to this name cannot be read again, because it is a device, a
/// pipe or an open file.
pub(crate) fn is_written_through(target: &Path) -> bool {
    matches!(place_of(target), Ok(OutputDestination::Special(_) | OutputDestination::Open(_)))
}

/// The destination of a file's bytes.
enum OutputDestination {
    /// A regular file, or a name that does not exist yet. `mode` is the mode of an existing file.
    /// Publishing fails if the name is a folder.
    Named { place: PathBuf, mode: Option<Permissions> },
    /// A device, a pipe or a socket.
    Special(PathBuf),
    /// An open file of a process. It is written through its link, because opening it by name would
    /// start at another position.
    Open(PathBuf),
}

/// Follows the symbolic links of a name to the destination of its bytes.
fn place_of(target: &Path) -> io::Result<OutputDestination> {
    let mut place = target.to_owned();
    for _ in 0..LINKS_MAX {
        // The links of `/dev/stdout` end here.
        if is_folder_of_open_files(folder_of(&place)) {
            return Ok(OutputDestination::Open(place));
        }
        let about = match std::fs::symlink_metadata(&place) {
            Ok(about) => about,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(OutputDestination::Named { place, mode: None });
            }
            Err(error) => return Err(error),
        };
        if about.is_symlink() {
            place = folder_of(&place).join(std::fs::read_link(&place)?);
            continue;
        }
        if !about.is_file() && !about.is_dir() {
            return Ok(OutputDestination::Special(place));
        }
        let mode = about.is_file().then(|| Permissions::from_mode(about.permissions().mode() & MODE_KEPT));
        return Ok(OutputDestination::Named { place, mode });
    }
    Err(io::Error::other(format!("more than {LINKS_MAX} links lead on from it: name the file itself")))
}

/// Creates and takes the lock of a hidden folder. Returns `None` if another process considered the
/// folder abandoned and removed it. On a file system without locks, no folder counts as abandoned.
fn locked(folder: &Path) -> io::Result<Option<File>> {
    let place = folder.join(LOCK);
    let lock = match File::create_new(&place) {
        Ok(lock) => lock,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let is_taken = matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
    Ok((!is_taken && place.exists()).then_some(lock))
}

/// Removes the hidden folders of this user whose processes have ended, and reports each removal.
/// Folders that cannot be opened stay.
fn remove_abandoned(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten().filter(is_own_hidden_folder) {
        let place = entry.path();
        // A folder without a lock is from an earlier version, or is being created.
        let Ok(lock) = OpenOptions::new().write(true).open(place.join(LOCK)) else { continue };
        if lock.try_lock().is_err() {
            continue;
        }
        let left = format!("{}, which a process that is gone left unfinished", place.display());
        match std::fs::remove_dir_all(&place) {
            Ok(()) => output::note(format!("removed {left}")),
            Err(error) => output::note(format!("{left}, could not be removed: {error}: remove it")),
        }
    }
}

/// Returns true for a hidden folder of this user. In a shared folder other users may create such
/// names.
fn is_own_hidden_folder(entry: &DirEntry) -> bool {
    let is_named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
    let own = rustix::process::geteuid().as_raw();
    is_named && entry.metadata().is_ok_and(|about| about.is_dir() && about.uid() == own)
}

/// Returns the folder that contains the path.
fn folder_of(place: &Path) -> &Path {
    match place.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    }
}

/// Removes the hidden folder. Returns a note for the user if the folder remains.
fn left(folder: TempDir) -> Option<String> {
    let place = folder.path().display().to_string();
    let error = folder.close().err()?;
    Some(format!("the folder {place}, which is done with, could not be removed: {error}: remove it"))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::{FileTypeExt as _, symlink};

    use super::*;

    fn written(target: &Path, text: &str) {
        let mut work = StagedFile::at(target).unwrap();
        work.out().write_all(text.as_bytes()).unwrap();
        work.publish().unwrap();
    }

    #[test]
    fn a_file_keeps_its_mode_and_goes_where_its_links_lead() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();
        for mode in [0o600, 0o440] {
            let name = format!("{mode:o}.jsonl");
            std::fs::write(at(&name), "old").unwrap();
            std::fs::set_permissions(at(&name), Permissions::from_mode(mode)).unwrap();
            written(&at(&name), "new");
            assert_eq!(read(&name), "new");
            assert_eq!(std::fs::metadata(at(&name)).unwrap().permissions().mode() & 0o777, mode);
        }
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::write(at("sub/real.jsonl"), "old").unwrap();
        symlink("real.jsonl", at("sub/link.jsonl")).unwrap();
        symlink("sub/link.jsonl", at("link.jsonl")).unwrap();
        symlink("sub/none.jsonl", at("dangling.jsonl")).unwrap();
        written(&at("link.jsonl"), "one");
        written(&at("dangling.jsonl"), "two");
        assert_eq!((read("sub/real.jsonl"), read("sub/none.jsonl")), ("one".to_owned(), "two".to_owned()));
        for name in ["link.jsonl", "sub/link.jsonl", "dangling.jsonl"] {
            assert!(std::fs::symlink_metadata(at(name)).unwrap().is_symlink(), "{name}");
        }
        symlink("circle", at("circle")).unwrap();
        let error = StagedFile::at(&at("circle")).err().unwrap();
        assert!(format!("{error:#}").contains("name the file itself"), "{error:#}");
    }

    #[test]
    fn what_is_no_regular_file_is_written_into() {
        let home = tempfile::tempdir().unwrap();
        let pipe = home.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let from = pipe.clone();
        let reader = std::thread::spawn(move || std::fs::read_to_string(from).unwrap());
        written(&pipe, "through");
        // If the pipe was replaced, its reader would wait forever.
        assert!(std::fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(reader.join().unwrap(), "through");
        assert!(is_written_through(&pipe));
        let file = home.path().join("open.jsonl");
        std::fs::write(&file, "before ").unwrap();
        let open = File::options().append(true).open(&file).unwrap();
        let name = PathBuf::from(format!("{OPEN_FILES}/{}", open.as_raw_fd()));
        written(&name, "behind");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "before behind");
        assert!(is_written_through(&name) && !is_standard_output(&name));
        assert!(!is_written_through(&file) && !is_standard_output(&file));
        for name in ["-", "/dev/stdout", "/dev/fd/1"] {
            assert!(is_standard_output(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_removed_is_told() {
        let home = tempfile::tempdir().unwrap();
        let folder = || StagedOutput::beside(&home.path().join("out.jsonl")).unwrap().folder;
        assert_eq!(left(folder()), None);
        let gone = folder();
        let place = gone.path().display().to_string();
        std::fs::remove_dir_all(gone.path()).unwrap();
        let told = left(gone).unwrap();
        assert!(told.contains(&place) && told.contains("remove it"), "{told}");
    }

    #[test]
    fn folders_of_dead_processes_go_and_others_stay() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out.jsonl");
        let living = StagedOutput::beside(&target).unwrap();
        std::fs::write(living.path(), "half").unwrap();
        let make = |name: &str, file: &str| {
            let folder = home.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join(file), "x").unwrap();
            std::fs::write(folder.join(NAME), "half").unwrap();
            folder
        };
        let dead = make(&format!("{PREFIX}dead"), LOCK);
        let earlier = make(&format!("{PREFIX}earlier"), "other");
        let named_else = make("notes", LOCK);
        let linked = home.path().join(format!("{PREFIX}linked"));
        symlink(&named_else, &linked).unwrap();
        StagedOutput::beside(&home.path().join("other.jsonl")).unwrap();
        assert!(!dead.exists());
        for folder in [&living.path(), &earlier, &named_else, &linked, &named_else.join(NAME)] {
            assert!(folder.exists(), "{}", folder.display());
        }
        living.publish().unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "half");
    }

    #[test]
    fn what_is_not_published_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let names = || {
            let entries = std::fs::read_dir(home.path()).unwrap();
            let mut names: Vec<_> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        let target = home.path().join("out.jsonl");
        let begin = |text: &str| {
            let work = StagedOutput::beside(&target).unwrap();
            std::fs::write(work.path(), text).unwrap();
            let about = std::fs::metadata(work.path().parent().unwrap()).unwrap();
            assert_eq!(about.permissions().mode() & 0o777, OWNER_ALONE);
            work
        };
        drop(begin("cut off"));
        assert!(names().is_empty(), "{:?}", names());
        begin("one").publish().unwrap();
        begin("two").publish().unwrap();
        assert_eq!(names(), ["out.jsonl"]);
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "two");
        // A file cannot replace a folder.
        std::fs::remove_file(&target).unwrap();
        std::fs::create_dir(&target).unwrap();
        assert!(begin("three").publish().unwrap_err().to_string().contains("out.jsonl"));
        assert_eq!(names(), ["out.jsonl"]);
        assert!(target.is_dir());
    }
}
