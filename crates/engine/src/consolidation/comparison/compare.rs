//! Compares two clauses: they are equal, contradict each other, or concern different things. The
//! position of their differing words decides. Before the verb they name another subject, at the
//! verb another value, after it another case.

use std::collections::HashMap;
use std::ops::Range;

use super::slot;
use crate::consolidation::statement_parser::exclusive_values::{excludes, is_place_of_running};
use crate::consolidation::statement_parser::lists::WordList;
use crate::consolidation::statement_parser::{Clause, Word, lists};

/// The relation of two clauses, an older and a newer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::consolidation) enum Met {
    /// The clauses have the same meaning.
    Same,
    /// The clauses cannot both hold, for this reason.
    Against(Against),
    /// The clauses have the same words in different roles, such as subject and object.
    Exchanged,
    /// The clauses are about different things, or their relation is unclear.
    Apart,
}

/// The reason why two clauses cannot both hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::consolidation) enum Against {
    /// One clause negates the other.
    Denial,
    /// The clauses give different values for something that has one value at a time.
    Value,
    /// The clauses state opposite orders of preference.
    Order,
    /// One clause reports that the content of the other ended.
    Change,
}

/// A range in which two lists of words differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// Compares an older clause with a newer one.
pub(in crate::consolidation) fn compare(old: &Clause, new: &Clause) -> Met {
    let same_words = sorted(old.content()) == sorted(new.content());
    if old.negative != new.negative {
        return denial(old, new, same_words);
    }
    if same_words && turning(old) != turning(new) {
        if old.past || new.past || old.verb.as_ref().is_some_and(|verb| verb.form == "go") {
            return Met::Apart;
        }
        let turned = turning(old).iter().any(|was| turning(new).iter().any(|is| excludes(was, is)));
        return if turned { Met::Against(Against::Value) } else { Met::Apart };
    }
    if same_words {
        return if old.leave == new.leave { same_roles(old, new) } else { Met::Apart };
    }
    if moved_away(old, new) {
        return Met::Against(Against::Change);
    }
    if old.negative || old.past || new.past || old.leave != new.leave {
        return Met::Apart;
    }
    if !same_subject(old, new) {
        return if slot::has_one_subject(old, new) { Met::Against(Against::Value) } else { Met::Apart };
    }
    match value_hunk(old, new) {
        Some(hunk) if slot::holds_one(old, new, &hunk) => Met::Against(Against::Value),
        _ => Met::Apart,
    }
}

/// Returns sorted forms, for comparison as bags of words.
pub(super) fn sorted(mut forms: Vec<&str>) -> Vec<&str> {
    forms.sort_unstable();
    forms
}

fn content(words: &[Word]) -> Vec<&str> {
    words.iter().filter(|word| word.is_content()).map(|word| word.form.as_str()).collect()
}

fn same_subject(old: &Clause, new: &Clause) -> bool {
    sorted(content(old.subject())) == sorted(content(new.subject()))
}

fn same_verb(old: &Clause, new: &Clause) -> bool {
    match (&old.verb, &new.verb) {
        (Some(old), Some(new)) => old.form == new.form || (old.copula && new.copula),
        _ => false,
    }
}

/// Returns the relation if exactly one clause is negative. It contradicts the other if it has the
/// same meaning in other words, or a part of it.
fn denial(old: &Clause, new: &Clause, same_words: bool) -> Met {
    let within = |inner: &Clause, outer: &Clause| {
        let outer = outer.content();
        !inner.content().is_empty() && inner.content().iter().all(|form| outer.contains(form))
    };
    let denies = if same_words {
        !matches!(same_roles(old, new), Met::Exchanged)
    } else {
        let (denied, plain) = if new.negative { (new, old) } else { (old, new) };
        same_subject(old, new) && same_verb(old, new) && within(denied, plain) && !plain.past
    };
    if denies && (!old.past || old.negative) { Met::Against(Against::Denial) } else { Met::Apart }
}

