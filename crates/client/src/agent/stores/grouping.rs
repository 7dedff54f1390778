//! Messages grouped into events: neighbours that belong together, and never messages that others stand between.

use std::sync::Arc;

use crate::agent::batch::SequencedMessage;
use crate::agent::limits::EVENT_SPAN_MS_MAX;

/// Neighbours with equal metadata, at most `turns_max` of them, within a minute of the first, for an event has one time.
pub(super) fn events(messages: &[Arc<SequencedMessage>], turns_max: usize) -> Vec<&[Arc<SequencedMessage>]> {
    runs(messages, turns_max, |first, next| belong(first, next))
}

/// Neighbours that belong to the first of their run, at most `len_max` of them.
pub(super) fn runs<T>(items: &[T], len_max: usize, belong: impl Fn(&T, &T) -> bool) -> Vec<&[T]> {
    let mut runs = Vec::new();
    let mut from = 0;
    for at in 1..=items.len() {
        let ends = match (items.get(from), items.get(at)) {
            (Some(first), Some(next)) => at - from >= len_max.max(1) || !belong(first, next),
            _ => true,
        };
        if ends {
            runs.extend(items.get(from..at));
            from = at;
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

fn belong(first: &SequencedMessage, next: &SequencedMessage) -> bool {
    let late = match (first.message.at_ms, next.message.at_ms) {
        (Some(first), Some(next)) => next.saturating_sub(first) > EVENT_SPAN_MS_MAX || next < first,
        _ => false,
    };
    // The order of keys does not matter to this comparison.
    !late && first.message.metadata == next.message.metadata
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::message::Message;

    #[test]
    fn neighbours_alone_are_grouped() {
        let check = |of: &[(&str, i64)], expect: &[usize]| {
            let said = |(at, (kind, at_ms)): (usize, &(&str, i64))| {
                let mut message = Message { at_ms: Some(*at_ms), ..Message::user("x") };
                message.metadata.insert("kind".into(), (*kind).into());
                Arc::new(SequencedMessage { sequence: at as u64, message })
            };
            let messages: Vec<_> = of.iter().enumerate().map(said).collect();
            let got: Vec<usize> = events(&messages, 50).into_iter().map(<[_]>::len).collect();
            assert_eq!(got, expect, "{of:?}");
        };
        check(&[], &[]);
        check(&[("A", 0), ("A", 1), ("B", 2), ("C", 3), ("B", 4)], &[2, 1, 1, 1]);
        check(&[("A", 0); 51], &[50, 1]);
        check(&[("A", 0); 4], &[4]);
        check(&[("A", 0), ("A", 60_000), ("A", 60_001), ("A", 70_000)], &[2, 2]);
        check(&[("A", 5), ("A", 4)], &[1, 1]);
    }
}
