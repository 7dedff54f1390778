//! Modes of files and directories in a mirror. Existing ones keep their modes. New ones are
//! readable for those who can read their directory, as far as the umask of the process permits.

use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode};
use rustix::io::Errno;

/// The kind of a new entry in a mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewEntryKind {
    File,
    Executable,
    Directory,
}

/// The permission bits without setuid, setgid and sticky.
const PERMISSIONS: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO);
const RUN: Mode = Mode::XUSR.union(Mode::XGRP).union(Mode::XOTH);

/// Creates a mirror's root with access for its owner only; an existing one is not changed.
pub(super) fn make_root(path: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Returns the mode of a new entry in a directory, before the umask.
pub(super) fn of_new(folder: &OwnedFd, new: NewEntryKind) -> Result<Mode, Errno> {
    let above = Mode::from_raw_mode(rustix::fs::fstat(folder)?.st_mode).intersection(PERMISSIONS);
    Ok(match new {
        NewEntryKind::Directory => above.union(Mode::RWXU),
        NewEntryKind::File => above.difference(RUN).union(Mode::RUSR | Mode::WUSR),
        NewEntryKind::Executable => above.union(Mode::RWXU),
    })
}

/// Returns the mode with which a file is created, and the mode that it gets afterwards; `None`: no
/// change. `like` is the mode of the source of a moved file.
pub(super) fn of_file(
    folder: &OwnedFd,
    name: &str,
    executable: Option<bool>,
    like: Option<Mode>,
) -> Result<(Mode, Option<Mode>), Errno> {
    let lies = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Some(stat).filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile),
        Err(Errno::NOENT) => None,
        Err(error) => return Err(error),
    };
    let Some(mode) = lies.map(|lies| Mode::from_raw_mode(lies.st_mode)).or(like) else {
        let new = if executable == Some(true) { NewEntryKind::Executable } else { NewEntryKind::File };
        return Ok((of_new(folder, new)?, None));
    };
    let mode = mode.intersection(PERMISSIONS);
    let mode = executable.map_or(mode, |wanted| with_executable(mode, wanted));
    Ok((Mode::RUSR | Mode::WUSR, Some(mode)))
}

/// Returns a mode with or without the executable bits for those who can read the file; an already
/// matching mode is kept.
pub(super) fn with_executable(mode: Mode, wanted: bool) -> Mode {
    let mode = mode.intersection(PERMISSIONS);
    match (wanted, mode.contains(Mode::XUSR)) {
        (true, true) | (false, false) => mode,
        (false, true) => mode.difference(RUN),
        (true, false) => {
            let pairs = [(Mode::RUSR, Mode::XUSR), (Mode::RGRP, Mode::XGRP), (Mode::ROTH, Mode::XOTH)];
            let run = pairs.iter().filter(|(read, _)| mode.contains(*read)).map(|(_, run)| *run);
            run.fold(mode.union(Mode::XUSR), Mode::union)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_reads_a_file_may_run_it() {
        let check = |mode: u32, wanted: bool, expect: u32| {
            let found = with_executable(Mode::from_raw_mode(mode), wanted);
            assert_eq!(found.as_raw_mode(), expect, "{mode:o} {wanted}");
        };
        check(0o644, true, 0o755);
        check(0o600, true, 0o700);
        check(0o640, true, 0o750);
        check(0o700, true, 0o700);
        check(0o755, false, 0o644);
        check(0o644, false, 0o644);
        check(0o4755, true, 0o755);
    }
}
