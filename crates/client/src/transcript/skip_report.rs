//! The counts of contents that are intentionally no conversation. It does NOT hold the contents,
//! only their number and first line.

use std::collections::BTreeMap;
use std::fmt;

/// The reason why a part of the source is not a turn. A closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// A summary that the tool wrote.
    Summary,
    /// Bookkeeping of the program that wrote the file: snapshots, titles, queue operations,
    /// progress.
    Bookkeeping,
    /// A message marked as not part of the conversation (`isMeta`, visually hidden, context of an
    /// editor), or text that the program added to a person's text (`<system-reminder>`).
    Meta,
    /// A conversation of a sub-agent inside the conversation.
    Sidechain,
    /// A command of the program itself and its output, such as `/clear`.
    LocalCommand,
    /// A failure of the service, shown as a text of the assistant.
    ServiceError,
    /// System prompts.
    System,
    /// Thinking of the model.
    Thinking,
    /// Images, files and sound: a transcript contains only text.
    Attachment,
    /// A message outside of the branch that was shown last.
    OtherBranch,
    /// A turn without text.
    Empty,
    /// A comment before the first turn.
    Comment,
    /// A kind of content that this version does not know.
    UnknownContent,
    /// A time that cannot be read: its turn is kept without it.
    UnreadableTime,
    /// A conversation whose tree names a missing message or contains a cycle. It is read as far as
    /// it leads.
    BrokenTree,
    /// A prompt that a person typed and took back before the model received it.
    TakenBack,
}

impl SkipReason {
    /// Returns one or two words for a report.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Bookkeeping => "bookkeeping",
            Self::Meta => "meta",
            Self::Sidechain => "sidechain",
            Self::LocalCommand => "local_command",
            Self::ServiceError => "service_error",
            Self::System => "system",
            Self::Thinking => "thinking",
            Self::Attachment => "attachment",
            Self::OtherBranch => "other_branch",
            Self::Empty => "empty",
            Self::Comment => "comment",
            Self::UnknownContent => "unknown_content",
            Self::UnreadableTime => "unreadable_time",
            Self::BrokenTree => "broken_tree",
            Self::TakenBack => "taken_back",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The count of one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkipCount {
    /// The number of lines, messages or content blocks.
    pub count: usize,
    /// The line of the first, from 1.
    pub first_line: usize,
}

/// The counts of skipped contents by reason, in the order of [`SkipReason`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkipReport {
    counts: BTreeMap<SkipReason, SkipCount>,
}

impl SkipReport {
    pub(super) fn add(&mut self, reason: SkipReason, line: usize) {
        self.counts.entry(reason).or_insert(SkipCount { count: 0, first_line: line }).count += 1;
    }

    /// Returns all counts so far.
    pub fn iter(&self) -> impl Iterator<Item = (SkipReason, SkipCount)> + '_ {
        self.counts.iter().map(|(reason, count)| (*reason, *count))
    }

    /// Returns the count of this reason.
    #[must_use]
    pub fn count(&self, reason: SkipReason) -> usize {
        self.counts.get(&reason).map_or(0, |c| c.count)
    }

    /// Returns the count of all reasons together.
    #[must_use]
    pub fn total(&self) -> usize {
        self.counts.values().map(|c| c.count).sum()
    }
}

/// `3 thinking (first at line 7), 1 summary (first at line 1)`; `nothing` if nothing was skipped.
impl fmt::Display for SkipReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.counts.is_empty() {
            return f.write_str("nothing");
        }
        for (n, (reason, count)) in self.iter().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            write!(f, "{comma}{} {reason} (first at line {})", count.count, count.first_line)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_counts_by_reason_and_remembers_the_first_line() {
        let mut report = SkipReport::default();
        assert_eq!(report.to_string(), "nothing");
        report.add(SkipReason::Thinking, 7);
        report.add(SkipReason::Thinking, 9);
        report.add(SkipReason::Summary, 8);
        assert_eq!(report.total(), 3);
        assert_eq!(report.count(SkipReason::Meta), 0);
        assert_eq!(report.to_string(), "1 summary (first at line 8), 2 thinking (first at line 7)");
    }
}