/// Compares the roles of the same words in two clauses.
fn same_roles(old: &Clause, new: &Clause) -> Met {
    let (Some(old_verb), Some(new_verb)) = (&old.verb, &new.verb) else {
        return if old.content() == new.content() { Met::Same } else { Met::Exchanged };
    };
    let compares = |clause: &Clause| complement(clause).iter().any(|word| word.form == "than");
    if compares(old) && compares(new) && !same_subject(old, new) {
        return Met::Exchanged;
    }
    if old_verb.passive != new_verb.passive || old_verb.copula != new_verb.copula {
        return Met::Same;
    }
    if old_verb.form != new_verb.form && !old.past && !new.past {
        return Met::Same;
    }
    if !same_subject(old, new) {
        return if exchanges(old, new) { Met::Exchanged } else { Met::Same };
    }
    let (old_rest, new_rest) = (complement(old), complement(new));
    if content(old_rest) == content(new_rest) {
        return Met::Same;
    }
    let compares = |words: &[Word]| words.iter().any(|word| word.form == "over");
    if compares(old_rest) && compares(new_rest) {
        return Met::Against(Against::Order);
    }
    let phrases = |words| {
        let mut phrases: Vec<Vec<&str>> =
            slot::phrases(words).into_iter().map(|phrase| sorted(phrase.said)).collect();
        phrases.retain(|phrase| !phrase.is_empty());
        phrases.sort();
        phrases
    };
    if phrases(old_rest) == phrases(new_rest) { Met::Same } else { Met::Exchanged }
}

/// Returns true if one word moved from the subject to the other clause's complement, and another
/// word the other way.
fn exchanges(old: &Clause, new: &Clause) -> bool {
    let (was, is) = (content(old.subject()), content(new.subject()));
    let (was_said, is_said) = (content(complement(old)), content(complement(new)));
    let copula = |clause: &Clause| clause.verb.as_ref().is_some_and(|verb| verb.copula);
    let goes = |from: &[&str], to: &[&str], stays: &[&str]| {
        from.iter().any(|form| to.contains(form) && !stays.contains(form))
    };
    !(copula(old) && copula(new)) && goes(&was, &is_said, &is) && goes(&was_said, &is, &was)
}

/// Returns the words that reverse each other's meaning: "before", "after".
fn turning(clause: &Clause) -> Vec<&str> {
    static TURNING: WordList =
        WordList::new("before after with without above below under until unless inside outside except");
    let small =
        clause.words.iter().filter(|word| word.class == crate::consolidation::statement_parser::Class::Small);
    sorted(small.map(|word| word.form.as_str()).filter(|form| TURNING.has(form)).collect())
}

/// Returns the words after the verb.
pub(super) fn complement(clause: &Clause) -> &[Word] {
    let end = clause.verb.as_ref().map_or(clause.words.len(), |verb| verb.end);
    clause.words.get(end..).unwrap_or_default()
}

/// Returns true for a move: "lives in Bern", then "moved to Lisbon".
fn moved_away(old: &Clause, new: &Clause) -> bool {
    let (Some(was), Some(is)) = (&old.verb, &new.verb) else { return false };
    let moved = matches!(is.lower.as_str(), "moved" | "relocated");
    let to = complement(new).first().is_some_and(|word| word.form == "to");
    let elsewhere = content(complement(new)).first().is_some_and(|place| !old.content().contains(place));
    was.form == "live" && moved && to && elsewhere && same_subject(old, new) && !old.negative && !new.negative
}

/// Returns the single range in which two clauses differ. Both must have words there, after the same
/// verb.
fn value_hunk(old: &Clause, new: &Clause) -> Option<Hunk> {
    if !same_verb(old, new) {
        return None;
    }
    let passive = |clause: &Clause| clause.verb.as_ref().is_some_and(|verb| verb.passive);
    if passive(old) != passive(new) {
        return None;
    }
    let says = |hunk: &Hunk| {
        let any = |words: &[Word], range: &Range<usize>| {
            words.get(range.clone()).unwrap_or_default().iter().any(Word::is_content)
        };
        any(&old.words, &hunk.old) || any(&new.words, &hunk.new)
    };
    let found: Vec<Hunk> = hunks(&old.words, &new.words).into_iter().filter(says).collect();
    let hunk = joined(old, new, &found)?;
    let behind = |clause: &Clause, range: &Range<usize>| {
        clause.verb.as_ref().is_some_and(|verb| range.start >= verb.end)
    };
    let filled = |words: &[Word], range: &Range<usize>| {
        !content(words.get(range.clone()).unwrap_or_default()).is_empty()
    };
    let fits = behind(old, &hunk.old)
        && behind(new, &hunk.new)
        && filled(&old.words, &hunk.old)
        && filled(&new.words, &hunk.new);
    fits.then_some(hunk)
}

