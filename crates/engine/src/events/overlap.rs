//! Recognizes content that a client sends again in overlapping events. The client token of such
//! an event names a run of the client and a range of turns. Items that an earlier event of the
//! run contains verbatim are not extracted again.
//!
//! A number of the range is a message, and a message is zero, one or several items. Known items are
//! therefore recognized by their digests and their order, never by numbers. This module stores the
//! digests of an event; `alignment` compares them.

use loci_model::event::{Event, PayloadItem, RunPlace};
use loci_model::ports::store::Tx;
use loci_model::{ActorId, MemoryId, Result, limits};
use sha2::{Digest, Sha256};

use super::alignment;

/// The number of stored bytes of an item's digest, which only has to identify equal content
/// within one run.
const DIGEST_BYTES: usize = 12;
/// The number of digests in a stored row. A row is a key of the store, and some stores limit keys
/// to about 2,700 bytes.
const ROW_ITEMS: usize = 32;
/// The maximum number of items of an event that are compared. Further items are extracted again
/// at worst; this is far above the limit of an event.
const ITEMS_MAX: usize = 10 * limits::PAYLOAD_ITEMS_MAX;

/// Parses a client token of the form `<memoryId>-<actorId>-<runId>-<firstSeq>-<lastSeq>`; `None`
/// for a token of any other form.
pub fn run_of_token(token: &str, memory: &MemoryId, actor: &ActorId) -> Option<RunPlace> {
    let rest = token.strip_prefix(memory.as_str())?.strip_prefix('-')?;
    let rest = rest.strip_prefix(actor.as_str())?.strip_prefix('-')?;
    let (rest, last) = rest.rsplit_once('-')?;
    let (run, first) = rest.rsplit_once('-')?;
    let number = |text: &str| if text.len() <= 15 { text.parse::<u64>().ok() } else { None };
    let (first, last) = (number(first)?, number(last)?);
    (!run.is_empty() && first <= last).then(|| RunPlace { run: run.to_owned(), first, last })
}

/// Marks the payload items that an earlier event of the same run contains, and stores the digests
/// of the other items.
pub(crate) fn mark(tx: &mut dyn Tx, event: &mut Event) -> Result<()> {
    let Some(run) = &event.run else { return Ok(()) };
    let items: Vec<String> = event.payload.iter().take(ITEMS_MAX).map(digest).collect();
    // Rows contain the last number of their event; rows of events that ended before this one begins
    // are not read.
    let numbers = (run.first, u64::MAX);
    let rows = tx.events().seen_turns(&event.memory, &event.actor, &event.session, &run.run, numbers)?;
    let mut known = vec![false; items.len()];
    for part in parts(&rows, run) {
        alignment::mark(&part, &items, &mut known);
    }
    let places = (0_u32..).zip(&known);
    event.notes.repeated = places.filter(|(_, known)| **known).map(|(at, _)| at).collect();
    let fresh: Vec<&str> =
        items.iter().zip(&known).filter(|(_, known)| !**known).map(|(item, _)| item.as_str()).collect();
    let rows: Vec<_> = (0_usize..)
        .zip(fresh.chunks(ROW_ITEMS))
        .map(|(part, items)| (run.last, format!("{}.{part:03}:{}", run.first, items.concat())))
        .collect();
    tx.events_mut().note_turns(&event.memory, &event.actor, &event.session, &run.run, &rows)
}

/// Returns the digests of earlier events of the run that overlap a range of turns, in the order
/// of their first turns. The items of one event form one part.
///
/// A row is `<first>.<part>:` and digests, under the last number of its event. Rows without a colon
/// are older: one digest under a number counted from the first of its event; together they form one
/// part.
fn parts<'r>(rows: &'r [(u64, String)], run: &RunPlace) -> Vec<Vec<&'r str>> {
    let mut older = Vec::new();
    let mut parts: Vec<(u64, u64, &str, Vec<&str>)> = Vec::new();
    for (number, text) in rows {
        let Some((place, digests)) = text.split_once(':') else {
            if *number <= run.last {
                older.push(text.as_str());
            }
            continue;
        };
        let Some((Ok(first), part)) = place.split_once('.').map(|(first, part)| (first.parse(), part)) else {
            continue;
        };
        if first <= run.last {
            let starts = (0..digests.len()).step_by(2 * DIGEST_BYTES);
            let items = starts.filter_map(|at| digests.get(at..at + 2 * DIGEST_BYTES)).collect();
            parts.push((first, *number, part, items));
        }
    }
    parts.sort_by(|one, other| (one.0, one.1, one.2).cmp(&(other.0, other.1, other.2)));
    std::iter::once(older).chain(parts.into_iter().map(|part| part.3)).collect()
}

fn digest(item: &PayloadItem) -> String {
    let mut hasher = Sha256::new();
    match item {
        PayloadItem::Conversational { role, text } => {
            hasher.update(role.as_str());
            hasher.update([0]);
            hasher.update(text);
        }
        PayloadItem::Blob(document) => {
            hasher.update([1]);
            hasher.update(document.as_str());
        }
        PayloadItem::Json(document) => {
            hasher.update([2]);
            hasher.update(document.as_str());
        }
    }
    hex::encode(hasher.finalize().iter().take(DIGEST_BYTES).copied().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        let memory = MemoryId::parse("mem-1234567890").unwrap();
        let actor = ActorId::parse("org/al-ice").unwrap();
        let check = |token: &str, expect: Option<(&str, u64, u64)>| {
            let got = run_of_token(token, &memory, &actor);
            let expect = expect.map(|(run, first, last)| RunPlace { run: run.into(), first, last });
            assert_eq!(got, expect, "{token}");
        };
        check("mem-1234567890-org/al-ice-fd62-11-0-5", Some(("fd62-11", 0, 5)));
        check("mem-1234567890-org/al-ice--0-5", None);
        check("mem-1234567890-org/al-ice-r-5-0", None);
        check("mem-1234567890-bob-r-0-5", None);
        check("3b241101-e2bb-4255-8caf-4136c566a962", None);
        check("", None);
    }
    #[test]
    fn rows_of_all_times_are_read() {
        let digest = |letter: &str| letter.repeat(2 * DIGEST_BYTES);
        let (a, b, c) = (digest("a"), digest("b"), digest("c"));
        let rows = [
            (1, a.clone()),
            (2, b.clone()),
            (3, format!("0.000:{a}{b}")),
            (3, format!("0.001:{c}")),
            (5, format!("4.000:{c}")),
            (9, format!("0.000:{b}")),
            (9, c.clone()),
            (9, "not ours:x".to_owned()),
        ];
        let check = |first: u64, last: u64, expect: &[&[&str]]| {
            let run = RunPlace { run: "r".into(), first, last };
            assert_eq!(parts(&rows, &run), expect, "{first}-{last}");
        };
        check(0, 3, &[&[&a, &b], &[&a, &b], &[&c], &[&b]]);
        check(0, 4, &[&[&a, &b], &[&a, &b], &[&c], &[&b], &[&c]]);
        check(0, 9, &[&[&a, &b, &c], &[&a, &b], &[&c], &[&b], &[&c]]);
    }
}
