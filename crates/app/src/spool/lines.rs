//! Files of lines that only their owner can read. They are read as far as possible, appended to,
//! and replaced as a whole.
//!
//! This module knows nothing about the content of a line, and locks nothing.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The file mode. Only the owner can read texts of agents.
pub(super) const MODE: u32 = 0o600;

/// Opens a file of a spool, and creates a missing one.
pub(super) fn open(options: &mut OpenOptions, path: &Path) -> Result<File> {
    check_regular(path)?;
    options.mode(MODE).open(path).with_context(|| named(path))
}

/// Returns complete lines with their newlines, or none if there is no file.
pub(super) fn read(path: &Path) -> Result<Vec<String>> {
    check_regular(path)?;
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| named(path)),
    };
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("{line}\n")).collect())
}

/// Checks that the path is a regular file or absent, because opening a pipe blocks until its other
/// end opens.
fn check_regular(path: &Path) -> Result<()> {
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        bail!("{} is not a regular file: remove it, or name another spool", path.display());
    }
    Ok(())
}

/// Appends lines, and returns when they are on disk.
pub(super) fn append(path: &Path, lines: &str) -> Result<()> {
    let mut file = open(OpenOptions::new().create(true).append(true), path)?;
    let written = if ends_in_line(path) { lines.to_owned() } else { format!("\n{lines}") };
    file.write_all(written.as_bytes()).and_then(|()| file.sync_all()).with_context(|| named(path))
}

/// Replaces a file atomically.
pub(super) fn replace(path: &Path, lines: &[String]) -> Result<()> {
    write_whole(path, &path.with_extension("new"), &lines.concat())
}

/// Writes a file by way of a temporary one next to it.
pub(super) fn write_whole(path: &Path, new: &Path, text: &str) -> Result<()> {
    let mut file = open(OpenOptions::new().create(true).truncate(true).write(true), new)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).with_context(|| named(new))?;
    std::fs::rename(new, path).with_context(|| named(path))
}

/// Returns the size of a file in bytes, or 0 without a file.
pub(super) fn bytes(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |found| found.len())
}

/// False if a crash truncated the last line.
fn ends_in_line(path: &Path) -> bool {
    std::fs::read(path).map_or(true, |bytes| bytes.last().is_none_or(|last| *last == b'\n'))
}

fn named(path: &Path) -> String {
    format!("the file {} of the spool", path.display())
}
