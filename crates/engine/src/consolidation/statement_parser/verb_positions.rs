//! Positions at which the words of a statement may have a verb, found in one pass. A range of words
//! is then searched for a verb without parsing it.
//!
//! The rules are those of `clause`; a test checks that both agree.

use super::clause::{is_copula, is_has, is_numbered, is_past_verb, is_relative, keeps, opens_noun};
use super::verbs;
use super::words::{Class, Word};

/// Positions in a statement, counting only the words that a clause keeps.
pub(super) struct VerbPlaces {
    /// Number of kept words before each word, with one more entry at the end.
    kept: Vec<usize>,
    /// For each word, the position of the next punctuation that may end a clause; the number of
    /// words if there is none.
    mark: Vec<usize>,
    /// For each kept word, the position of the next "is", "has" or label's colon.
    copula: Vec<usize>,
    /// For each kept word, the position of the next word that opens a relative clause.
    relative: Vec<usize>,
    /// For each kept word, the position of the next word that can be a verb after a subject.
    behind_subject: Vec<usize>,
    /// True for a kept word that can be a verb without a subject.
    alone: Vec<bool>,
    /// True for a kept word before a number and a verb in "s".
    numbered: Vec<bool>,
}

impl VerbPlaces {
    /// Finds the positions in all words of a statement.
    pub(super) fn of(words: &[Word]) -> Self {
        let mut before = Vec::with_capacity(words.len() + 1);
        let mut kept: Vec<&Word> = Vec::with_capacity(words.len());
        for word in words {
            before.push(kept.len());
            if keeps(word) {
                kept.push(word);
            }
        }
        before.push(kept.len());
        let all: Vec<&Word> = words.iter().collect();
        let can_be_verb = |at: usize, word: &Word| {
            let noun = at.checked_sub(1).and_then(|at| kept.get(at)).is_some_and(|before| opens_noun(before));
            (verbs::is_verb(word) || is_past_verb(word)) && !noun
        };
        Self {
            kept: before,
            mark: next_places(&all, |_, word| word.class == Class::Break && word.form != ":"),
            copula: next_places(&kept, |_, word| is_copula(word) || is_has(word)),
            relative: next_places(&kept, |_, word| is_relative(word)),
            behind_subject: next_places(&kept, can_be_verb),
            alone: kept.iter().map(|word| verbs::is_verb(word)).collect(),
            numbered: (0..kept.len())
                .map(|at| is_numbered(kept.get(at + 1).copied(), kept.get(at + 2).copied()))
                .collect(),
        }
    }

    /// Returns true if a separate clause begins there, with a verb before the next punctuation.
    pub(super) fn begins_clause(&self, from: usize) -> bool {
        let end = self.mark.get(from).copied().unwrap_or(from);
        self.has_verb(from, end)
    }

    /// Returns true if the range contains a known verb.
    pub(super) fn has_verb(&self, from: usize, to: usize) -> bool {
        let (Some(from), Some(to)) = (self.kept.get(from).copied(), self.kept.get(to).copied()) else {
            return false;
        };
        if from >= to {
            return false;
        }
        let next = |places: &[usize], at: usize| places.get(at).copied().unwrap_or(to);
        let end = next(&self.relative, from + 1).min(to);
        let numbered = from + 2 < end && self.numbered.get(from).copied().unwrap_or_default();
        next(&self.copula, from) < end
            || (!numbered && self.alone.get(from).copied().unwrap_or_default())
            || next(&self.behind_subject, from + 1) < end
    }
}

/// Returns for each word the position of the next word that `is_so` accepts; the number of words if
/// there is none, and at the end.
fn next_places(words: &[&Word], is_so: impl Fn(usize, &Word) -> bool) -> Vec<usize> {
    let mut next = words.len();
    let mut places = vec![next];
    for (at, word) in words.iter().enumerate().rev() {
        if is_so(at, word) {
            next = at;
        }
        places.push(next);
    }
    places.reverse();
    places
}

#[cfg(test)]
mod tests {
    use super::super::clause::known_verb_at;
    use super::super::words::words;
    use super::*;

    #[test]
    fn every_range_as_a_clause_of_its_own() {
        for text in [
            "",
            "Store 14 sells tea, and the shop that closes late is near",
            "tests run and the linter's checks fail, because we use `make`; never on Mondays: 3 retries",
            "which is, and has, and was sold that use it and of use and to use",
            "the user said that he wrote 12 calls and 12 calls, ran, ran home",
            "and and and , : is , : and who which not really uses",
        ] {
            let words = words(text);
            let places = VerbPlaces::of(&words);
            for from in 0..=words.len() {
                for to in from..=words.len() {
                    let range = words.get(from..to).unwrap();
                    let kept: Vec<Word> = range.iter().filter(|word| keeps(word)).cloned().collect();
                    let expect = known_verb_at(&kept).is_some();
                    assert_eq!(places.has_verb(from, to), expect, "{text}: {from}..{to}");
                }
                let rest = words.get(from..).unwrap();
                let mark = rest.iter().position(|word| word.class == Class::Break && word.form != ":");
                let expect = places.has_verb(from, mark.map_or(words.len(), |mark| from + mark));
                assert_eq!(places.begins_clause(from), expect, "{text}: {from}");
            }
        }
    }
}
