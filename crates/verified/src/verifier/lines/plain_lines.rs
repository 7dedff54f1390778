//! Lines of a file in their original form, for people and agents: bounded, cut at the end of a
//! line. The text is untrusted; it is neither fenced nor cleaned here.

use loci_model::facts::citation::LineRange;
use loci_model::facts::code::{EntryKind, ObjectId};
use loci_model::facts::verdict::CitationVerdict;
use loci_text::code_path::check_path;

use crate::verifier::anchors::anchor::AnchorError;
use crate::verifier::session::verifier::Verifier;
use crate::verifier::thresholds::{READ_BYTES_MAX, SPAN_LINES_MAX};

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadLines {
    /// The requested range with its context, limited by the file and the size limits.
    pub place: LineRange,
    /// The lines, with LF line ends.
    pub content: String,
    /// The file's object.
    pub blob: ObjectId,
    /// The number of lines in the file, including blank ones.
    pub lines_total: u32,
    /// True if the requested range lies in the file.
    pub exists: bool,
    /// True if a limit cut lines off.
    pub truncated: bool,
}

impl Verifier<'_> {
    /// Reads a place with `context_lines` on each side: at most 400 lines and 64 KiB.
    ///
    /// # Errors
    /// An error if the path is not allowed, does not exist, or is not text. A range outside of the
    /// file is not an error: `exists` is false, and the content is the part that exists.
    pub fn read_lines(&self, place: &LineRange, context_lines: u32) -> Result<ReadLines, AnchorError> {
        check_path(&place.path).map_err(AnchorError::Path)?;
        if place.line_start == 0 || place.line_end < place.line_start {
            return Err(AnchorError::Range);
        }
        let entry = self.entry(&place.path).map_err(AnchorError::Unreadable)?;
        if entry.is_none() {
            self.outside_submodules(&place.path).map_err(AnchorError::Unreadable)?;
        }
        let entry = entry.filter(|entry| entry.kind != EntryKind::Directory).ok_or(AnchorError::Missing)?;
        let file = self.lines(&entry).map_err(AnchorError::Unreadable)?;
        let line_start = place.line_start.saturating_sub(context_lines).max(1);
        let wanted = place.line_end.saturating_add(context_lines).min(file.total());
        let allowed = wanted.min(line_start.saturating_add(SPAN_LINES_MAX - 1));
        let (content, lines) =
            if line_start > allowed { ("", 0) } else { bounded(file.raw(line_start, allowed)) };
        let line_end = line_start.saturating_add(lines).saturating_sub(1);
        Ok(ReadLines {
            place: LineRange { path: place.path.clone(), line_start, line_end: line_end.max(line_start) },
            content: content.to_owned(),
            blob: entry.id,
            lines_total: file.total(),
            exists: place.line_end <= file.total(),
            truncated: lines > 0 && line_end < wanted,
        })
    }

    /// Returns the lines at the place that a verdict names. For a gone citation it returns the
    /// current lines at `cited`, if there are any.
    pub fn content_of(&self, verdict: &CitationVerdict, cited: &LineRange) -> Option<String> {
        let place = match &verdict.found {
            Some(place) => place,
            None if verdict.in_bounds => cited,
            None => return None,
        };
        self.read_lines(place, 0).ok().map(|read| read.content)
    }
}

/// Returns whole lines of up to 64 KiB, and their number. A longer first line is cut.
fn bounded(text: &str) -> (&str, u32) {
    let count = |text: &str| u32::try_from(text.matches('\n').count() + 1).unwrap_or(u32::MAX);
    if text.len() <= READ_BYTES_MAX {
        return (text, count(text));
    }
    let end = (0..=READ_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let head = text.get(..end).unwrap_or_default();
    let whole = head.rfind('\n').map_or(head, |at| head.get(..at).unwrap_or_default());
    (whole, count(whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verifier::{LineCache, VerifierLimits};
    use loci_testkit_ports::{CodeHistory, ManualClock};

    #[test]
    fn lines_are_read_within_bounds() {
        let mut history = CodeHistory::new();
        let wide = format!("{}\n", "x".repeat(1_000)).repeat(100);
        let long: String = (1..=500).map(|n| format!("{n}\n")).collect();
        history.commit(&[("a", "1\n2\n3\n4\n5\n"), ("long", &long), ("wide", &wide)]);
        let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
        let verifier = Verifier::new(&history, history.tip(), &cache, "t", &clock, VerifierLimits::default());
        let read = |path: &str, line_start, line_end, context| {
            let read = verifier
                .read_lines(&LineRange { path: path.to_owned(), line_start, line_end }, context)
                .unwrap();
            (read.place.line_start, read.place.line_end, read.exists, read.truncated, read.content.len())
        };
        assert_eq!(read("a", 2, 3, 0), (2, 3, true, false, 3));
        assert_eq!(read("a", 2, 3, 1), (1, 4, true, false, 7));
        assert_eq!(read("a", 4, 9, 50), (1, 5, false, false, 9));
        assert_eq!(read("a", 7, 9, 0), (7, 7, false, false, 0));
        let (start, end, _, truncated, _) = read("long", 50, 60, 0);
        assert_eq!((start, end, truncated), (50, 60, false));
        let (start, end, _, truncated, _) = read("long", 1, 500, 0);
        assert_eq!((start, end, truncated), (1, 400, true));
        assert_eq!(read("wide", 1, 100, 0), (1, 65, true, true, 65 * 1_001 - 1));
        let missing = LineRange { path: "none".to_owned(), line_start: 1, line_end: 1 };
        assert_eq!(verifier.read_lines(&missing, 0), Err(AnchorError::Missing));
    }
}
