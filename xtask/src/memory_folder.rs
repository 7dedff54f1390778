//! A folder in memory for the temporary files of steps. On a disk, stores and databases wait for it
//! half of their time. The steps use the disk if the system has no such folder or little memory.

use rustix::fs::StatVfsMountFlags;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The variable that names the folder for temporary files.
pub(crate) const VARIABLE: &str = "TMPDIR";
/// The file system in memory of Linux.
const PARENT: &str = "/dev/shm";
/// The minimum of free memory, in bytes. The databases, stores and clones of parallel steps need a
/// part of it.
const FREE_BYTES_MIN: u64 = 8 << 30;
/// The prefix of a folder's name, before the id of its process.
const PREFIX: &str = "loci-test-";

/// A temporary folder that is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct MemoryFolder(PathBuf);

impl MemoryFolder {
    /// Creates the folder of this process, unless [`VARIABLE`] names one or little memory is free.
    /// It removes the folders of runs that were killed.
    pub(crate) fn new() -> Option<Self> {
        if std::env::var_os(VARIABLE).is_some() {
            return None;
        }
        for name in std::fs::read_dir(PARENT).ok()?.flatten().map(|entry| entry.file_name()) {
            let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
            if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
                Self(Path::new(PARENT).join(name)).clear();
            }
        }
        if free_bytes()? < FREE_BYTES_MIN {
            return None;
        }
        let folder = Self(Path::new(PARENT).join(format!("{PREFIX}{}", std::process::id())));
        std::fs::create_dir(&folder.0).ok()?;
        // The permissions of `/tmp`: the user of the databases creates and removes its own folders
        // there.
        std::fs::set_permissions(&folder.0, Permissions::from_mode(0o1777)).ok()?;
        Some(folder)
    }

    /// Returns the path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    fn clear(&self) {
        // If this fails, the next run tries again.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Drop for MemoryFolder {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Returns the memory, in bytes, that files may take.
fn free_bytes() -> Option<u64> {
    let status = rustix::fs::statvfs(PARENT).ok()?;
    // Tests put programs there: git hooks and the programs of the database.
    if status.f_flag.contains(StatVfsMountFlags::NOEXEC) {
        return None;
    }
    let of_files = status.f_bavail.saturating_mul(status.f_frsize);
    Some(of_files.min(available_bytes(&std::fs::read_to_string("/proc/meminfo").ok()?)?))
}

fn available_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_systems_report() {
        let report = "MemTotal:       24684084 kB\nMemAvailable:   22403832 kB\nBuffers: 1 kB\n";
        assert_eq!(available_bytes(report), Some(22_403_832 * 1024));
        assert_eq!(available_bytes("MemTotal: 5 kB\n"), None);
    }
}
