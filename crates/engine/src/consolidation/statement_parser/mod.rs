//! Parses one statement for comparison: normalized words, clauses with subject and verb, negations,
//! durations and changes. English; in other languages only equal words are recognized.
//!
//! Pure. `relate` determines the relation of two statements; this module sees only one.

pub(super) mod clause;
mod clock;
pub(super) mod cues;
pub(super) mod exclusive_values;
pub(super) mod framing_words;
pub(super) mod lists;
pub(super) mod synonyms;
pub(super) mod turns;
mod verb_positions;
pub(super) mod verbs;
pub(super) mod words;

pub(super) use clause::{Clause, clauses};
pub(super) use cues::{Hold, StatedChange, change, hold};
pub(super) use framing_words::{Cues, unframed};
pub(super) use words::{Class, Word, words};

/// A statement that was parsed, so that it can be compared with others.
#[derive(Debug, Clone)]
pub(super) struct ParsedStatement {
    /// Its words in order, without white space, case, quotation marks and closing punctuation:
    /// equal forms mean equal statements.
    pub(super) canonical: String,
    /// The clauses of the statement, at least one.
    pub(super) clauses: Vec<Clause>,
    /// The duration for which the statement holds, by its words.
    pub(super) hold: Hold,
    /// The change that the statement reports, if it reports one.
    pub(super) change: Option<StatedChange>,
    /// The words of the statement without phrases that only frame it, such as "please note that".
    pub(super) words: Vec<Word>,
    /// The words of the statement that mark its content as new, such as "now" or "instead".
    pub(super) cues: Cues,
}

impl ParsedStatement {
    /// Parses a statement.
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

    /// Returns true if its first subject is too long to be repeated in its other clauses: they have
    /// no subject then.
    pub(super) fn has_long_subject(&self) -> bool {
        self.clauses.len() > 1 && self.clauses.first().is_some_and(clause::has_long_subject)
    }
}
