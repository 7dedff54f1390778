//! Overlapping re-sends, recognized by content: clients send earlier messages again, then new ones.
//! Leading messages of an event that repeat the preceding conversation are context, not news. Pure;
//! it runs when a window is read, never when an event is stored.
//!
//! Re-sends that a client's token declares are known already (`events/overlap.rs`). A single short
//! message may be a genuine repetition.

use loci_model::event::PayloadItem;
use loci_text::normalise_exact;
use sha2::{Digest, Sha256};

/// The minimum number of characters for a repeated single message to count as sent again, and for
/// several messages that repeat an earlier part of the conversation.
const CHARS_MIN: usize = 40;
/// The number of messages from which a repetition of the newest messages counts as sent again,
/// whatever their length.
const MESSAGES_MIN: usize = 2;

/// A message for comparison: its role and its text with normalized white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ComparableMessage {
    digest: [u8; 32],
    chars: usize,
}

impl ComparableMessage {
    /// Returns the message; `None` for blobs, which are never read.
    pub(super) fn of(item: &PayloadItem) -> Option<Self> {
        let (role, text) = match item {
            PayloadItem::Conversational { role, text } => (role.as_str(), normalise_exact(text)),
            PayloadItem::Json(document) => ("", normalise_exact(document.as_str())),
            PayloadItem::Blob(_) => return None,
        };
        let mut hasher = Sha256::new();
        hasher.update(role);
        hasher.update([0]);
        hasher.update(&text);
        Some(Self { digest: hasher.finalize().into(), chars: text.chars().count() })
    }
}

/// Returns the number of leading messages of `event` that are re-sent. They are the longest
/// repetition of a run in `before` that ends with its newest message. All messages of the event
/// also count if there are several, with enough characters together, that repeat any run.
pub(super) fn repeated(before: &[ComparableMessage], event: &[ComparableMessage]) -> usize {
    (1..=event.len().min(before.len())).rev().find(|length| is_repeat(before, event, *length)).unwrap_or(0)
}

fn is_repeat(before: &[ComparableMessage], event: &[ComparableMessage], length: usize) -> bool {
    let Some(first) = event.get(..length) else { return false };
    let chars: usize = first.iter().map(|said| said.chars).sum();
    if length < MESSAGES_MIN && chars < CHARS_MIN {
        return false;
    }
    if before.ends_with(first) {
        return true;
    }
    // A single message that repeats an older one is news: people return to earlier topics.
    length == event.len()
        && length >= MESSAGES_MIN
        && chars >= CHARS_MIN
        && before.windows(length).any(|run| run == first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::Document;
    use loci_model::event::Role;

    fn said(texts: &[&str]) -> Vec<ComparableMessage> {
        let item = |text: &&str| PayloadItem::Conversational { role: Role::User, text: (*text).to_owned() };
        texts.iter().map(item).filter_map(|item| ComparableMessage::of(&item)).collect()
    }

    #[test]
    fn prefixes_that_repeat() {
        let long = "this is a sentence of more than forty characters";
        let check = |before: &[&str], event: &[&str], expect: usize| {
            assert_eq!(repeated(&said(before), &said(event)), expect, "{before:?} {event:?}");
        };
        check(&[], &["a", "b"], 0);
        check(&["a", "b"], &["a", "b", "c"], 2);
        check(&["a", "b", "c"], &["b", " c ", "d"], 2);
        // A run in the middle counts only if the whole event repeats it.
        check(&["a", "b", "c"], &["a", "b", "d"], 0);
        check(&["a", "b", "c"], &["a", "b"], 0);
        check(&[long, "b", "c"], &[long, "b"], 2);
        check(&[long, "b", "c"], &[long, "b", "d"], 0);
        // After other messages, a single message is a genuine repetition at any length.
        check(&[long, "no, something else"], &[long], 0);
        // A single short message is a genuine repetition, a long one is a re-send.
        check(&["yes"], &["yes"], 0);
        check(&["yes"], &["yes", "and more"], 0);
        check(&[long], &[long], 1);
        check(&[long], &[long, "more"], 1);
        check(&[long, "x"], &[long, "more"], 0);
        check(&["a", "a", "a"], &["a", "a", "a", "a"], 3);
    }

    #[test]
    fn who_spoke_counts_and_blobs_do_not() {
        let of = |role| ComparableMessage::of(&PayloadItem::Conversational { role, text: "the same".into() });
        assert_ne!(of(Role::User), of(Role::Assistant));
        let document = Document::parse("{\"a\":1}").unwrap();
        assert!(ComparableMessage::of(&PayloadItem::Blob(document.clone())).is_none());
        assert!(ComparableMessage::of(&PayloadItem::Json(document)).is_some());
    }
}
