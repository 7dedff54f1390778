//! Overlapping re-sends (memory-manager.md W-9): a client's token says which turns of its run an event holds, and
//! turns that an earlier event of the run holds word for word are not extracted again.

use std::collections::HashSet;

use loci_model::event::{Event, PayloadItem, RunPlace};
use loci_model::ports::store::Tx;
use loci_model::{ActorId, MemoryId, Result};
use sha2::{Digest, Sha256};

/// Bytes of a turn's digest that are kept: equal content in the same place of one run, nothing more.
const DIGEST_BYTES: usize = 12;

/// Reads `<memoryId>-<actorId>-<runId>-<firstSeq>-<lastSeq>`; `None` for a token of any other form.
pub fn run_of_token(token: &str, memory: &MemoryId, actor: &ActorId) -> Option<RunPlace> {
    let rest = token.strip_prefix(memory.as_str())?.strip_prefix('-')?;
    let rest = rest.strip_prefix(actor.as_str())?.strip_prefix('-')?;
    let (rest, last) = rest.rsplit_once('-')?;
    let (run, first) = rest.rsplit_once('-')?;
    let number = |text: &str| if text.len() <= 15 { text.parse::<u64>().ok() } else { None };
    let (first, last) = (number(first)?, number(last)?);
    (!run.is_empty() && first <= last).then(|| RunPlace { run: run.to_owned(), first, last })
}

/// Marks the payload items that an earlier event of the run holds too, and notes all turns of this one.
pub(crate) fn mark(tx: &mut dyn Tx, event: &mut Event) -> Result<()> {
    let Some(run) = &event.run else { return Ok(()) };
    let turns: Vec<_> = (run.first..=run.last).zip(event.payload.iter().map(digest)).collect();
    // Those of the same numbers alone: a run may be long, and every event asks.
    let numbers = (run.first, run.last);
    let seen = tx.events().seen_turns(&event.memory, &event.actor, &event.session, &run.run, numbers)?;
    let seen: HashSet<_> = seen.into_iter().collect();
    event.notes.repeated =
        (0u32..).zip(&turns).filter(|(_, turn)| seen.contains(turn)).map(|(at, _)| at).collect();
    let fresh: Vec<_> = turns.into_iter().filter(|turn| !seen.contains(turn)).collect();
    tx.events_mut().note_turns(&event.memory, &event.actor, &event.session, &run.run, &fresh)
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
}
