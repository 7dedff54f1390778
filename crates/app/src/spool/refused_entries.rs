//! Permanently rejected entries and unreadable lines, each with its reason, in a file next to the
//! spool. Nothing is removed automatically, and a person may send entries again.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use super::entry::{SpoolEntry, line, read};
use super::lines;

/// A permanently rejected entry or line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Refused {
    /// An entry that contains its reason.
    Entry(Box<SpoolEntry>),
    /// A line that is not an entry.
    Line {
        /// The reason.
        refused: String,
        /// The readable part of the line.
        line: String,
    },
}

impl Refused {
    /// Returns the rejection of an entry that contains its reason.
    pub(crate) fn of(entry: SpoolEntry) -> Self {
        Self::Entry(Box::new(entry))
    }
}

/// The file.
#[derive(Debug, Clone)]
pub(super) struct RefusedFile {
    pub(super) path: PathBuf,
    pub(super) bytes_max: u64,
}

impl RefusedFile {
    pub(super) fn beside(spool: &Path, bytes_max: u64) -> Self {
        Self { path: spool.with_extension("refused"), bytes_max }
    }

    /// Returns the content, oldest first. A line truncated by a crash is shown unchanged.
    pub(super) fn all(&self) -> Result<Vec<Refused>> {
        Ok(lines::read(&self.path)?.iter().map(|text| refused(text)).collect())
    }

    /// Adds entries and invalid lines. Existing ones stay unchanged.
    pub(super) fn keep(&self, new: &[Refused]) -> Result<()> {
        let known = self.all()?;
        let is_known = |one: &Refused| known.iter().any(|other| is_same(one, other));
        let mut text = String::new();
        for one in new.iter().filter(|one| !is_known(one)) {
            text.push_str(&serde_json::to_string(one)?);
            text.push('\n');
        }
        if text.is_empty() {
            return Ok(());
        }
        let bytes = lines::bytes(&self.path).saturating_add(text.len() as u64);
        if bytes > self.bytes_max {
            bail!("{} is full ({} bytes): put it away", self.path.display(), self.bytes_max);
        }
        lines::append(&self.path, &text)
    }

    /// Removes an entry, or records another reason.
    pub(super) fn settle(&self, key: &str, why: Option<&str>) -> Result<()> {
        let mut changed = false;
        let mut kept = Vec::new();
        for text in lines::read(&self.path)? {
            match read(&text) {
                Ok(entry) if entry.key == key => {
                    changed |= entry.refused.as_deref() != why;
                    if let Some(why) = why {
                        kept.push(line(&SpoolEntry { refused: Some(why.to_owned()), ..entry })?);
                    }
                }
                _ => kept.push(text),
            }
        }
        if changed { lines::replace(&self.path, &kept) } else { Ok(()) }
    }
}

fn refused(text: &str) -> Refused {
    let unread = || Refused::Line { refused: UNREAD.to_owned(), line: text.trim_end().to_owned() };
    loci_json::from_str(text).unwrap_or_else(|_| unread())
}

fn is_same(one: &Refused, other: &Refused) -> bool {
    match (one, other) {
        (Refused::Entry(one), Refused::Entry(other)) => one.key == other.key,
        (Refused::Line { line: one, .. }, Refused::Line { line: other, .. }) => one == other,
        (Refused::Entry(_), Refused::Line { .. }) | (Refused::Line { .. }, Refused::Entry(_)) => false,
    }
}

/// The reason for an invalid line.
pub(super) const UNREAD: &str = "the line cannot be read: it was cut off, or written by something else";
