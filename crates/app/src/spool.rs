//! The spool: what an agent reported while its server could not be reached, line by line in a file of the clone, until it can
//! (coding-agent-memory.md §7). Every line carries the key by which a server tells a repetition, so that sending one twice does
//! no harm; nothing is locked while something is sent.
//!
//! It decides nothing about when something is kept or sent, and sends nothing itself.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Bytes of the file.
const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Only its owner reads it: it holds what agents wrote.
const MODE: u32 = 0o600;

/// What is to be said of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SpoolCall {
    /// The task itself: whatever else is said of it comes behind.
    Create,
    /// The agent's report.
    Complete,
    /// The end, by whoever runs agents.
    Finalize,
    /// A note.
    Note,
    /// Commits, by a git hook.
    Commits,
    /// What is said of memories.
    Feedback,
    /// What was said in the session of a task.
    Session,
}

impl SpoolCall {
    /// The word that stands for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Complete => "complete",
            Self::Finalize => "finalize",
            Self::Note => "note",
            Self::Commits => "commits",
            Self::Feedback => "feedback",
            Self::Session => "session",
        }
    }
}

/// A line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// By this a server tells a repetition.
    pub(crate) key: String,
    /// When it was said, RFC 3339.
    pub(crate) at: String,
    /// The server, where one was named: what was said to one is nobody else's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// The memory, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<String>,
    /// The task.
    pub(crate) task: String,
    /// What is said.
    pub(crate) call: SpoolCall,
    /// The request.
    pub(crate) body: Value,
    /// Why a server refused it: it is not sent again unless a person asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
    /// What a server said that did not know the task: it is sent again by whoever comes next, for the task may be taken in later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unknown: Option<String>,
}

/// What became of an entry that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sent {
    /// A server has it.
    Taken,
    /// A server does not want it.
    Refused(String),
    /// A server does not know its task.
    Unknown(String),
}

/// The file.
#[derive(Debug, Clone)]
pub(crate) struct Spool {
    path: PathBuf,
    bytes_max: u64,
}

impl Spool {
    /// The one at a path, there or not.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path, bytes_max: BYTES_MAX }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds an entry, and returns when it is on the disk. Where there is no room, what was said in sessions goes, the oldest
    /// first, then notes; reports never do. How many went.
    pub(crate) fn add(&self, entry: &Entry) -> Result<usize> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("the folder {}", folder.display()))?;
        }
        let _lock = self.lock()?;
        let line = line(entry)?;
        let room = |bytes: u64| bytes.saturating_add(line.len() as u64) <= self.bytes_max;
        let bytes = std::fs::metadata(&self.path).map_or(0, |found| found.len());
        if room(bytes) {
            self.append(&line)?;
            return Ok(0);
        }
        let (mut kept, _) = self.read_lines()?;
        let before = kept.len();
        let size = |lines: &[String]| lines.iter().map(|line| line.len() as u64).sum::<u64>();
        while !room(size(&kept)) {
            let of = |call| move |text: &String| read(text).is_ok_and(|entry| entry.call == call);
            let said = kept.iter().position(of(SpoolCall::Session));
            let Some(oldest) = said.or_else(|| kept.iter().position(of(SpoolCall::Note))) else {
                bail!(
                    "the spool {} is full ({} bytes): loci spool flush",
                    self.path.display(),
                    self.bytes_max
                );
            };
            kept.remove(oldest);
        }
        let dropped = before - kept.len();
        kept.push(line);
        self.replace(&kept)?;
        Ok(dropped)
    }

    /// Everything that is in it, oldest first, and how many lines cannot be read: one that was cut off in a crash.
    pub(crate) fn entries(&self) -> Result<(Vec<Entry>, usize)> {
        if !self.path.exists() {
            return Ok((Vec::new(), 0));
        }
        let _lock = self.lock()?;
        let (lines, cut) = self.read_lines()?;
        Ok((lines.iter().filter_map(|line| read(line).ok()).collect(), cut))
    }

    /// Whether something waits for this server that it did not refuse.
    pub(crate) fn waits_for(&self, url: Option<&str>) -> Result<bool> {
        let (entries, _) = self.entries()?;
        Ok(entries.iter().any(|entry| entry.refused.is_none() && entry.url.as_deref() == url))
    }

    /// Whether a task waits to be taken in by this server, which did not refuse it.
    pub(crate) fn begins(&self, url: Option<&str>, task: &str) -> Result<bool> {
        let (entries, _) = self.entries()?;
        let begins = |entry: &Entry| {
            entry.call == SpoolCall::Create && entry.task == task && entry.url.as_deref() == url
        };
        Ok(entries.iter().any(|entry| begins(entry) && entry.refused.is_none()))
    }

    /// Takes out what a server has, or marks what it does not want, by its key. What was added meanwhile stays.
    pub(crate) fn settle(&self, key: &str, sent: &Sent) -> Result<()> {
        let _lock = self.lock()?;
        let (lines, _) = self.read_lines()?;
        let mut kept = Vec::with_capacity(lines.len());
        for text in lines {
            let mut entry = read(&text)?;
            match sent {
                _ if entry.key != key => kept.push(text),
                Sent::Taken => {}
                Sent::Refused(why) => {
                    entry.refused = Some(why.clone());
                    kept.push(line(&entry)?);
                }
                Sent::Unknown(why) => {
                    entry.unknown = Some(why.clone());
                    kept.push(line(&entry)?);
                }
            }
        }
        self.replace(&kept)
    }

    fn lock(&self) -> Result<File> {
        let path = self.path.with_extension("lock");
        let file = open(OpenOptions::new().create(true).truncate(false).write(true), &path)?;
        file.lock().with_context(|| format!("the lock {}", path.display()))?;
        Ok(file)
    }

    fn append(&self, line: &str) -> Result<()> {
        let mut file = open(OpenOptions::new().create(true).append(true), &self.path)?;
        let cut = !ends_in_line(&self.path);
        let written = if cut { format!("\n{line}") } else { line.to_owned() };
        file.write_all(written.as_bytes()).and_then(|()| file.sync_all()).with_context(|| self.named())
    }

    /// Whole lines with their ends, and how many cannot be read.
    fn read_lines(&self) -> Result<(Vec<String>, usize)> {
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
            Err(error) => return Err(error).with_context(|| self.named()),
        };
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let (good, bad): (Vec<String>, Vec<String>) =
            lines.map(|line| format!("{line}\n")).partition(|line| read(line).is_ok());
        Ok((good, bad.len()))
    }

    fn replace(&self, lines: &[String]) -> Result<()> {
        let new = self.path.with_extension("new");
        let mut file = open(OpenOptions::new().create(true).truncate(true).write(true), &new)?;
        file.write_all(lines.concat().as_bytes())
            .and_then(|()| file.sync_all())
            .with_context(|| self.named())?;
        std::fs::rename(&new, &self.path).with_context(|| self.named())
    }

    fn named(&self) -> String {
        format!("the spool {}", self.path.display())
    }
}

