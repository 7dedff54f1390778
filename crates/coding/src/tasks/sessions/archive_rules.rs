//! The archived part of a conversation: items depending on their kind, all tool calls, the rest at
//! the end of a session, and the report at the end of its task.

use loci_model::Result;
use loci_model::Timestamp;
use loci_model::event::{Event, PayloadItem};
use loci_model::ports::store::Tx;
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::{Capture, SessionItem, SessionItemKind, ToldEnd};
use sha2::{Digest, Sha256};

use super::{deletion, session_of};
use crate::settings::CaptureSettings;
use crate::tasks::reports::episode_text::TaskEpisode;

/// True if the archive keeps the words of items of this kind.
pub(super) fn keeps_words(capture: Capture, kind: SessionItemKind) -> bool {
    match capture {
        Capture::Full => true,
        Capture::Decisions => matches!(kind, SessionItemKind::Decision | SessionItemKind::Note),
        Capture::Metadata | Capture::Off => false,
    }
}

/// True if the archive keeps an item after the end of its session.
pub(super) fn keeps(capture: Capture, item: &SessionItem) -> bool {
    capture != Capture::Off || item.tool.is_some()
}

/// Returns the words of a session's event.
pub(crate) fn said_in(event: &Event) -> Option<String> {
    event.payload.iter().find_map(|item| match item {
        PayloadItem::Conversational { text, .. } => Some(text.clone()),
        PayloadItem::Blob(_) | PayloadItem::Json(_) => None,
    })
}

/// Returns the digest of an item's words, which the archive keeps in any case.
pub(crate) fn digest_of(words: &str) -> String {
    hex::encode(Sha256::digest(words.as_bytes()))
}

/// Returns the length of an item's words in characters.
pub(crate) fn chars_of(words: &str) -> u64 {
    u64::try_from(words.chars().count()).unwrap_or(u64::MAX)
}

/// Ends the session of a task, within a write. Returns false if it had already ended. The state of
/// the session is removed.
pub(crate) fn end(tx: &mut dyn Tx, task: &Task, capture: &CaptureSettings, now: Timestamp) -> Result<bool> {
    let mut session = session_of(tx, task, now)?;
    if session.ended_at.is_some() {
        return Ok(false);
    }
    session.ended_at = Some(now);
    session.state = None;
    session.updated_at = now;
    tx.task_sessions_mut().put(&session)?;
    // Words that the archive does not keep are removed with the session; in a long session,
    // `forget_said` removes the rest.
    deletion::of_ended(tx, task, capture.conversation, None, now)?;
    Ok(true)
}

/// Stores the report at the end of a task for searches, within the write of its episode.
pub(crate) fn note_told(tx: &mut dyn Tx, task: &Task, told: &TaskEpisode, now: Timestamp) -> Result<()> {
    let mut session = session_of(tx, task, now)?;
    let report = &told.task;
    // A text that no agent wrote has no information about the task.
    let by_agent = |text: &Option<String>| text.clone().filter(|_| !told.is_fallback());
    let told = ToldEnd {
        summary: by_agent(&report.summary),
        approach: by_agent(&report.approach),
        difficulties: report.difficulties.clone(),
        error_message: report.error_message.clone(),
        files_changed: report.files_changed.clone(),
    };
    if session.told == told {
        return Ok(());
    }
    session.told = told;
    session.updated_at = now;
    tx.task_sessions_mut().put(&session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept() {
        use SessionItemKind as Kind;
        let words = |capture| {
            Kind::ALL.iter().copied().filter(|kind| keeps_words(capture, *kind)).collect::<Vec<_>>()
        };
        assert_eq!(words(Capture::Full), Kind::ALL);
        assert_eq!(words(Capture::Decisions), [Kind::Decision, Kind::Note]);
        assert_eq!((words(Capture::Metadata), words(Capture::Off)), (Vec::new(), Vec::new()));
    }
}
