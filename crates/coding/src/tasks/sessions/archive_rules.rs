//! What the archive keeps of a conversation: of each item by its kind, of the use of tools always everything, at the end of a
//! session what is left, and what was told at the end of its task.

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

/// Whether the words of an item of that kind are kept.
pub(super) fn keeps_words(capture: Capture, kind: SessionItemKind) -> bool {
    match capture {
        Capture::Full => true,
        Capture::Decisions => matches!(kind, SessionItemKind::Decision | SessionItemKind::Note),
        Capture::Metadata | Capture::Off => false,
    }
}

/// Whether an item is kept at all, behind the end of its session.
pub(super) fn keeps(capture: Capture, item: &SessionItem) -> bool {
    capture != Capture::Off || item.tool.is_some()
}

/// What an event of a session says.
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

/// Ends the session of a task, within a write; false where it had ended. What its next run would have gone on with goes.
pub(crate) fn end(tx: &mut dyn Tx, task: &Task, capture: &CaptureSettings, now: Timestamp) -> Result<bool> {
    let mut session = session_of(tx, task, now)?;
    if session.ended_at.is_some() {
        return Ok(false);
    }
    session.ended_at = Some(now);
    session.state = None;
    session.updated_at = now;
    tx.task_sessions_mut().put(&session)?;
    // The words go with the session, but for those that are to be kept; of a long one the rest by `forget_said`.
    deletion::of_ended(tx, task, capture.conversation, None, now)?;
    Ok(true)
}

/// Notes what was told at the end of a task, where it can be searched, within the write of its episode.
pub(crate) fn note_told(tx: &mut dyn Tx, task: &Task, told: &TaskEpisode, now: Timestamp) -> Result<()> {
    let mut session = session_of(tx, task, now)?;
    let report = &told.task;
    // What no agent said says nothing of the task.
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
