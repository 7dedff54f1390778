//! A line of the spool: a report about a task, and the result of its last attempt.

use anyhow::{Context, Result};
use loci_model::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The delay in milliseconds before the first retry. It doubles with each attempt.
const AGAIN_MS: i64 = 60_000;
/// The maximum delay before a retry in milliseconds.
const AGAIN_MS_MAX: i64 = 60 * 60 * 1_000;

/// The kinds of reports about a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SpoolCall {
    /// The creation of the task, which precedes all other reports about it.
    Create,
    /// The agent's report.
    Complete,
    /// The end, reported by the orchestrator.
    Finalize,
    /// A note.
    Note,
    /// Commits, reported by a git hook.
    Commits,
    /// Feedback about memories.
    Feedback,
    /// Events of the task's session.
    Session,
}

impl SpoolCall {
    /// Returns the name of the kind.
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
pub(crate) struct SpoolEntry {
    /// The idempotency key, by which a server recognizes a repetition.
    pub(crate) key: String,
    /// The time of the report, RFC 3339.
    pub(crate) at: String,
    /// The server, if one was named. The entry is sent to no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// The memory, if one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<String>,
    /// The task.
    pub(crate) task: String,
    /// The kind of the report.
    pub(crate) call: SpoolCall,
    /// The request.
    pub(crate) body: Value,
    /// The reason of a server's rejection. The entry is sent again only if a person requests it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
    /// The result of the last attempt of a waiting entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) waits: Option<WaitReason>,
}

/// The reason why an entry waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WaitReason {
    /// The error of the last attempt.
    pub(crate) why: String,
    /// The time of the last attempt, RFC 3339.
    pub(crate) tried_at: String,
    /// The number of attempts.
    pub(crate) times: u32,
    /// True if the server does not know the task. The next command retries at once, because the
    /// task may be created at any time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_unknown: bool,
}

impl SpoolEntry {
    /// Returns the memory and the task. Entries of one task stay in order, regardless of those of
    /// others.
    pub(crate) fn about(&self) -> (Option<&str>, &str) {
        (self.memory.as_deref(), self.task.as_str())
    }

    /// True if a retry is permitted at this time.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        let Some(waits) = self.waits.as_ref().filter(|waits| !waits.is_unknown) else { return true };
        let doubled = AGAIN_MS.checked_shl(waits.times.saturating_sub(1).min(16)).unwrap_or(AGAIN_MS_MAX);
        Timestamp::parse(&waits.tried_at)
            .map_or(true, |tried| tried.plus_millis(doubled.min(AGAIN_MS_MAX)) <= now)
    }
}

/// The result of sending an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SendResult {
    /// A server accepted it.
    Taken,
    /// A server rejected it permanently.
    Refused(String),
    /// It may be accepted later: `why`, `at` this time; or its task `is_unknown`.
    Waits {
        /// The error.
        why: String,
        /// The time of the attempt, RFC 3339.
        at: String,
        /// True if the server does not know the task.
        is_unknown: bool,
    },
}

/// Returns an entry as a line with its newline.
pub(super) fn line(entry: &SpoolEntry) -> Result<String> {
    Ok(serde_json::to_string(entry)? + "\n")
}

/// Parses the entry of a line.
pub(super) fn read(text: &str) -> Result<SpoolEntry> {
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
            let waits = WaitReason { why: String::new(), tried_at: tried.to_owned(), times, is_unknown };
            let entry = SpoolEntry { waits: Some(waits), ..super::super::tests::entry("a", SpoolCall::Note) };
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