/// Joins ranges that only grammatical words separate: "Tuesday at 10:00" against "Monday at 14:00".
fn joined(old: &Clause, new: &Clause, found: &[Hunk]) -> Option<Hunk> {
    let (first, last) = (found.first()?, found.last()?);
    let mut reached = first.old.end;
    for hunk in found.iter().skip(1) {
        let between = old.words.get(reached..hunk.old.start).unwrap_or_default();
        if between.iter().any(Word::is_content) {
            return None;
        }
        reached = hunk.old.end;
    }
    let whole = Hunk { old: first.old.start..last.old.end, new: first.new.start..last.new.end };
    let timely = |words: &[Word], range: &Range<usize>| {
        words
            .get(range.clone())
            .unwrap_or_default()
            .iter()
            .filter(|word| word.is_content())
            .all(slot::is_timely)
    };
    (found.len() == 1 || (timely(&old.words, &whole.old) && timely(&new.words, &whole.new))).then_some(whole)
}

/// Returns the ranges in which two lists of words differ, by their longest common subsequence.
pub(super) fn hunks(old: &[Word], new: &[Word]) -> Vec<Hunk> {
    let (rows, columns) = (old.len() + 1, new.len() + 1);
    let mut longest = vec![0u32; rows * columns];
    let at = |row: usize, column: usize| row * columns + column;
    for row in (0..old.len()).rev() {
        for column in (0..new.len()).rev() {
            let equal = old.get(row).zip(new.get(column)).is_some_and(|(old, new)| old.form == new.form);
            let value = |index: usize| longest.get(index).copied().unwrap_or(0);
            let best = if equal {
                value(at(row + 1, column + 1)) + 1
            } else {
                value(at(row + 1, column)).max(value(at(row, column + 1)))
            };
            if let Some(cell) = longest.get_mut(at(row, column)) {
                *cell = best;
            }
        }
    }
    let mut hunks: Vec<Hunk> = Vec::new();
    let (mut row, mut column) = (0, 0);
    let mut start = (0, 0);
    while row < old.len() || column < new.len() {
        let value = |row: usize, column: usize| longest.get(at(row, column)).copied().unwrap_or(0);
        let equal = old.get(row).zip(new.get(column)).is_some_and(|(old, new)| old.form == new.form);
        if equal {
            if start != (row, column) {
                hunks.push(Hunk { old: start.0..row, new: start.1..column });
            }
            row += 1;
            column += 1;
            start = (row, column);
        } else if column == new.len() || (row < old.len() && value(row + 1, column) >= value(row, column + 1))
        {
            row += 1;
        } else {
            column += 1;
        }
    }
    if start != (row, column) {
        hunks.push(Hunk { old: start.0..row, new: start.1..column });
    }
    hunks
}

/// Returns the words that only the first of two clauses has.
pub(in crate::consolidation) fn residue<'a>(of: &'a [Word], beside: &[Word]) -> Vec<&'a Word> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for form in content(beside) {
        *left.entry(form).or_default() += 1;
    }
    let mut own = Vec::new();
    for word in of.iter().filter(|word| word.is_content()) {
        match left.get_mut(word.form.as_str()).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => own.push(word),
        }
    }
    own
}

/// Returns true if the words that only one side has do not change the meaning.
pub(in crate::consolidation) fn is_wording(old: &[&Word], new: &[&Word]) -> bool {
    static RESTRICTS: WordList = WordList::new(
        "\
    only except most former next other anoth new old previous half part partial almost near rare \
    seldom often sometim occasion main second third if when test",
    );
    let soft =
        |word: &&&Word| !word.is_hard() && !RESTRICTS.has(&word.form) && !is_place_of_running(&word.form);
    let calendar = |word: &&&Word| lists::is_day_or_month(&word.lower);
    let plain = |words: &[&Word]| words.iter().all(|word| soft(&word) && !calendar(&word));
    plain(old) && plain(new) && !old.iter().any(|old| new.iter().any(|new| excludes(&old.form, &new.form)))
}
