//! The places where verbs may stand in the words of a statement, found in one pass. A range of the
//! words is then searched for a verb without reading it.
//!
//! The rules are the same as in `clause`; a test holds both to the same answers.

use super::clause::{is_copula, is_has, is_numbered, is_past_verb, is_relative, keeps, opens_noun};
use super::verbs;
use super::words::{Class, Word};

/// The places of a statement's words, those that a clause keeps counted alone.
pub(super) struct VerbPlaces {
    /// The number of kept words before each word; one more entry at the end.
    kept: Vec<usize>,
    /// The next mark from each word on that may end a clause; the number of words where none
    /// follows.
    mark: Vec<usize>,
    /// The next "is", "has" or label's colon from each kept word on.
    copula: Vec<usize>,
    /// The next word from each kept word on that opens a relative clause.
    relative: Vec<usize>,
    /// The next word from each kept word on that can be a verb behind a subject.
    behind_subject: Vec<usize>,
    /// True for a kept word that can be a verb without a subject.
    alone: Vec<bool>,
    /// True for a kept word that a number and a verb in "s" follow.
    numbered: Vec<bool>,
}

impl VerbPlaces {
    /// Finds the places in all words of a statement.
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

    /// True when a clause of its own begins there: a verb before the next mark.
    pub(super) fn begins_clause(&self, from: usize) -> bool {
        let end = self.mark.get(from).copied().unwrap_or(from);
        self.has_verb(from, end)
    }

    /// True when the words of that range have a known verb.
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

/// Returns, for each word, the place of the next from it on that is so; the number of words where
/// none follows, and at the end.
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
