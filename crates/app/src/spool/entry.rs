//! A line of the spool: what is to be said of a task, and what came of saying it so far.

use anyhow::{Context, Result};
use loci_model::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What could not be said is tried again after so long, at first; then after twice that, and so on.
const AGAIN_MS: i64 = 60_000;
/// Never later than this.
const AGAIN_MS_MAX: i64 = 60 * 60 * 1_000;

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
    /// What came of sending it, where it waits for better times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) waits: Option<Waits>,
}

/// Why an entry waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waits {
    /// What was said to it the last time.
    pub(crate) why: String,
    /// When that was, RFC 3339.
    pub(crate) tried_at: String,
    /// How often it was tried.
    pub(crate) times: u32,
    /// Its server does not know the task: whoever comes next asks again, for the task may be taken in at any time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_unknown: bool,
}

impl Entry {
    /// What it is about: what is said of one task stays in its order, whatever becomes of what is said of others.
    pub(crate) fn about(&self) -> (Option<&str>, &str) {
        (self.memory.as_deref(), self.task.as_str())
    }

    /// Whether it may be tried again by then.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        let Some(waits) = self.waits.as_ref().filter(|waits| !waits.is_unknown) else { return true };
        let doubled = AGAIN_MS.checked_shl(waits.times.saturating_sub(1).min(16)).unwrap_or(AGAIN_MS_MAX);
        Timestamp::parse(&waits.tried_at)
            .map_or(true, |tried| tried.plus_millis(doubled.min(AGAIN_MS_MAX)) <= now)
    }
}

/// What became of an entry that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sent {
    /// A server has it.
    Taken,
    /// A server does not want it, and never will.
    Refused(String),
    /// It may be taken later: `why`, `at` this time; or its task `is_unknown`.
    Waits {
        /// What was said to it.
        why: String,
        /// When, RFC 3339.
        at: String,
        /// Its server does not know the task.
        is_unknown: bool,
    },
}

/// An entry as a line with its end.
pub(super) fn line(entry: &Entry) -> Result<String> {
    Ok(serde_json::to_string(entry)? + "\n")
}

/// The entry of a line.
pub(super) fn read(text: &str) -> Result<Entry> {
    loci_json::from_str(text).context("a line of the spool")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_tried_waits_longer_and_longer() {
        let tried = "2026-11-23T03:00:00Z";
        let at = Timestamp::parse(tried).unwrap();
        let check = |times: u32, is_unknown: bool, millis: i64, expect: bool| {
            let waits = Waits { why: String::new(), tried_at: tried.to_owned(), times, is_unknown };
            let entry = Entry { waits: Some(waits), ..super::super::tests::entry("a", SpoolCall::Note) };
            assert_eq!(entry.is_due(at.plus_millis(millis)), expect, "{times} {millis}");
        };
        check(1, false, AGAIN_MS - 1, false);
        check(1, false, AGAIN_MS, true);
        check(3, false, 4 * AGAIN_MS - 1, false);
        check(3, false, 4 * AGAIN_MS, true);
        check(u32::MAX, false, AGAIN_MS_MAX - 1, false);
        check(u32::MAX, false, AGAIN_MS_MAX, true);
        check(9, true, 0, true);
        assert!(super::super::tests::entry("a", SpoolCall::Note).is_due(at), "what was never tried is due");
    }
}
