//! Guards against deleting files that only seem to be gone: a directory that was removed, emptied
//! or not mounted, a missing or foreign marker, a file that an editor is replacing. Pure.

use std::collections::BTreeMap;

use loci_model::{MemoryId, Timestamp};

/// The time that a file must be missing, in two checks, before its document is archived, in
/// milliseconds.
pub const MISSING_MS: i64 = 30_000;
/// The lower bound of the deletions of one sync, which are limited to a quarter of the files.
pub const DELETES_MIN: usize = 8;
/// The upper bound of the deletions of one sync.
pub const DELETES_MAX: usize = 50;
/// The minimum of files whose simultaneous loss counts as a missing directory.
const ALL_GONE_MIN: usize = 2;

/// The first line of a marker.
const MARKER_HEAD: &str = "version 1";

/// The result of reading a mirror's marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerState {
    /// The marker is this mirror's.
    Own,
    /// There is no marker.
    Missing,
    /// The marker is another mirror's, or invalid.
    Other,
}

/// The prefix of a marker's third line, before the memory of the mirror.
const MEMORY: &str = "memory ";

/// Returns the text of a mirror's marker.
pub fn marker_of(mirror: &str, memory: &MemoryId) -> String {
    format!("{MARKER_HEAD}\n{mirror}\n{MEMORY}{memory}\n")
}

/// Returns the memory in a marker; none in markers of earlier versions.
pub fn memory_in(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim_end);
    (lines.next() == Some(MARKER_HEAD)).then(|| lines.nth(1))??.strip_prefix(MEMORY)
}

/// Returns the result of reading a marker for a mirror.
pub fn marked(text: Option<&str>, mirror: &str) -> MarkerState {
    match text.map(id_in) {
        None => MarkerState::Missing,
        Some(Some(id)) if id == mirror => MarkerState::Own,
        Some(_) => MarkerState::Other,
    }
}

/// Returns the mirror id in a marker.
pub fn id_in(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim_end);
    (lines.next() == Some(MARKER_HEAD)).then(|| lines.next())?.filter(|id| !id.is_empty())
}

/// The state in which a mirror was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// The expected state: each file is checked separately.
    Whole,
    /// The mirror is missing or empty, or all files are gone at once: it is rendered again, and
    /// missing files count for nothing.
    Gone,
    /// There are files, and the marker is missing or another mirror's: nothing is done.
    NotOurs,
}

/// Returns the state of a mirror, from its marker, the number of its files, the number of agreed
/// files, and the number of those that are gone.
pub fn finding(marked: MarkerState, files: usize, agreed: usize, gone: usize) -> Finding {
    match marked {
        MarkerState::Own if gone >= ALL_GONE_MIN && gone == agreed => Finding::Gone,
        MarkerState::Own => Finding::Whole,
        MarkerState::Missing if files == 0 => Finding::Gone,
        MarkerState::Missing | MarkerState::Other => Finding::NotOurs,
    }
}

/// The times since which files are missing, by path.
pub type MissingSince = BTreeMap<String, Timestamp>;

/// Returns the maximum of deletions of one sync, given the number of agreed files.
pub fn deletes_max(agreed: usize) -> usize {
    (agreed / 4).clamp(DELETES_MIN, DELETES_MAX)
}

/// Returns the missing files that count as gone, up to the limit of one sync, and the number of
/// waiting ones. The files that are missing longest come first, ties by path. The last sync before
/// the end of the process does not wait for a second check.
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
