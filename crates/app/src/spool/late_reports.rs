//! Reports from while another process held the spool for too long: one file each, in a folder next
//! to the spool, until the next process with the lock takes them in. A file is complete or absent.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::entry::{SpoolEntry, line};
use super::lines;

/// The extension of a complete file.
const WHOLE: &str = "jsonl";

/// Writes an entry next to the spool, and returns when it is on disk.
pub(super) fn put(folder: &Path, entry: &SpoolEntry, bytes_max: u64) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("the folder {}", folder.display()))?;
    let text = line(entry)?;
    let held: u64 = files(folder)?.iter().map(|path| lines::bytes(path)).sum();
    if held.saturating_add(text.len() as u64) > bytes_max {
        bail!(
            "another process holds the spool, and {} is full ({bytes_max} bytes): loci spool flush",
            folder.display()
        );
    }
    let named = |end: &str| folder.join(format!("{}.{end}", entry.key));
    lines::write_whole(&named(WHOLE), &named("new"), &text)
}

/// Returns the complete files, oldest first. Their names are keys, which begin with the time.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("the folder {}", folder.display())),
    };
    let mut files = Vec::new();
    for found in listed {
        let path = found.with_context(|| format!("the folder {}", folder.display()))?.path();
        if path.extension().is_some_and(|end| end == WHOLE) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
