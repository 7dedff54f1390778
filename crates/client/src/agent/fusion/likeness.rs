//! Comparison of two texts by meaning: their normalised forms must be equal or almost equal.
//!
//! Long texts that differ only in a number or a negation are almost equal but have different
//! meanings. Such texts never match.

use std::collections::BTreeMap;

use crate::agent::limits::SAME_SIMILARITY_MIN;

/// The English words that negate a sentence. Texts in other languages match only if their words are
/// equal.
const NEGATIONS: [&str; 6] = ["not", "no", "never", "without", "nor", "cannot"];

/// The parts of a text that a comparison needs.
pub(super) struct Likeness {
    words: String,
    trigrams: BTreeMap<[char; 3], usize>,
    count: usize,
    turning: Vec<String>,
}

impl Likeness {
    pub(super) fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
            .collect();
        let turning = words.iter().filter(|word| turns(word)).map(|word| (*word).to_owned()).collect();
        let words = words.join(" ");
        let characters: Vec<char> = words.chars().collect();
        let mut trigrams = BTreeMap::new();
        for window in characters.windows(3) {
            if let [a, b, c] = window {
                *trigrams.entry([*a, *b, *c]).or_insert(0) += 1;
            }
        }
        Self { words, trigrams, count: characters.len().saturating_sub(2), turning }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        if self.words == other.words {
            return !self.words.is_empty();
        }
        self.turning == other.turning && self.similarity(other) >= SAME_SIMILARITY_MIN
    }

    /// Returns the similarity of two texts, 0 to 1: twice the number of common trigrams, divided by
    /// the number of all trigrams.
    fn similarity(&self, other: &Self) -> f64 {
        let both = self.count + other.count;
        if both == 0 {
            return 0.0;
        }
        let common: usize = self
            .trigrams
            .iter()
            .filter_map(|(trigram, count)| other.trigrams.get(trigram).map(|theirs| count.min(theirs)))
            .sum();
        2.0 * common as f64 / both as f64
    }
}

fn turns(word: &str) -> bool {
    word.chars().any(char::is_numeric) || word.ends_with("n't") || NEGATIONS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_the_same() {
        let check = |a: &str, b: &str, expect: bool| {
            assert_eq!(Likeness::of(a).is_same(&Likeness::of(b)), expect, "{a} | {b}");
        };
        check("User likes tea.", "user  likes TEA", true);
        check("", "", false);
        check("ab", "ac", false);
        let long =
            "The quarterly meeting about the budget of the harbour office takes place in the large room";
        check(&format!("{long} upstairs"), &format!("{long}, upstairs!"), true);
        check(&format!("{long} upstairs today"), &format!("{long} upstairs todey"), true);
        check(&format!("{long} 12"), &format!("{long} 13"), false);
        check(&format!("{long} today"), &format!("{long} not today"), false);
        check("User lives in Seattle", "User lives in Portland", false);
    }
}
