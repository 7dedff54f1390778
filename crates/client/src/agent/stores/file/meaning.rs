//! Notes found by what they mean: a memory of a Loci server that mirrors the folder says which of its documents answer a question, and the
//! lines are those of the folder as it is now. What the folder does not hold (any more) is not given, whatever the memory holds; what the
//! mirror has not taken up yet is found by its words.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::{Either, select};

use super::layout;
use super::search::Fact;
use crate::agent::entry::Entry;
use crate::agent::error::{ErrorClass, StoreError};
use crate::agent::limits::FILE_MEANING_WAIT_MS;
use crate::agent::store::{MemoryStore, SearchQuery};
use crate::agent::surroundings::Clock;

/// The memory behind the notes.
pub(super) struct Meaning {
    memory: Arc<dyn MemoryStore>,
    ready: AtomicBool,
}

impl Meaning {
    pub(super) fn new(memory: Arc<dyn MemoryStore>) -> Self {
        Self { memory, ready: AtomicBool::new(false) }
    }

    /// Looks whether it can be asked. One that is away is no error, for it may come back; one that is set up wrongly is.
    pub(super) async fn look(&self, store_name: &str) -> Result<(), StoreError> {
        match self.initialized().await {
            Err(error) if error.class == ErrorClass::Permanent => Err(error),
            Err(error) => {
                self.warn(store_name, &error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// What it finds, best first; an error where it does not answer in time.
    pub(super) async fn found(
        &self,
        query: &SearchQuery,
        clock: &dyn Clock,
    ) -> Result<Vec<Entry>, StoreError> {
        let asked = async {
            self.initialized().await?;
            self.memory.search(query).await
        };
        match select(Box::pin(asked), clock.sleep(FILE_MEANING_WAIT_MS)).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => {
                Err(StoreError::transient(format!("no answer within {FILE_MEANING_WAIT_MS} ms")))
            }
        }
    }

    pub(super) fn warn(&self, store_name: &str, error: &StoreError) {
        let memory = self.memory.name();
        tracing::warn!(
            "store=<{store_name}>, memory=<{memory}>, reason=<{error}> | notes are searched by words alone"
        );
    }

    /// What an entry says that was found by words alone.
    pub(super) fn remark(&self) -> String {
        format!("searched by words alone: the memory {} did not answer", self.memory.name())
    }

    async fn initialized(&self) -> Result<(), StoreError> {
        if !self.ready.load(Ordering::Acquire) {
            self.memory.initialize().await?;
            self.ready.store(true, Ordering::Release);
        }
        Ok(())
    }
}

/// One list out of what the memory ranks and what the words rank, in turn, so that neither hides the other's best. `facts` are all lines of
/// the folder, best by their words first.
pub(super) fn in_turn(hits: &[Entry], facts: Vec<Fact>, limit: usize) -> Vec<Entry> {
    let by_meaning = lines(hits, &facts);
    let by_words = facts.iter().enumerate().filter(|(_, fact)| fact.score > 0.0).map(|(at, _)| at);
    let (mut meant, mut said) = (by_meaning.into_iter(), by_words);
    let mut order: Vec<usize> = Vec::new();
    let mut known = BTreeSet::new();
    while order.len() < limit {
        let before = order.len();
        order.extend(meant.find(|at| known.insert(*at)));
        order.extend(said.find(|at| known.insert(*at)));
        if order.len() == before {
            break;
        }
    }
    let mut entries: Vec<Option<Entry>> = facts.into_iter().map(|fact| Some(fact.entry)).collect();
    order.into_iter().take(limit).filter_map(|at| entries.get_mut(at).and_then(Option::take)).collect()
}

/// The lines of the folder that the hits hold: of each hit one after the other, in the order of their words, in rounds over the hits. A hit is
/// a document with many lines, and the first must not take the whole list.
fn lines(hits: &[Entry], facts: &[Fact]) -> Vec<usize> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, fact) in facts.iter().enumerate() {
        places.entry(fact.entry.content.as_str()).or_default().push(at);
    }
    let mut left: Vec<VecDeque<usize>> = hits
        .iter()
        .map(|hit| {
            let held = layout::facts(&hit.content).into_iter().filter_map(|line| places.get(line)).flatten();
            // Facts are in the order of their words already.
            held.copied().collect::<BTreeSet<usize>>().into_iter().collect()
        })
        .collect();
    let mut order = Vec::new();
    while left.iter().any(|lines| !lines.is_empty()) {
        order.extend(left.iter_mut().filter_map(VecDeque::pop_front));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::super::note_folder::NoteFile;
    use super::*;
    use crate::agent::stores::file::search::ranked;

    #[test]
    fn two_rankings_become_one() {
        let note = |name: &str, text: &str| NoteFile {
            name: name.to_owned(),
            text: text.to_owned(),
            changed_at_ms: None,
        };
        let files = [
            note("boat.md", "# Boat\n- it is called Gull\n- it lies in the harbour\n- it leaks"),
            note("pets.md", "# Pets\n- a dog named Rex"),
            note("tea.md", "User likes tea"),
        ];
        let check = |question: &str, hits: &[&str], limit: usize, expect: &[&str]| {
            let hits: Vec<Entry> = hits.iter().map(|text| Entry::new("memory", *text)).collect();
            let found = in_turn(&hits, ranked("notes", &files, question), limit);
            let texts: Vec<&str> = found.iter().map(|entry| entry.content.as_str()).collect();
            assert_eq!(texts, expect, "{question}");
            assert!(found.iter().all(|entry| entry.store_name == "notes" && entry.score.is_none()));
        };
        let boat = "# Boat\n- it is called Gull\n- it lies in the harbour\n- it leaks";
        // By meaning alone: the lines of documents in rounds, for no document takes it all.
        check(
            "vessel",
            &[boat, "# Pets\n- a dog named Rex"],
            3,
            &["- it is called Gull", "- a dog named Rex", "- it lies in the harbour"],
        );
        // A document's lines in the order of their words; a record that is one line alone, too.
        check("vessel leaks", &[boat, "User likes tea"], 2, &["- it leaks", "User likes tea"]);
        // What the memory does not know yet comes by its words, what the folder does not hold does not come.
        check("dog", &["# Old\n- put away", boat], 2, &["- it is called Gull", "- a dog named Rex"]);
        check("tea", &[], 3, &["User likes tea"]);
        check("vessel", &["# Old\n- put away"], 3, &[]);
        check("tea", &["User likes tea", "User likes tea"], 3, &["User likes tea"]);
    }
}
