//! The spool: reports of an agent whose server was unreachable, line by line in a file of the
//! clone, until they can be sent. Each line carries the key by which a server recognizes a
//! repetition, so that sending it twice is harmless. No lock is held while an entry is sent. No
//! process waits long for the lock: entries are then written next to the spool ([`late_reports`]).
//! Permanently rejected entries are set aside ([`refused_entries`]). This module neither decides
//! when to spool or send, nor sends.

mod entry;
mod late_reports;
mod lines;
mod refused_entries;

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use loci_model::ports::clock::Clock as _;

use self::entry::{line, read};
use self::refused_entries::{RefusedFile, UNREAD};
use crate::adapters::SystemClock;

pub(crate) use self::entry::{SendResult, SpoolCall, SpoolEntry, WaitReason};
pub(crate) use self::refused_entries::Refused;

/// The maximum number of bytes of each file.
const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The time limit for the lock. A process holds it only while it writes a file, so a longer delay
/// means a stopped process or disk.
const PATIENCE: Duration = Duration::from_millis(300);
/// The polling interval for the lock in milliseconds.
const LOOK_MS: u64 = 10;

/// A spool file.
#[derive(Debug, Clone)]
pub(crate) struct Spool {
    path: PathBuf,
    bytes_max: u64,
    patience: Duration,
}

/// The way an entry was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Added {
    /// After the others. Some of them may have been dropped, because the spool was full.
    Behind {
        /// The number of dropped oldest events and notes.
        dropped: usize,
    },
    /// Next to the spool, because another process holds it.
    Beside,
}

/// The content of a spool.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SpoolContents {
    /// The waiting entries, oldest first.
    pub(crate) entries: Vec<SpoolEntry>,
    /// The permanently rejected ones.
    pub(crate) refused: Vec<Refused>,
}

