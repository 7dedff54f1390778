//! A search for lines of documents that match a caller's pattern, within a time limit. `grep`
//! reads the documents.

use std::sync::Arc;

use loci_api::documents::tree::{GrepLine, GrepResult};
use loci_engine::calls::caller_pattern::CallerPattern;
use loci_model::ports::clock::Clock;

/// The maximum number of characters of a returned line. A longer line is cut.
const LINE_CHARS: usize = 300;

/// A search for lines, with its results so far.
pub(super) struct LineSearch {
    pub(super) pattern: CallerPattern,
    /// The maximum number of matching lines.
    pub(super) most: u32,
    /// The number of context lines around each match.
    pub(super) context: usize,
    pub(super) clock: Arc<dyn Clock>,
    /// The remaining time for matching, in microseconds.
    pub(super) left_us: u64,
    pub(super) found: GrepResult,
}

/// The lines of a document, each matched at most once.
struct Lines<'t> {
    all: Vec<(&'t str, Option<bool>)>,
    /// The end of the time limit, in microseconds.
    until_us: u64,
    is_late: bool,
}

impl LineSearch {
    /// Searches documents, given by path and text. Returns false if a limit ended the search.
    pub(super) fn documents(&mut self, documents: &[(String, String)]) -> bool {
        let began_us = self.clock.monotonic_us();
        let until_us = began_us.saturating_add(self.left_us);
        let goes_on = documents.iter().all(|(path, text)| self.document(path, text, until_us));
        self.left_us = until_us.saturating_sub(self.clock.monotonic_us());
        goes_on
    }

    fn document(&mut self, path: &str, text: &str, until_us: u64) -> bool {
        let all: Vec<_> = text.lines().map(|line| (line, None)).collect();
        let mut lines = Lines { all, until_us, is_late: false };
        let mut shown_to = 0;
        for number in 0..lines.all.len() {
            let is_match = self.is_match(&mut lines, number);
            if lines.is_late {
                return false;
            }
            if !is_match {
                continue;
            }
            if self.found.matches >= u64::from(self.most) {
                self.found.more = true;
                return false;
            }
            self.found.matches += 1;
            let from = number.saturating_sub(self.context).max(shown_to);
            let to = (number + self.context + 1).min(lines.all.len());
            for place in from..to {
                let is_match = self.is_match(&mut lines, place);
                let Some((line, _)) = lines.all.get(place) else { break };
                self.found.lines.push(shown(path, place, line, is_match));
            }
            shown_to = shown_to.max(to);
        }
        true
    }

    /// Returns true if the line with this number matches. Returns false when the time is used up,
    /// and for a line that is too long for the pattern.
    fn is_match(&mut self, lines: &mut Lines<'_>, number: usize) -> bool {
        let Some((line, known)) = lines.all.get_mut(number) else { return false };
        if let Some(known) = known {
            return *known;
        }
        lines.is_late = lines.is_late || self.clock.monotonic_us() > lines.until_us;
        let is_match = if lines.is_late { None } else { self.pattern.is_match(line) };
        self.found.timed_out |= is_match.is_none();
        *known = is_match.or(Some(false));
        is_match.unwrap_or(false)
    }
}

fn shown(path: &str, place: usize, line: &str, is_match: bool) -> GrepLine {
    let text: String = line.chars().take(LINE_CHARS).collect();
    GrepLine { path: path.to_owned(), line: place as u64 + 1, cut: text.len() < line.len(), text, is_match }
}

#[cfg(test)]
mod tests {
    use loci_model::limits;
    use loci_testkit_ports::TickingClock;

    use super::*;

    fn search(pattern: &str, most: u32, context: usize, seconds: u64) -> LineSearch {
        LineSearch {
            pattern: CallerPattern::parse(pattern, false).unwrap(),
            most,
            context,
            clock: Arc::new(TickingClock::new(1_000)),
            left_us: seconds * 1_000_000,
            found: GrepResult::default(),
        }
    }

    fn found(text: &str, pattern: &str, most: u32, context: usize) -> (Vec<(u64, bool)>, bool) {
        let mut search = search(pattern, most, context, 1_000);
        search.documents(&[("p".to_owned(), text.to_owned())]);
        let GrepResult { lines, more, timed_out, .. } = search.found;
        assert!(!timed_out, "{text} {pattern}");
        (lines.iter().map(|line| (line.line, line.is_match)).collect(), more)
    }

    #[test]
    fn lines_and_what_stands_around_them() {
        let text = "a\nb\na\nc\nd\ne\na";
        assert_eq!(found(text, "a", 9, 0), (vec![(1, true), (3, true), (7, true)], false));
        assert_eq!(found(text, "a", 2, 0), (vec![(1, true), (3, true)], true));
        let around = vec![(1, true), (2, false), (3, true), (4, false), (6, false), (7, true)];
        assert_eq!(found(text, "^a$", 9, 1), (around, false));
        assert_eq!(found(text, "x", 9, 1), (Vec::new(), false));
    }

    #[test]
    fn a_search_ends_between_two_lines_when_its_time_is_up() {
        let documents = [("p".to_owned(), "a\nb\na\na".to_owned()), ("q".to_owned(), "a".to_owned())];
        let check = |seconds: u64, expect: (u64, bool, bool)| {
            let mut search = search("a", 9, 0, seconds);
            let goes_on = search.documents(&documents);
            assert_eq!((search.found.matches, search.found.timed_out, goes_on), expect, "{seconds}");
            assert!(!goes_on || search.left_us < seconds * 1_000_000, "the next documents have less time");
        };
        check(10, (4, false, true));
        check(5, (4, false, true));
        check(3, (2, true, false));
        check(0, (0, true, false));
    }

    #[test]
    fn a_line_that_is_too_long_for_the_pattern_is_passed_over_and_said() {
        let mut search = search("a[ab]{200}c|here", 9, 0, 1_000);
        let long = "ab".repeat(limits::PATTERN_WORK_MAX / 200);
        assert!(search.documents(&[("p".to_owned(), format!("here\n{long}\nand here"))]));
        let lines: Vec<u64> = search.found.lines.iter().map(|line| line.line).collect();
        assert_eq!((lines, search.found.timed_out), (vec![1, 3], true));
    }

    #[test]
    fn long_lines_are_cut_and_say_so() {
        let line = shown("p", 0, &"é".repeat(301), true);
        assert_eq!((line.text.chars().count(), line.cut), (300, true));
        assert!(!shown("p", 0, &"é".repeat(300), true).cut);
    }
}
