//! Opens files under a directory one component at a time and never through a symbolic link, so that
//! no third party can make it read outside the directory. Only regular files are opened for
//! reading, not pipes or devices.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use loci_model::ports::code::CodeResult;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::fault;

/// The attributes of a file that change when its content changes, as the system reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Stamp {
    pub(crate) inode: u64,
    pub(crate) bytes: u64,
    pub(crate) modified: (i64, i64),
    pub(crate) changed: (i64, i64),
    /// True if the owner may execute the file.
    pub(crate) executable: bool,
}

impl Stamp {
    /// Returns true if the file last changed before `time`, the duration since 1970. The system
    /// sets the change time with each write.
    pub(crate) fn is_older_than(&self, time: Duration) -> bool {
        let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        self.changed < (seconds, i64::from(time.subsec_nanos()))
    }
}

/// The type of the entry at a path; links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryType {
    File,
    Directory,
    Symlink,
    Other,
}

/// An open directory.
pub(crate) struct Dir {
    fd: OwnedFd,
}

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
/// The flags for opening files. They never block, so that a pipe cannot stop the reader.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

impl Dir {
    /// Opens the directory at a path that the caller has resolved; its last component must not be a
    /// link.
    pub(crate) fn open(path: &Path) -> CodeResult<Option<Self>> {
        found(rustix::fs::open(path, DIRECTORY, Mode::empty())).map(|fd| fd.map(|fd| Self { fd }))
    }

    /// Returns a directory under this one. `None` if it does not exist, or a link leads to it.
    pub(crate) fn directory(&self, path: &[u8]) -> CodeResult<Option<Self>> {
        let mut reached: Option<Self> = None;
        for name in path.split(|byte| *byte == b'/') {
            let from = reached.as_ref().unwrap_or(self);
            if !is_name(name) {
                return Ok(None);
            }
            match found(rustix::fs::openat(&from.fd, name, DIRECTORY, Mode::empty()))? {
                Some(fd) => reached = Some(Self { fd }),
                None => return Ok(None),
            }
        }
        Ok(reached)
    }

    /// Opens a regular file under this directory.
    pub(crate) fn file(&self, path: &[u8]) -> CodeResult<Option<(File, Stamp)>> {
        self.at_parent(path, |parent, name| {
            let Some(fd) = found(rustix::fs::openat(&parent.fd, name, FILE, Mode::empty()))? else {
                return Ok(None);
            };
            let stat = rustix::fs::fstat(&fd).map_err(|error| fault::io(&error.into(), "a file"))?;
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                return Ok(None);
            }
            Ok(Some((File::from(fd), stamp_of(&stat))))
        })
    }

    /// Reads a regular file under this directory. A file larger than `bytes_max` is an error.
    pub(crate) fn read(&self, path: &[u8], bytes_max: u64) -> CodeResult<Option<Vec<u8>>> {
        match self.file(path)? {
            Some((file, stamp)) => read_all(file, &stamp, bytes_max).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the type of the entry at a path under this directory.
    pub(crate) fn look(&self, path: &[u8]) -> CodeResult<Option<(EntryType, Stamp)>> {
        self.at_parent(path, |parent, name| {
            let stat = found(rustix::fs::statat(&parent.fd, name, AtFlags::SYMLINK_NOFOLLOW))?;
            Ok(stat.map(|stat| {
                let lying = match FileType::from_raw_mode(stat.st_mode) {
                    FileType::RegularFile => EntryType::File,
                    FileType::Directory => EntryType::Directory,
                    FileType::Symlink => EntryType::Symlink,
                    _ => EntryType::Other,
                };
                (lying, stamp_of(&stat))
            }))
        })
    }

    /// Returns the target of a symbolic link under this directory.
    pub(crate) fn link(&self, path: &[u8]) -> CodeResult<Option<Vec<u8>>> {
        self.at_parent(path, |parent, name| {
            let text = found(rustix::fs::readlinkat(&parent.fd, name, Vec::new()))?;
            Ok(text.map(|text| text.into_bytes()))
        })
    }

    /// Returns the sorted names in this directory. More than `names_max` names are an error.
    pub(crate) fn names(&self, names_max: usize) -> CodeResult<Vec<Vec<u8>>> {
        let failed = |error: Errno| fault::io(&error.into(), "a directory");
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.fd).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().to_bytes().to_vec();
            if name == b"." || name == b".." {
                continue;
            }
            if names.len() == names_max {
                return Err(fault::too_large("a directory"));
            }
            names.push(name);
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Returns attributes that distinguish this directory from another one at the same path.
    pub(crate) fn stamp(&self) -> CodeResult<Stamp> {
        let stat = rustix::fs::fstat(&self.fd).map_err(|error| fault::io(&error.into(), "a directory"))?;
        Ok(stamp_of(&stat))
    }

    fn at_parent<T>(
        &self,
        path: &[u8],
        work: impl FnOnce(&Self, &[u8]) -> CodeResult<Option<T>>,
    ) -> CodeResult<Option<T>> {
        let (parent, name) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(at) => {
                let (parent, name) = path.split_at(at);
                let Some(parent) = self.directory(parent)? else { return Ok(None) };
                (Some(parent), name.get(1..).unwrap_or_default())
            }
            None => (None, path),
        };
        if is_name(name) { work(parent.as_ref().unwrap_or(self), name) } else { Ok(None) }
    }
}

/// Reads an open file whose length the system reported.
pub(crate) fn read_all(file: File, stamp: &Stamp, bytes_max: u64) -> CodeResult<Vec<u8>> {
    if stamp.bytes > bytes_max {
        return Err(fault::too_large("a file"));
    }
    let mut content = Vec::with_capacity(usize::try_from(stamp.bytes).unwrap_or(0));
    // The file may grow meanwhile: an additional byte beyond the limit shows it.
    file.take(bytes_max.saturating_add(1))
        .read_to_end(&mut content)
        .map_err(|error| fault::io(&error, "a file"))?;
    if content.len() as u64 > bytes_max {
        return Err(fault::too_large("a file"));
    }
    Ok(content)
}

fn is_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/') && !name.contains(&0)
}

#[expect(clippy::unnecessary_cast, reason = "the widths of these fields differ between systems")]
fn stamp_of(stat: &rustix::fs::Stat) -> Stamp {
    Stamp {
        inode: stat.st_ino as u64,
        bytes: u64::try_from(stat.st_size).unwrap_or(0),
        modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        executable: stat.st_mode & 0o100 != 0,
    }
}

/// Returns `None` if the entry does not exist, has another type than requested, or is a symbolic
/// link.
fn found<T>(result: Result<T, Errno>) -> CodeResult<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(
            Errno::NOENT
            | Errno::NOTDIR
            | Errno::LOOP
            | Errno::NAMETOOLONG
            | Errno::ISDIR
            | Errno::NXIO
            | Errno::INVAL,
        ) => Ok(None),
        Err(error) => Err(fault::io(&io::Error::from(error), "a file or directory")),
    }
}
