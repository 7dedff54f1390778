//! Reading one statement for comparison: words in one form, clauses with their subject and verb, what is negated, what is
//! only for a time, what changed. English; of other languages only equal words are told.
//!
//! Pure. What two statements are to each other is `relate`; nothing here knows a second statement.

pub(super) mod clause;
mod clock;
pub(super) mod cues;
pub(super) mod exclusive;
pub(super) mod framing;
pub(super) mod lists;
pub(super) mod synonyms;
pub(super) mod turns;
mod verb_places;
pub(super) mod verbs;
pub(super) mod words;

pub(super) use clause::{Clause, clauses};
pub(super) use cues::{Change, Hold, change, hold};
pub(super) use framing::{Cues, unframed};
pub(super) use words::{Class, Word, words};

/// A statement, read.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// Its words in order, white space, case, marks and closing punctuation aside: equal forms, equal statements.
    pub(super) canonical: String,
    /// Its clauses; at least one.
    pub(super) clauses: Vec<Clause>,
    /// How long it holds.
    pub(super) hold: Hold,
    /// The change it tells of.
    pub(super) change: Option<Change>,
    /// Its words without framing.
    pub(super) words: Vec<Word>,
    /// What it says about its own novelty.
    pub(super) cues: Cues,
}

impl Reading {
    /// Reads a statement.
    pub(super) fn of(text: &str) -> Self {
        let words = words(text);
        let canonical = words
            .iter()
            .filter(|word| word.class != Class::Break)
            .map(|word| word.form.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        let (kept, cues) = unframed(&words);
        Self {
            canonical,
            hold: hold(text, &words),
            change: change(&kept),
            clauses: clauses(&kept),
            words: kept,
            cues,
        }
    }

    /// True when its first subject is too long to be lent to its other clauses: those have none.
    pub(super) fn has_long_subject(&self) -> bool {
        self.clauses.len() > 1 && self.clauses.first().is_some_and(clause::has_long_subject)
    }
}
