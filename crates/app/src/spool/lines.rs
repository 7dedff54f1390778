//! Files of lines that only their owner reads: read as far as they can be, added to, and written anew as a whole.
//!
//! It knows nothing of what stands in a line, and locks nothing.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Only its owner reads it: it holds what agents wrote.
pub(super) const MODE: u32 = 0o600;

/// A file of a spool, made where it is not there.
pub(super) fn open(options: &mut OpenOptions, path: &Path) -> Result<File> {
    check_regular(path)?;
    options.mode(MODE).open(path).with_context(|| named(path))
}

/// Whole lines with their ends; none where there is no file.
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

/// Requires that nothing but a regular file lies in the place of one: opening a pipe waits for its
/// other end.
fn check_regular(path: &Path) -> Result<()> {
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        bail!("{} is no regular file: remove it, or name another spool", path.display());
    }
    Ok(())
}

/// Adds lines, and returns when they are on the disk.
pub(super) fn append(path: &Path, lines: &str) -> Result<()> {
    let mut file = open(OpenOptions::new().create(true).append(true), path)?;
    let written = if ends_in_line(path) { lines.to_owned() } else { format!("\n{lines}") };
    file.write_all(written.as_bytes()).and_then(|()| file.sync_all()).with_context(|| named(path))
}

/// Writes a file anew, all of it or nothing.
pub(super) fn replace(path: &Path, lines: &[String]) -> Result<()> {
    write_whole(path, &path.with_extension("new"), &lines.concat())
}

/// Writes a file by way of another one beside it.
pub(super) fn write_whole(path: &Path, new: &Path, text: &str) -> Result<()> {
    let mut file = open(OpenOptions::new().create(true).truncate(true).write(true), new)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).with_context(|| named(new))?;
    std::fs::rename(new, path).with_context(|| named(path))
}

/// Bytes of a file; of none, 0.
pub(super) fn bytes(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |found| found.len())
}

/// False where a crash cut the last line off.
fn ends_in_line(path: &Path) -> bool {
    std::fs::read(path).map_or(true, |bytes| bytes.last().is_none_or(|last| *last == b'\n'))
}

fn named(path: &Path) -> String {
    format!("the file {} of the spool", path.display())
}
