//! Turns one lower-case word into its term: 94 stop words and the Porter2 stem, cached per thread.
//!
//! The module does not find words in text; `analysis` does that.

use std::cell::RefCell;
use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

/// The maximum length of a word that is stemmed, in bytes. No English word is longer, and the time
/// of the stemmer grows with the square of the length.
const STEMMED_BYTES_MAX: usize = 48;
/// The number of words in the cache of a thread. A full cache is emptied, which changes no result.
const REMEMBERED_MAX: usize = 16_384;

/// The stop words.
#[rustfmt::skip]
pub(crate) const STOP_WORDS: [&str; 94] = [
    "a", "an", "the", "of", "to", "in", "on", "at", "for", "and", "or", "but", "is", "are", "was", "were", "be",
    "been", "being", "am", "do", "does", "did", "doing", "has", "have", "had", "having", "i", "you", "he", "she",
    "it", "we", "they", "me", "him", "her", "us", "them", "my", "your", "his", "its", "our", "their", "this", "that",
    "these", "those", "with", "as", "by", "from", "about", "into", "over", "after", "before", "what", "which", "who",
    "whom", "when", "where", "why", "how", "would", "could", "should", "will", "can", "may", "might", "not", "no",
    "so", "if", "than", "then", "there", "here", "up", "out", "s", "t", "re", "ve", "ll", "d", "m", "just", "also",
    "very",
];

struct Stems {
    stemmer: Stemmer,
    /// The cached terms; `None` for a stop word.
    known: HashMap<Box<str>, Option<Box<str>>>,
}

impl Stems {
    fn new() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), known: stop_words() }
    }

    fn push(&mut self, word: &str, into: &mut Vec<String>) {
        if word.len() > STEMMED_BYTES_MAX {
            into.push(word.to_owned());
        } else if let Some(known) = self.known.get(word) {
            into.extend(known.as_deref().map(str::to_owned));
        } else {
            let stem = self.stemmer.stem(word).into_owned();
            if self.known.len() >= REMEMBERED_MAX {
                self.known = stop_words();
            }
            self.known.insert(word.into(), Some(stem.as_str().into()));
            into.push(stem);
        }
    }
}

fn stop_words() -> HashMap<Box<str>, Option<Box<str>>> {
    STOP_WORDS.iter().map(|word| (Box::from(*word), None)).collect()
}

thread_local! {
    static STEMS: RefCell<Stems> = RefCell::new(Stems::new());
}

/// Appends the term of one lower-case `word`, unless the word is a stop word.
pub(crate) fn push_term(word: &str, into: &mut Vec<String>) {
    STEMS.with_borrow_mut(|stems| stems.push(word, into));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expect: Option<&str>) {
        let mut terms = Vec::new();
        push_term(word, &mut terms);
        push_term(word, &mut terms);
        let expected: Vec<&str> = expect.into_iter().chain(expect).collect();
        assert_eq!(terms, expected, "{word}");
    }

    #[test]
    fn stop_words_are_94_and_distinct() {
        let distinct: std::collections::BTreeSet<_> = STOP_WORDS.iter().collect();
        assert_eq!(distinct.len(), 94);
        for word in STOP_WORDS {
            check(word, None);
        }
    }

    #[test]
    fn porter2() {
        for (word, stem) in [
            ("running", "run"),
            ("cities", "citi"),
            ("generously", "generous"),
            ("skies", "sky"),
            ("dying", "die"),
            ("news", "news"),
            ("relational", "relat"),
            ("2023", "2023"),
            ("cafés", "café"),
        ] {
            check(word, Some(stem));
        }
    }

    #[test]
    fn a_very_long_word_is_kept_as_it_is() {
        let word = "ay".repeat(100_000);
        check(&word, Some(&word));
    }

    #[test]
    fn a_full_memory_forgets_without_changing_results() {
        let mut terms = Vec::new();
        for number in 0..REMEMBERED_MAX + 10 {
            terms.clear();
            push_term(&format!("w{number}"), &mut terms);
            assert_eq!(terms.len(), 1);
        }
        check("the", None);
        check("running", Some("run"));
    }
}
