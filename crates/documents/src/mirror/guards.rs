//! Protection against archiving documents because their files only seem to be deleted: a
//! directory that is missing, empty or not mounted, a marker that is missing or of another mirror,
//! or a file that an editor is replacing. Pure.

use std::collections::BTreeMap;

use loci_model::{MemoryId, Timestamp};

/// The time that a file must be missing, seen in two checks, before its document is archived, in
/// milliseconds.
pub const MISSING_MS: i64 = 30_000;
/// The number of documents that one sync may always archive. Above it, the limit is a quarter of
/// the files.
pub const DELETES_MIN: usize = 8;
/// The maximum number of documents that one sync may archive.
pub const DELETES_MAX: usize = 50;
/// The minimum number of files whose simultaneous loss counts as a missing directory.
const ALL_GONE_MIN: usize = 2;

/// The first line of a marker file, which identifies the mirror of a folder.
const MARKER_HEAD: &str = "version 1";

/// The result of comparing the marker file in a folder with the mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerState {
    /// The marker is that of this mirror.
    Own,
    /// The folder has no marker.
    Missing,
    /// The marker is that of another mirror, or invalid.
    Other,
}

/// The prefix of the third line of a marker, which names the memory.
const MEMORY: &str = "memory ";

/// Returns the text of the marker file for a mirror.
pub fn marker_of(mirror: &str, memory: &MemoryId) -> String {
    format!("{MARKER_HEAD}\n{mirror}\n{MEMORY}{memory}\n")
}

/// Returns the memory that a marker names. `None` for markers of earlier versions.
pub fn memory_in(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim_end);
    (lines.next() == Some(MARKER_HEAD)).then(|| lines.nth(1))??.strip_prefix(MEMORY)
}

/// Returns the result of comparing the text of a marker with a mirror.
pub fn marked(text: Option<&str>, mirror: &str) -> MarkerState {
    match text.map(id_in) {
        None => MarkerState::Missing,
        Some(Some(id)) if id == mirror => MarkerState::Own,
        Some(_) => MarkerState::Other,
    }
}

/// Returns the mirror id that a marker names.
pub fn id_in(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim_end);
    (lines.next() == Some(MARKER_HEAD)).then(|| lines.next())?.filter(|id| !id.is_empty())
}

/// The state in which a sync finds the folder of a mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// The folder is in the expected state. Each file is checked separately.
    Whole,
    /// The folder is missing or empty, or all its files vanished at once. The files are written
    /// again, and no document is archived.
    Gone,
    /// The folder has files, and the marker is missing or that of another mirror. The sync does
    /// nothing.
    NotOurs,
}

/// Returns the state of a mirror's folder. `files` is the number of its files, `agreed` the number
/// of synced files, and `gone` the number of synced files that are missing.
pub fn finding(marked: MarkerState, files: usize, agreed: usize, gone: usize) -> Finding {
    match marked {
        MarkerState::Own if gone >= ALL_GONE_MIN && gone == agreed => Finding::Gone,
        MarkerState::Own => Finding::Whole,
        MarkerState::Missing if files == 0 => Finding::Gone,
        MarkerState::Missing | MarkerState::Other => Finding::NotOurs,
    }
}

/// The time since when each missing file has been missing, by path.
pub type MissingSince = BTreeMap<String, Timestamp>;

/// Returns the maximum number of documents that one sync may archive, for this number of synced
/// files.
pub fn deletes_max(agreed: usize) -> usize {
    (agreed / 4).clamp(DELETES_MIN, DELETES_MAX)
}

