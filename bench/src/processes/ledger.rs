//! A file per writer with one line per acknowledged event. The other writers read it to know which
//! events they must see.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// An acknowledged event.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) actor: String,
    pub(super) session: String,
    pub(super) id: String,
    pub(super) text: String,
}

/// The file of one writer.
pub(super) struct Writer(File);

fn folder_of(data: &Path) -> PathBuf {
    data.with_extension("ledgers")
}

impl Writer {
    pub(super) fn open(data: &Path, name: &str) -> Result<Self> {
        let folder = folder_of(data);
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{name}.jsonl"));
        Ok(Self(File::options().create(true).append(true).open(path)?))
    }

    /// Adds a line with one write, so that a reader never sees part of one line followed by
    /// another.
    pub(super) fn add(&mut self, line: &Line) -> Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.0.write_all(text.as_bytes())?;
        Ok(())
    }
}

/// Returns all complete lines of all writers, or of all except `except`.
pub(super) fn read(data: &Path, except: Option<&str>) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let folder = folder_of(data);
    if !folder.exists() {
        return Ok(lines);
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if except.is_some_and(|name| path.file_stem().is_some_and(|stem| stem == name)) {
            continue;
        }
        let text = std::fs::read_to_string(path)?;
        let whole = text.rfind('\n').map_or("", |end| text.get(..end).unwrap_or_default());
        for line in whole.lines() {
            lines.push(serde_json::from_str(line)?);
        }
    }
    Ok(lines)
}
