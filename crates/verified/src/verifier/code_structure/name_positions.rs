//! Places of a name in a line of code, by plain search. Pure.
//!
//! One regular expression for all names reads the text after each place, up to a number of bytes.
//! No expression is compiled per name, and the time is linear in the line. `LookupBudget` bounds
//! the work for one statement.

use std::cell::Cell;

use loci_model::limits;
use regex::{Captures, Regex};

/// The number of bytes after a name that are read.
const BEHIND_BYTES_MAX: usize = 400;

/// The budget of names and values that one statement may look up. A statement that needs more
/// exceeds the budget and does not count as supported.
#[derive(Debug, Default)]
pub(in crate::verifier) struct LookupBudget {
    names: Cell<usize>,
    is_spent: Cell<bool>,
}

impl LookupBudget {
    /// Takes one name from the budget; `false` if the budget is used up.
    pub(in crate::verifier) fn take_name(&self) -> bool {
        let names = self.names.get();
        if names >= limits::SUPPORT_VALUES_MAX {
            self.spend();
            return false;
        }
        self.names.set(names + 1);
        true
    }

    /// Marks the budget as spent because something could not be read completely.
    pub(in crate::verifier) fn spend(&self) {
        self.is_spent.set(true);
    }

    /// Returns true if something was left out.
    pub(in crate::verifier) fn is_spent(&self) -> bool {
        self.is_spent.get()
    }

    /// Returns each item once, in order, within the budget.
    pub(in crate::verifier) fn distinct<T: PartialEq>(&self, all: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut kept = Vec::new();
        for item in all {
            if kept.contains(&item) {
                continue;
            }
            if kept.len() == limits::SUPPORT_VALUES_MAX {
                self.spend();
                break;
            }
            kept.push(item);
        }
        kept
    }
}

/// A place of a name in a line.
#[derive(Debug, Clone, Copy)]
pub(in crate::verifier) struct NamePlace<'l> {
    line: &'l str,
    /// The character before the name, or the name itself at the start of the line.
    before: usize,
    end: usize,
    behind: &'l str,
    is_cut: bool,
}

impl<'l> NamePlace<'l> {
    fn at(line: &'l str, before: usize, end: usize) -> Self {
        let rest = line.get(end..).unwrap_or_default();
        let mut ends = (0..=rest.len().min(BEHIND_BYTES_MAX)).rev();
        let behind = ends.find_map(|end| rest.get(..end)).unwrap_or_default();
        Self { line, before, end, behind, is_cut: behind.len() < rest.len() }
    }

    /// Returns the match of an expression that begins after the name. A match that ends at the
    /// limit of the reading does not count, because more may belong to it.
    pub(in crate::verifier) fn captures(&self, form: &Regex) -> Option<Captures<'l>> {
        let found = form.captures(self.behind)?;
        let end = found.get(0)?.end();
        (!self.is_cut || end < self.behind.len()).then_some(found)
    }

    /// Returns true if the text after the name exceeds the reading limit, and an expression for the
    /// beginnings of a form fits all of the read part.
    pub(in crate::verifier) fn goes_on(&self, beginnings: &Regex) -> bool {
        self.is_cut && beginnings.is_match(self.behind)
    }

    /// Returns the text from before the name to an end after it.
    pub(in crate::verifier) fn whole(&self, end: usize) -> &'l str {
        self.line.get(self.before..self.end + end).unwrap_or_default()
    }

    /// Returns the text after an end, up to the reading limit.
    pub(in crate::verifier) fn rest(&self, end: usize) -> &'l str {
        Self::at(self.line, self.before, self.end + end).behind
    }
}

/// Calls `read` with each place of a name from `from` on, in the way an expression beginning with
/// the name would find them. It skips a place if the character before it `is_joined` to the name or
/// belongs to the previous place. `searched` is the line in the form of the name, with equal byte
/// positions. `read` returns the number of bytes after the name that it consumes.
pub(in crate::verifier) fn each_place<'l>(
    (line, searched): (&'l str, &str),
    (name, is_joined): (&str, fn(char) -> bool),
    from: usize,
    mut read: impl FnMut(NamePlace<'l>) -> Option<usize>,
) {
    let mut taken = from;
    for (start, found) in searched.match_indices(name) {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        let place = start - before.map_or(0, char::len_utf8);
        if place < taken || before.is_some_and(is_joined) {
            continue;
        }
        let end = start + found.len();
        if let Some(length) = read(NamePlace::at(line, place, end)) {
            taken = end + length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(line: &str, name: &str) -> Vec<usize> {
        let mut places = Vec::new();
        let is_joined = |c: char| c.is_alphanumeric();
        each_place((line, line), (name, is_joined), 0, |place| {
            places.push(place.end);
            place.behind.starts_with('=').then_some(2)
        });
        places
    }

    #[test]
    fn places_stand_apart_and_do_not_overlap() {
        for (line, expect) in [
            ("MAX=1 MAX=2", vec![3, 9]),
            ("MAX=1MAX=2", vec![3]),
            ("xMAX=1;MAX", vec![10]),
            ("MAX=;MAX=2", vec![3]),
            ("éMAX ßMAX ·MAX", vec![17]),
            ("none", vec![]),
        ] {
            assert_eq!(places(line, "MAX"), expect, "{line}");
        }
    }

    #[test]
    fn what_is_behind_a_name_is_read_to_a_bound() {
        let digits = Regex::new("^=[0-9]+").unwrap();
        for (bytes, is_found) in [(BEHIND_BYTES_MAX, true), (BEHIND_BYTES_MAX + 1, false)] {
            let line = format!("MAX={}", "5".repeat(bytes - 1));
            let place = NamePlace::at(&line, 0, 3);
            assert_eq!(place.captures(&digits).is_some(), is_found, "{bytes}");
            assert_eq!(place.goes_on(&digits), !is_found, "{bytes}");
        }
    }

    #[test]
    fn a_budget_says_that_something_was_left_out() {
        let most = loci_model::limits::SUPPORT_VALUES_MAX;
        for (count, is_spent) in [(most, false), (most + 1, true)] {
            let (of_values, of_names) = (LookupBudget::default(), LookupBudget::default());
            let twice = (0..count).chain(0..count);
            assert_eq!(of_values.distinct(twice).len(), most);
            let taken = (0..count).filter(|_| of_names.take_name()).count();
            assert_eq!((taken, of_values.is_spent(), of_names.is_spent()), (most, is_spent, is_spent));
        }
    }
}