impl Spool {
    /// Returns the spool at a path, which may not exist.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path, bytes_max: BYTES_MAX, patience: PATIENCE }
    }

    /// Returns the same spool without waiting for the lock.
    pub(crate) fn without_patience(self) -> Self {
        Self { patience: Duration::ZERO, ..self }
    }

    /// Returns its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds an entry, and returns when it is on disk. If there is no room, it drops session events,
    /// oldest first, and then notes, but never reports. If another process holds the spool for too
    /// long, the entry is written next to it.
    pub(crate) async fn add(&self, entry: &SpoolEntry) -> Result<Added> {
        self.make_folder()?;
        let Some(_lock) = self.lock().await? else {
            late_reports::put(&self.late(), entry, self.bytes_max)?;
            return Ok(Added::Beside);
        };
        let mut kept = self.take_in()?;
        if let Some(refused) = refusal(entry) {
            self.refused().keep(&[refused])?;
            return Ok(Added::Behind { dropped: 0 });
        }
        let line = line(entry)?;
        let room = |bytes: u64| bytes.saturating_add(line.len() as u64) <= self.bytes_max;
        if room(lines::bytes(&self.path)) {
            lines::append(&self.path, &line)?;
            return Ok(Added::Behind { dropped: 0 });
        }
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
        lines::replace(&self.path, &kept)?;
        Ok(Added::Behind { dropped })
    }

    /// Sets permanently rejected entries aside.
    pub(crate) async fn refuse(&self, entries: Vec<SpoolEntry>) -> Result<()> {
        self.make_folder()?;
        let Some(_lock) = self.lock().await? else {
            return entries
                .iter()
                .try_for_each(|entry| late_reports::put(&self.late(), entry, self.bytes_max));
        };
        self.refused().keep(&entries.into_iter().map(Refused::of).collect::<Vec<_>>())
    }

    /// Returns the content of the spool.
    pub(crate) async fn held(&self) -> Result<SpoolContents> {
        if !self.is_there() {
            return Ok(SpoolContents::default());
        }
        let _lock = self.locked().await?;
        let lines = self.take_in()?;
        let entries = lines.iter().filter_map(|line| read(line).ok()).collect();
        Ok(SpoolContents { entries, refused: self.refused().all()? })
    }

    /// True if the creation of a task waits in the spool for this server and memory.
    ///
    /// # Errors
    /// The spool cannot be read.
    pub(crate) async fn begins(&self, url: Option<&str>, about: (Option<&str>, &str)) -> Result<bool> {
        let held = self.held().await?;
        let begins = |entry: &SpoolEntry| entry.call == SpoolCall::Create && entry.about() == about;
        Ok(held.entries.iter().any(|entry| begins(entry) && entry.url.as_deref() == url))
    }

    /// Applies the result of sending an entry, by its key: removes an accepted one, sets a rejected
    /// one aside, or records why it waits. Entries added meanwhile stay.
    pub(crate) async fn settle(&self, key: &str, sent: &SendResult) -> Result<()> {
        let _lock = self.locked().await?;
        let lines = self.take_in()?;
        let mut kept = Vec::with_capacity(lines.len());
        let mut found = false;
        for text in lines {
            let entry = match read(&text) {
                Ok(entry) if entry.key == key => entry,
                _ => {
                    kept.push(text);
                    continue;
                }
            };
            found = true;
            match sent {
                SendResult::Taken => {}
                SendResult::Refused(why) => {
                    let refused = SpoolEntry { refused: Some(why.clone()), waits: None, ..entry };
                    self.refused().keep(&[Refused::of(refused)])?;
                }
                SendResult::Waits { why, at, is_unknown } => {
                    let times = entry.waits.as_ref().map_or(0, |waits| waits.times).saturating_add(1);
                    let (why, tried_at) = (why.clone(), at.clone());
                    let waits = Some(WaitReason { why, tried_at, times, is_unknown: *is_unknown });
                    kept.push(line(&SpoolEntry { waits, ..entry })?);
                }
            }
        }
        match sent {
            _ if found => lines::replace(&self.path, &kept),
            SendResult::Taken => self.refused().settle(key, None),
            SendResult::Refused(why) => self.refused().settle(key, Some(why)),
            SendResult::Waits { .. } => Ok(()),
        }
    }

    /// Returns the lines of the file, together with those written next to it. Unreadable and
    /// rejected lines are set aside first. If there is no room for them, they stay.
    fn take_in(&self) -> Result<Vec<String>> {
        let (before, files) = (lines::read(&self.path)?, late_reports::files(&self.late())?);
        let mut lines = before.clone();
        for file in &files {
            lines.extend(lines::read(file)?);
        }
        let mut keys = std::collections::BTreeSet::new();
        let mut kept = Vec::with_capacity(lines.len());
        for text in lines {
            let apart = match read(&text) {
                // An interrupted process has already taken it in.
                Ok(entry) if !keys.insert(entry.key.clone()) => continue,
                Ok(entry) => refusal(&entry),
                Err(_) => {
                    Some(Refused::Line { refused: UNREAD.to_owned(), line: text.trim_end().to_owned() })
                }
            };
            if apart.is_none_or(|apart| self.refused().keep(&[apart]).is_err()) {
                kept.push(text);
            }
        }
        if kept != before {
            lines::replace(&self.path, &kept)?;
        }
        for file in &files {
            std::fs::remove_file(file).with_context(|| format!("the file {}", file.display()))?;
        }
        Ok(kept)
    }

    fn is_there(&self) -> bool {
        [self.path.clone(), self.late(), self.refused().path].iter().any(|path| path.exists())
    }

    fn late(&self) -> PathBuf {
        self.path.with_extension("late")
    }

    fn refused(&self) -> RefusedFile {
        RefusedFile::beside(&self.path, self.bytes_max)
    }

    fn make_folder(&self) -> Result<()> {
        let Some(folder) = self.path.parent() else { return Ok(()) };
        std::fs::create_dir_all(folder).with_context(|| format!("the folder {}", folder.display()))
    }

    /// Returns the lock, or fails if it is held for too long.
    async fn locked(&self) -> Result<File> {
        let busy = || format!("another process holds the spool {}: try again", self.path.display());
        self.lock().await?.with_context(busy)
    }

    /// Returns the lock, or `None` if another process held it all the time.
    async fn lock(&self) -> Result<Option<File>> {
        let path = self.path.with_extension("lock");
        let file = lines::open(OpenOptions::new().create(true).truncate(false).write(true), &path)?;
        let clock = SystemClock::new();
        let patience_us = u64::try_from(self.patience.as_micros()).unwrap_or(u64::MAX);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::WouldBlock) if clock.monotonic_us() < patience_us => {
                    clock.sleep(LOOK_MS).await;
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => {
                    return Err(error).with_context(|| format!("the lock {}", path.display()));
                }
            }
        }
    }
}