/// Returns the missing files whose documents may be archived now, up to the limit of one sync, and
/// the number of files that must wait. The files that have been missing longest come first, then by
/// path. The last sync before the end of the process does not wait for a second check.
pub fn gone<'a>(
    missing: &[&'a str],
    since: &MissingSince,
    agreed: usize,
    now: Timestamp,
    is_last: bool,
) -> (Vec<&'a str>, usize) {
    let most = deletes_max(agreed);
    let mut ripe: Vec<(Timestamp, &str)> = missing
        .iter()
        .filter_map(|path| match since.get(*path) {
            Some(at) if is_last || now.millis() - at.millis() >= MISSING_MS => Some((*at, *path)),
            None if is_last => Some((now, *path)),
            Some(_) | None => None,
        })
        .collect();
    ripe.sort_unstable();
    let taken: Vec<&str> = ripe.into_iter().take(most).map(|(_, path)| path).collect();
    let waiting = missing.len() - taken.len();
    (taken, waiting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers() {
        let check =
            |text: Option<&str>, expect: MarkerState| assert_eq!(marked(text, "m-1"), expect, "{text:?}");
        let memory = MemoryId::parse("notes-0123456789").unwrap();
        check(Some(&marker_of("m-1", &memory)), MarkerState::Own);
        check(Some("version 1\nm-1\n"), MarkerState::Own);
        check(Some("version 1\r\nm-1\r\n"), MarkerState::Own);
        check(None, MarkerState::Missing);
        check(Some(&marker_of("m-2", &memory)), MarkerState::Other);
        check(Some("version 2\nm-1\n"), MarkerState::Other);
        check(Some(""), MarkerState::Other);
        assert_eq!(memory_in(&marker_of("m-1", &memory)), Some(memory.as_str()));
        assert_eq!(memory_in("version 1\nm-1\n"), None);
        assert_eq!(memory_in("version 2\nm-1\nmemory notes-0123456789\n"), None);
    }

    #[test]
    fn findings() {
        let check = |marked, files, agreed, gone, expect: Finding| {
            assert_eq!(finding(marked, files, agreed, gone), expect, "{marked:?} {files} {agreed} {gone}");
        };
        check(MarkerState::Own, 200, 200, 0, Finding::Whole);
        check(MarkerState::Own, 100, 200, 100, Finding::Whole);
        check(MarkerState::Own, 0, 200, 200, Finding::Gone);
        check(MarkerState::Own, 5, 2, 2, Finding::Gone);
        // A single file may really be deleted.
        check(MarkerState::Own, 0, 1, 1, Finding::Whole);
        check(MarkerState::Own, 0, 0, 0, Finding::Whole);
        check(MarkerState::Missing, 0, 200, 200, Finding::Gone);
        check(MarkerState::Missing, 0, 0, 0, Finding::Gone);
        check(MarkerState::Missing, 3, 200, 0, Finding::NotOurs);
        check(MarkerState::Other, 0, 200, 200, Finding::NotOurs);
        check(MarkerState::Other, 9, 0, 0, Finding::NotOurs);
    }

    #[test]
    fn what_is_missing_long_enough_is_gone_a_part_at_a_time() {
        let at = |second: i64| Timestamp::clamped(second * 1_000);
        let paths: Vec<String> = (0..200).map(|number| format!("f-{number:03}.md")).collect();
        let all: Vec<&str> = paths.iter().map(String::as_str).collect();
        let since: MissingSince = paths.iter().map(|path| (path.clone(), at(100))).collect();
        let check = |missing: &[&str], now: i64, is_last: bool, expect: (usize, usize)| {
            let (gone, waiting) = gone(missing, &since, 200, at(now), is_last);
            assert_eq!((gone.len(), waiting), expect, "{} {now} {is_last}", missing.len());
        };
        check(&all[..1], 129, false, (0, 1));
        check(&all[..1], 130, false, (1, 0));
        check(&all[..8], 130, false, (8, 0));
        check(&all[..9], 130, false, (9, 0));
        check(&all[..100], 130, false, (50, 50));
        check(&all, 101, true, (50, 150));
        assert_eq!(gone(&all[..9], &since, 12, at(130), false).0.len(), DELETES_MIN);
        assert_eq!(
            gone(&["new.md"], &since, 12, at(130), false),
            (Vec::new(), 1),
            "seen missing for the first time"
        );
    }
}
