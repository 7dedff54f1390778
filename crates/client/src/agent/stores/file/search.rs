//! Search by words over the lines of notes. Lines that share words with the query match, and rare
//! words count more. Pure. A query in other words than the note finds nothing here; see
//! `semantic_search`.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::{facts, first_line, topic};
use super::note_folder::NoteFile;
use crate::agent::entry::{Entry, Metadata};

/// The weight of a matching word in the heading, relative to one in the line itself.
const TOPIC_WEIGHT: f64 = 0.5;

/// A line of a note with its score for a query.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) entry: Entry,
    /// The score by common words. 0 if the line shares no word with the query.
    pub(super) score: f64,
}

/// Returns the lines that share a word with the query, best first.
pub(super) fn found(facts: Vec<Fact>, limit: usize) -> Vec<Entry> {
    facts.into_iter().filter(|fact| fact.score > 0.0).take(limit).map(|fact| fact.entry).collect()
}

/// Returns all lines of the notes, best score first. With equal scores, lines of newer files come
/// first.
pub(super) fn ranked(store_name: &str, files: &[NoteFile], question: &str) -> Vec<Fact> {
    let asked = words(question);
    let mut candidates = Vec::new();
    let mut frequency: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let heading = topic(first_line(&file.text));
        let topic_words = words(heading);
        for (number, fact) in facts(&file.text).into_iter().enumerate() {
            let fact_words = words(fact);
            for word in fact_words.union(&topic_words) {
                *frequency.entry(word.clone()).or_default() += 1;
            }
            candidates.push((file, number, heading, fact, fact_words, topic_words.clone()));
        }
    }
    let count = candidates.len() as f64;
    let weight = |word: &String| frequency.get(word).map_or(0.0, |seen| (1.0 + count / *seen as f64).ln());
    let mut scored: Vec<_> = candidates
        .iter()
        .map(|(file, number, heading, fact, fact_words, topic_words)| {
            let score: f64 = asked
                .iter()
                .map(|word| {
                    let part = if fact_words.contains(word) {
                        1.0
                    } else if topic_words.contains(word) {
                        TOPIC_WEIGHT
                    } else {
                        0.0
                    };
                    part * weight(word)
                })
                .sum();
            (score, *file, *number, *heading, *fact)
        })
        .collect();
    scored.sort_by(|a, b| {
        let newer = b.1.changed_at_ms.cmp(&a.1.changed_at_ms);
        b.0.total_cmp(&a.0).then(newer).then(a.1.name.cmp(&b.1.name)).then(a.2.cmp(&b.2))
    });
    scored
        .into_iter()
        .map(|(score, file, number, heading, fact)| {
            let entry = Entry {
                metadata: metadata(file, heading, fact),
                created_at_ms: file.changed_at_ms,
                id: Some(format!("{}#{}", file.name, number + 1)),
                ..Entry::new(store_name, fact)
            };
            Fact { entry, score }
        })
        .collect()
}

fn metadata(file: &NoteFile, heading: &str, fact: &str) -> Metadata {
    let mut metadata = Metadata::new();
    metadata.insert("file".to_owned(), file.name.clone().into());
    if heading != fact {
        metadata.insert("topic".to_owned(), heading.into());
    }
    metadata
}

/// Returns the words in lower case. Characters of scripts without spaces are one word each.
fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut word = String::new();
    for character in text.chars().flat_map(char::to_lowercase).chain([' ']) {
        let stands_alone =
            matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
        if character.is_alphanumeric() && !stands_alone {
            word.push(character);
            continue;
        }
        if !word.is_empty() {
            words.insert(std::mem::take(&mut word));
        }
        if stands_alone {
            words.insert(character.to_string());
        }
    }
    words
}