/// Returns the entry to set aside, if it was rejected.
fn refusal(entry: &SpoolEntry) -> Option<Refused> {
    entry.refused.is_some().then(|| Refused::of(entry.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::os::unix::fs::PermissionsExt as _;

    pub(super) fn entry(key: &str, call: SpoolCall) -> SpoolEntry {
        let at = "2026-11-23T03:00:00Z".to_owned();
        let body = json!({ "text": "x".repeat(100) });
        SpoolEntry {
            key: key.to_owned(),
            at,
            url: None,
            memory: None,
            task: "t-001".to_owned(),
            call,
            body,
            refused: None,
            waits: None,
        }
    }

    const NONE_DROPPED: Added = Added::Behind { dropped: 0 };

    fn spool(folder: &tempfile::TempDir) -> Spool {
        Spool::at(folder.path().join("loci/spool.jsonl"))
    }

    async fn keys(spool: &Spool) -> Vec<String> {
        spool.held().await.unwrap().entries.into_iter().map(|entry| entry.key).collect()
    }

    #[tokio::test]
    async fn what_is_spooled_is_there_until_it_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let spool = spool(&folder);
        assert_eq!(keys(&spool).await, Vec::<String>::new());
        for key in ["a", "b", "c", "d"] {
            assert_eq!(spool.add(&entry(key, SpoolCall::Complete)).await.unwrap(), NONE_DROPPED);
        }
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(spool.path()), lines::MODE);
        spool.settle("a", &SendResult::Taken).await.unwrap();
        spool.settle("b", &SendResult::Refused("INVALID".into())).await.unwrap();
        let at = "2026-11-23T03:00:01Z".to_owned();
        let waits = SendResult::Waits { why: "DENIED".into(), at, is_unknown: false };
        spool.settle("c", &waits).await.unwrap();
        spool.settle("c", &waits).await.unwrap();
        let held = spool.held().await.unwrap();
        assert_eq!(keys(&spool).await, ["c", "d"]);
        assert_eq!(
            held.entries[0].waits.as_ref().map(|waits| (waits.times, waits.why.as_str())),
            Some((2, "DENIED"))
        );
        let Refused::Entry(refused) = &held.refused[0] else { panic!("{held:?}") };
        assert_eq!((refused.key.as_str(), refused.refused.as_deref()), ("b", Some("INVALID")));
        for path in [spool.path().to_owned(), spool.refused().path] {
            assert_eq!(mode(&path), lines::MODE);
        }
        // A person sends it again. It is rejected for another reason, and then accepted.
        spool.settle("b", &SendResult::Refused("TOO_LARGE".into())).await.unwrap();
        let held = spool.held().await.unwrap();
        let Refused::Entry(refused) = &held.refused[0] else { panic!("{held:?}") };
        assert_eq!(refused.refused.as_deref(), Some("TOO_LARGE"));
        spool.settle("b", &SendResult::Taken).await.unwrap();
        assert_eq!(spool.held().await.unwrap().refused, []);
    }

    #[tokio::test]
    async fn a_line_that_cannot_be_read_is_kept_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let spool = spool(&folder);
        spool.add(&entry("a", SpoolCall::Complete)).await.unwrap();
        let text = std::fs::read_to_string(spool.path()).unwrap();
        let old = serde_json::to_string(&SpoolEntry {
            refused: Some("INVALID".into()),
            ..entry("o", SpoolCall::Note)
        });
        let cut = "{\"key\":\"b\",\"at";
        std::fs::write(spool.path(), format!("{text}{}\n{cut}", old.unwrap())).unwrap();
        spool.add(&entry("c", SpoolCall::Note)).await.unwrap();
        spool.settle("a", &SendResult::Taken).await.unwrap();
        let held = spool.held().await.unwrap();
        assert_eq!(keys(&spool).await, ["c"]);
        assert_eq!(held.refused.len(), 2, "{held:?}");
        assert!(matches!(&held.refused[0], Refused::Entry(entry) if entry.key == "o"), "{held:?}");
        let expect = Refused::Line { refused: UNREAD.to_owned(), line: cut.to_owned() };
        assert_eq!(held.refused[1], expect);
        // After a crash between the writes of both files, the entry exists once.
        std::fs::write(spool.path(), format!("{cut}\n")).unwrap();
        assert_eq!(spool.held().await.unwrap().refused, held.refused);
    }

    #[tokio::test]
    async fn what_finds_no_room_apart_stays_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool { bytes_max: 64, ..spool(&folder) };
        spool.make_folder().unwrap();
        let lines = format!("{}\n", "x".repeat(64));
        std::fs::write(spool.path(), &lines).unwrap();
        assert_eq!(spool.held().await.unwrap(), SpoolContents::default());
        assert_eq!(std::fs::read_to_string(spool.path()).unwrap(), lines);
    }

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "the lock is waited for in the machine's time")]
    async fn nobody_waits_long_for_whoever_holds_the_lock_and_nothing_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let spool = spool(&folder);
        spool.add(&entry("a", SpoolCall::Complete)).await.unwrap();
        let held = spool.lock().await.unwrap();
        let began = std::time::Instant::now();
        for key in ["c", "b"] {
            assert_eq!(spool.add(&entry(key, SpoolCall::Commits)).await.unwrap(), Added::Beside);
        }
        spool
            .refuse(vec![SpoolEntry { refused: Some("INVALID".into()), ..entry("r", SpoolCall::Note) }])
            .await
            .unwrap();
        let waited = began.elapsed();
        // The bound is generous for a busy machine, because the test holds the lock until it
        // releases it.
        assert!(waited >= PATIENCE && waited < PATIENCE * 3 + Duration::from_secs(10), "{waited:?}");
        let error = spool.held().await.unwrap_err();
        assert!(error.to_string().contains("another process"), "{error:#}");
        drop(held);
        assert_eq!(keys(&spool).await, ["a", "b", "c"], "what is older comes first");
        assert_eq!(keys(&spool).await, ["a", "b", "c"]);
        assert_eq!(spool.held().await.unwrap().refused.len(), 1);
        // The state after a crash between taking an entry in and removing its file.
        late_reports::put(&spool.late(), &entry("b", SpoolCall::Commits), BYTES_MAX).unwrap();
        spool.settle("b", &SendResult::Taken).await.unwrap();
        assert_eq!(keys(&spool).await, ["a", "c"]);
        assert_eq!(late_reports::files(&spool.late()).unwrap(), Vec::<PathBuf>::new());
    }

    #[tokio::test]
    async fn where_it_is_full_notes_go_and_reports_stay() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = line(&entry("a", SpoolCall::Complete)).unwrap().len() as u64;
        // The exact size of three reports. The line of a note is four bytes shorter.
        let spool = Spool { bytes_max: bytes * 3, ..spool(&folder) };
        for (key, call) in [("a", SpoolCall::Complete), ("b", SpoolCall::Note), ("c", SpoolCall::Complete)] {
            assert_eq!(spool.add(&entry(key, call)).await.unwrap(), NONE_DROPPED);
        }
        assert_eq!(spool.add(&entry("d", SpoolCall::Complete)).await.unwrap(), Added::Behind { dropped: 1 });
        assert_eq!(keys(&spool).await, ["a", "c", "d"]);
        let error = spool.add(&entry("e", SpoolCall::Complete)).await.unwrap_err();
        assert!(error.to_string().contains("full"), "{error}");
        assert_eq!(keys(&spool).await, ["a", "c", "d"]);
    }
}