fn open(options: &mut OpenOptions, path: &Path) -> Result<File> {
    options.mode(MODE).open(path).with_context(|| format!("the file {}", path.display()))
}

/// False where a crash cut the last line off.
fn ends_in_line(path: &Path) -> bool {
    std::fs::read(path).map_or(true, |bytes| bytes.last().is_none_or(|last| *last == b'\n'))
}

fn line(entry: &Entry) -> Result<String> {
    Ok(serde_json::to_string(entry)? + "\n")
}

fn read(text: &str) -> Result<Entry> {
    serde_json::from_str(text).context("a line of the spool")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::os::unix::fs::PermissionsExt as _;

    fn entry(key: &str, call: SpoolCall) -> Entry {
        let at = "2026-11-23T03:00:00Z".to_owned();
        let body = json!({ "text": "x".repeat(100) });
        Entry {
            key: key.to_owned(),
            at,
            url: None,
            memory: None,
            task: "t-001".to_owned(),
            call,
            body,
            refused: None,
            unknown: None,
        }
    }

    fn keys(spool: &Spool) -> Vec<String> {
        spool.entries().unwrap().0.into_iter().map(|entry| entry.key).collect()
    }

    #[test]
    fn what_is_spooled_is_there_until_it_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::at(folder.path().join("loci/spool.jsonl"));
        assert_eq!(keys(&spool), Vec::<String>::new());
        for key in ["a", "b", "c"] {
            assert_eq!(spool.add(&entry(key, SpoolCall::Complete)).unwrap(), 0);
        }
        let mode = std::fs::metadata(spool.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, MODE);
        spool.settle("a", &Sent::Taken).unwrap();
        spool.settle("b", &Sent::Refused("NOT_FOUND".into())).unwrap();
        assert_eq!(keys(&spool), ["b", "c"]);
        assert_eq!(spool.entries().unwrap().0[0].refused.as_deref(), Some("NOT_FOUND"));
        assert_eq!(std::fs::metadata(spool.path()).unwrap().permissions().mode() & 0o777, MODE);
    }

    #[test]
    fn a_line_that_was_cut_off_spoils_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::at(folder.path().join("spool.jsonl"));
        spool.add(&entry("a", SpoolCall::Complete)).unwrap();
        let text = std::fs::read_to_string(spool.path()).unwrap();
        std::fs::write(spool.path(), format!("{text}{{\"key\":\"b\",\"at")).unwrap();
        spool.add(&entry("c", SpoolCall::Note)).unwrap();
        let (entries, cut) = spool.entries().unwrap();
        assert_eq!((entries.len(), cut), (2, 1));
    }

    #[test]
    fn where_it_is_full_notes_go_and_reports_stay() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = line(&entry("a", SpoolCall::Complete)).unwrap().len() as u64;
        // Three of them, to the byte: a note's line is four shorter.
        let spool = Spool { bytes_max: bytes * 3, ..Spool::at(folder.path().join("spool.jsonl")) };
        for (key, call) in [("a", SpoolCall::Complete), ("b", SpoolCall::Note), ("c", SpoolCall::Complete)] {
            assert_eq!(spool.add(&entry(key, call)).unwrap(), 0);
        }
        assert_eq!(spool.add(&entry("d", SpoolCall::Complete)).unwrap(), 1);
        assert_eq!(keys(&spool), ["a", "c", "d"]);
        let error = spool.add(&entry("e", SpoolCall::Complete)).unwrap_err();
        assert!(error.to_string().contains("full"), "{error}");
        assert_eq!(keys(&spool), ["a", "c", "d"]);
    }
}
