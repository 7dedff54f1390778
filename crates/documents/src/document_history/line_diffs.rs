//! The differing lines of documents in an answer, within limits of size and time. After a limit
//! is reached, further documents are named without their lines. `diff` reads the documents.

use std::sync::Arc;
use std::time::Duration;

use loci_api::documents::tree::{FileDiff, TreeDiff};
use loci_engine::document_text::path::DocumentPath;
use loci_model::ports::clock::Clock;
use loci_model::{RecordId, limits};

use super::diff::{Between, DIFF_BYTES_MAX, of_files_within};

/// A document that differs between two states, before its lines are compared.
#[derive(Debug, Clone)]
pub(super) struct Changed {
    pub(super) record: RecordId,
    pub(super) versions: Between,
    pub(super) path_a: Option<String>,
    pub(super) path_b: Option<String>,
    /// True if the lines of the document may be shown.
    pub(super) has_lines: bool,
}

impl Changed {
    /// Returns the path under which the answer lists the document.
    pub(super) fn path(&self) -> Option<&str> {
        self.path_b.as_deref().or(self.path_a.as_deref())
    }

    /// Returns true if the document was at this path in one of the two states.
    pub(super) fn lies_at(&self, path: &DocumentPath) -> bool {
        let key = path.key();
        let mut paths = [&self.path_a, &self.path_b].into_iter().flatten();
        paths.any(|other| DocumentPath::check(other).is_ok_and(|other| other.key() == key))
    }
}

/// The diffs of an answer so far, and the remaining limits.
pub(super) struct LineDiffs {
    clock: Arc<dyn Clock>,
    left_us: u64,
    bytes: usize,
    pub(super) answer: TreeDiff,
}

impl LineDiffs {
    /// Creates an answer without documents.
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, left_us: limits::DIFFS_US_MAX, bytes: 0, answer: TreeDiff::default() }
    }

    /// Returns true while the limits of size and time are not reached.
    pub(super) fn goes_on(&self) -> bool {
        self.bytes <= DIFF_BYTES_MAX && self.left_us > 0
    }

    /// Adds documents with their files at both states, and compares the lines.
    pub(super) fn with(mut self, documents: Vec<(Changed, Option<(String, String)>)>) -> Self {
        for (changed, files) in documents {
            let compared = files.filter(|_| self.goes_on()).map(|files| self.compared(&changed, &files));
            let unified = compared.filter(|_| self.bytes <= DIFF_BYTES_MAX);
            self.answer.left_out += u64::from(changed.has_lines && unified.is_none());
            let Changed { record, path_a, path_b, .. } = changed;
            self.answer.files.push(FileDiff { record: record.to_string(), path_a, path_b, unified });
        }
        self
    }

    fn compared(&mut self, changed: &Changed, (a, b): &(String, String)) -> String {
        let began_us = self.clock.monotonic_us();
        let time = Duration::from_micros(self.left_us).min(Duration::from_millis(limits::DIFF_MS_MAX));
        let lines = of_files_within(time, (a, changed.path_a.as_deref()), (b, changed.path_b.as_deref()));
        self.bytes += lines.len();
        self.left_us = self.left_us.saturating_sub(self.clock.monotonic_us().saturating_sub(began_us));
        lines
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use loci_model::Timestamp;
    use loci_model::ports::BoxFuture;

    use super::*;

    /// A clock for tests that advances by a number of microseconds each time it is read.
    struct Steps(u64, AtomicU64);

    impl Clock for Steps {
        fn now(&self) -> Timestamp {
            Timestamp::EPOCH
        }

        fn monotonic_us(&self) -> u64 {
            self.1.fetch_add(self.0, Ordering::Relaxed)
        }

        fn sleep(&self, _millis: u64) -> BoxFuture<'static, ()> {
            Box::pin(std::future::pending())
        }
    }

    fn changed(path: &str, after: Option<&str>) -> (Changed, Option<(String, String)>) {
        let changed = Changed {
            record: RecordId::parse("mem-0123456789012345678901234567890123456789").unwrap(),
            versions: Between { before: Some(1), after: Some(2) },
            path_a: Some(path.to_owned()),
            path_b: Some(path.to_owned()),
            has_lines: after.is_some(),
        };
        (changed, after.map(|after| (String::new(), after.to_owned())))
    }

    fn diffs(step_us: u64, documents: Vec<(Changed, Option<(String, String)>)>) -> (Vec<bool>, u64) {
        let found = LineDiffs::new(Arc::new(Steps(step_us, AtomicU64::new(0)))).with(documents);
        let shown = found.answer.files.iter().map(|file| file.unified.is_some()).collect();
        (shown, found.answer.left_out)
    }

    #[test]
    fn documents_are_compared_as_long_as_there_is_room_and_time() {
        let three = || ["a", "b", "c"].map(|path| changed(path, Some("x\n"))).to_vec();
        assert_eq!(diffs(0, three()), (vec![true; 3], 0));
        assert_eq!(diffs(loci_model::limits::DIFFS_US_MAX / 2, three()), (vec![true, true, false], 1));
        assert_eq!(diffs(loci_model::limits::DIFFS_US_MAX, three()), (vec![true, false, false], 2));
        let large = "x\n".repeat(DIFF_BYTES_MAX / 4);
        let filled = vec![
            changed("a", Some(&large)),
            changed("b", Some(&large)),
            changed("c", None),
            changed("d", Some("x\n")),
        ];
        assert_eq!(diffs(0, filled), (vec![true, false, false, false], 2));
    }

    #[test]
    fn a_diff_without_time_still_turns_one_file_into_the_other() {
        let lines = |seed: usize| -> String {
            let line = |at: usize| format!("{}\n", (at * at * seed + at / 7) % 16);
            (0..2_000).map(line).collect()
        };
        let (a, b) = (lines(3), lines(5));
        let unified = of_files_within(Duration::ZERO, (&a, Some("p")), (&b, Some("p")));
        let side = |sign: char| -> String {
            let own = unified.lines().skip(2).filter(|line| !line.starts_with('@'));
            own.filter(|line| line.starts_with([sign, ' '])).map(|line| format!("{}\n", &line[1..])).collect()
        };
        assert!(unified.starts_with("--- a/p\n+++ b/p\n@@ -1"));
        assert_eq!((side('-'), side('+')), (a, b));
    }
}
