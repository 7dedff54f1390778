//! Compares a question with the texts of a result list: matching synonyms, and the share of
//! matching words. The texts repeat the same words, so each word is stemmed once, and stems that
//! are not searched share one number. Pure.

use std::collections::{HashMap, HashSet};

use super::synonyms::{QuestionMeanings, stands_in, stems, written};

/// The boost of a matching phrase, and of one that needs a word of failure nearby. The best match
/// counts, and each further match adds a little.
const OF_MEANING: f64 = 0.35;
const OF_MORE: f64 = 0.03;
const MORE_MAX: usize = 3;

/// The number of all stems that are not searched.
const OTHER: u32 = 0;

/// The stems of a text as numbers, in order.
pub(super) type Text = Vec<u32>;

/// The searched stems and phrases, and the words met so far.
pub(super) struct Wording {
    failing: Vec<Text>,
    /// Each phrase, and true if it counts without a word of failure nearby.
    phrases: Vec<(Text, bool)>,
    /// The terms of the question.
    asked: HashSet<u32>,
    stems: HashMap<String, u32>,
    words: HashMap<String, Box<[u32]>>,
}

impl Wording {
    /// Returns the state for a question with these terms.
    pub(super) fn new(meanings: &QuestionMeanings<'_>, terms: &[String]) -> Self {
        let mut stems = HashMap::new();
        let phrases: Vec<(Text, bool)> =
            meanings.phrases().map(|(words, alone)| (numbers(&mut stems, words), alone)).collect();
        // Words of failure are needed only if the question has synonyms.
        let failing = meanings.failing().filter(|_| !phrases.is_empty());
        let failing = failing.map(|words| numbers(&mut stems, words)).collect();
        let asked = numbers(&mut stems, terms).into_iter().collect();
        Self { failing, phrases, asked, stems, words: HashMap::new() }
    }

    /// Returns the stems of a text as numbers.
    pub(super) fn read(&mut self, text: &str) -> Text {
        let mut out = Text::new();
        for word in written(text) {
            if let Some(known) = self.words.get(word) {
                out.extend_from_slice(known);
                continue;
            }
            let number = |stem: &String| self.stems.get(stem).copied().unwrap_or(OTHER);
            let new: Box<[u32]> = stems(word).iter().map(number).collect();
            out.extend_from_slice(&new);
            self.words.insert(word.to_owned(), new);
        }
        out
    }

    /// Returns the boost of a text that contains synonyms of the question, or 0. Knowledge of a
    /// configuration describes a state and no failure, so conditional phrases do not count there.
    pub(super) fn likeness(&self, text: &[u32], is_setting: bool) -> f64 {
        if self.phrases.is_empty() {
            return 0.0;
        }
        let fails = !is_setting && self.failing.iter().any(|phrase| stands_in(phrase, text));
        let counts = |(phrase, by_itself): &&(Text, bool)| (*by_itself || fails) && stands_in(phrase, text);
        match self.phrases.iter().filter(counts).count() {
            0 => 0.0,
            many => OF_MEANING + OF_MORE * (many - 1).min(MORE_MAX) as f64,
        }
    }

    /// Returns the share of the question's terms in a text, 0 to 1.
    pub(super) fn share(&self, text: &[u32]) -> f64 {
        if self.asked.is_empty() {
            return 0.0;
        }
        let shared = self.asked.iter().filter(|term| text.contains(term)).count();
        shared as f64 / self.asked.len() as f64
    }
}

/// Returns stems as numbers, with new ones numbered from 1.
fn numbers(known: &mut HashMap<String, u32>, stems: &[String]) -> Text {
    let mut number = |stem: &String| {
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX).saturating_add(1);
        *known.entry(stem.clone()).or_insert(next)
    };
    stems.iter().map(&mut number).collect()
}

#[cfg(test)]
mod tests {
    use super::super::synonyms::SreSynonyms;
    use super::*;
    use loci_text::terms;

    #[test]
    fn the_share_of_the_words_that_were_asked_for() {
        let check = |question: &str, text: &str, expect: f64| {
            let mut wording = Wording::new(&SreSynonyms::shipped().of(question), &terms(question));
            let text = wording.read(text);
            assert_eq!(wording.share(&text), expect, "{question}");
        };
        check("Which pods restart?", "the pod restarted", 1.0);
        check("Which pods restart?", "pods are up; pods are well", 0.5);
        check("Which pods restart?", "", 0.0);
        check("", "pods", 0.0);
        check("the", "the pods", 0.0);
    }

    #[test]
    fn words_that_came_before_are_read_as_new_ones() {
        let mut wording = Wording::new(&SreSynonyms::shipped().of("pod crashing"), &terms("pod crashing"));
        let text = "It was OOMKilled, OOMKilled again: exit code 137";
        let (first, second) = (wording.read(text), wording.read(text));
        assert_eq!(first, second);
        assert!(wording.likeness(&second, false) > 0.0);
        assert_eq!(wording.likeness(&[], false), 0.0);
    }
}
