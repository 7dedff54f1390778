//! Semantic search of notes, by a memory on a Loci server that mirrors their directory. The memory
//! ranks documents, and the results are lines that the directory contains now. Lines that the
//! mirror has not read yet are found by their words.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::{Either, select};

use super::layout;
use super::search::Fact;
use crate::agent::entry::Entry;
use crate::agent::error::{ErrorClass, StoreError};
use crate::agent::limits::FILE_MEANING_WAIT_MS;
use crate::agent::runtime::Clock;
use crate::agent::store::{MemoryStore, SearchQuery};

/// The memory that mirrors the notes, for searches by meaning.
pub(super) struct Meaning {
    memory: Arc<dyn MemoryStore>,
    ready: AtomicBool,
}

impl Meaning {
    pub(super) fn new(memory: Arc<dyn MemoryStore>) -> Self {
        Self { memory, ready: AtomicBool::new(false) }
    }

    /// Checks that the memory can be searched. A memory that is unavailable is not an error,
    /// because it may become available later. A wrong configuration is an error.
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

    /// Returns the entries of the memory, best first; an error if it does not answer in time.
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

    /// Returns the remark on entries that were found only by their words.
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

/// Merges the ranking of the memory and the ranking by words, taking one line of each in turn, so
/// that the best lines of both are kept. `facts` are all lines of the notes, best score by words
/// first.
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

/// Returns the indices of the lines that the found documents contain. It takes the best line of
/// each document in turn, so that a document with many lines does not fill the list.
fn lines(hits: &[Entry], facts: &[Fact]) -> Vec<usize> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, fact) in facts.iter().enumerate() {
        places.entry(fact.entry.content.as_str()).or_default().push(at);
    }
    let mut left: Vec<VecDeque<usize>> = hits
        .iter()
        .map(|hit| {
            let held = layout::facts(&hit.content).into_iter().filter_map(|line| places.get(line)).flatten();
            // The facts are already ordered by their word score.
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
        // Ranked by the memory only: one line of each document per round, so that no document fills
        // the list.
        check(
            "vessel",
            &[boat, "# Pets\n- a dog named Rex"],
            3,
            &["- it is called Gull", "- a dog named Rex", "- it lies in the harbour"],
        );
        // The lines of a document follow their word score; a record with a single line works, too.
        check("vessel leaks", &[boat, "User likes tea"], 2, &["- it leaks", "User likes tea"]);
        // Lines that the memory does not know yet are found by words; lines that the folder does
        // not hold are not returned.
        check("dog", &["# Old\n- put away", boat], 2, &["- it is called Gull", "- a dog named Rex"]);
        check("tea", &[], 3, &["User likes tea"]);
        check("vessel", &["# Old\n- put away"], 3, &[]);
        check("tea", &["User likes tea", "User likes tea"], 3, &["User likes tea"]);
    }
}
