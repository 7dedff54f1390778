//! The marks of a text: numbers, negations and dates. Two similar texts may be folded only if their
//! marks are equal.
//!
//! The comparison is cautious: order counts, and a doubtful word makes texts differ. An error shows
//! a repeat twice, but it never hides a contradiction or an update.

use crate::analysis::is_word;
use crate::pattern::{MONTHS, WEEKDAYS};

/// The numbers, negations and dates of a text, each in order. Texts with equal marks have the same
/// numbers, negations and dates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks {
    numbers: Vec<String>,
    negations: Vec<&'static str>,
    dates: Vec<String>,
}

/// Returns the marks of `text`. Number words count as numbers (`two` is 2, `third` is 3), `n't` and
/// `cannot` as `not`. Dates are month names and their short forms, weekdays, and words such as
/// "yesterday" and "last".
#[must_use]
pub fn marks(text: &str) -> Marks {
    let mut marks = Marks::default();
    let mut from = 0;
    let mut before = String::new();
    while let Some((start, word)) = next_word(text, from) {
        from = start + word.len();
        let lower = word.replace('’', "'").to_lowercase();
        if word.chars().any(char::is_numeric) {
            marks.numbers.push(number(text, start, &lower));
        } else if let Some(value) = number_word(&lower) {
            marks.numbers.push(value.to_string());
        } else if let Some(negation) = negation(&lower) {
            marks.negations.push(negation);
        } else if is_date_word(word, &lower, &before) {
            marks.dates.push(lower.clone());
        }
        before = lower;
    }
    marks
}

impl Marks {
    /// Returns true if these marks contain every number and every negation of `other`.
    #[must_use]
    pub fn holds(&self, other: &Marks) -> bool {
        other.numbers.iter().all(|number| self.numbers.contains(number))
            && other.negations.iter().all(|negation| self.negations.contains(negation))
    }
}

/// Returns the next word from `from`. A word consists of word characters. It keeps `'`, `’`, `.`,
/// `,`, `:` and `/` between two digits, and apostrophes between two letters.
fn next_word(text: &str, from: usize) -> Option<(usize, &str)> {
    let rest = text.get(from..)?;
    let offset = rest.find(is_word)?;
    let word = rest.get(offset..)?;
    let mut characters = word.char_indices().peekable();
    let mut last = ' ';
    let mut end = word.len();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        let joins = match c {
            '.' | ',' | ':' | '/' => last.is_numeric() && next.is_numeric(),
            '\'' | '’' => last.is_alphabetic() && next.is_alphabetic(),
            _ => is_word(c),
        };
        if !joins {
            end = at;
            break;
        }
        last = c;
    }
    Some((from + offset, word.get(..end)?))
}

/// Returns a number without its thousands separators and its ordinal ending, with a minus sign that
/// stands before it.
fn number(text: &str, start: usize, lower: &str) -> String {
    let before = text.get(..start).unwrap_or_default();
    let minus = before.strip_suffix(['-', '−']).is_some_and(|rest| !rest.ends_with(is_word));
    let plain = lower.replace(',', "");
    let digits = plain.trim_end_matches(|c: char| c.is_alphabetic());
    let ordinal = matches!(plain.get(digits.len()..), Some("st" | "nd" | "rd" | "th"));
    let value = if ordinal { digits } else { &plain };
    format!("{}{value}", if minus { "-" } else { "" })
}

/// Returns the value of a number word or ordinal in lower case: `two` and `second` are 2.
#[must_use]
pub fn number_word(word: &str) -> Option<u32> {
    let small = [
        ("zero", "zeroth"),
        ("one", "first"),
        ("two", "second"),
        ("three", "third"),
        ("four", "fourth"),
        ("five", "fifth"),
        ("six", "sixth"),
        ("seven", "seventh"),
        ("eight", "eighth"),
        ("nine", "ninth"),
        ("ten", "tenth"),
        ("eleven", "eleventh"),
        ("twelve", "twelfth"),
        ("thirteen", "thirteenth"),
        ("fourteen", "fourteenth"),
        ("fifteen", "fifteenth"),
        ("sixteen", "sixteenth"),
        ("seventeen", "seventeenth"),
        ("eighteen", "eighteenth"),
        ("nineteen", "nineteenth"),
    ];
    let large = [
        ("once", 1),
        ("twice", 2),
        ("dozen", 12),
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
        ("seventy", 70),
        ("eighty", 80),
        ("ninety", 90),
        ("hundred", 100),
        ("thousand", 1000),
        ("million", 1_000_000),
    ];
    (0..)
        .zip(small)
        .find(|(_, (cardinal, ordinal))| *cardinal == word || *ordinal == word)
        .map(|(value, _)| value)
        .or_else(|| large.iter().find(|(name, _)| *name == word).map(|(_, value)| *value))
}

fn negation(word: &str) -> Option<&'static str> {
    match word {
        "not" | "cannot" => Some("not"),
        "never" => Some("never"),
        "no" => Some("no"),
        contracted if contracted.ends_with("n't") => Some("not"),
        _ => None,
    }
}

/// Returns true for words of dates. `may` and `march` are dates if they are capitalised or follow
/// "in". `second` and similar words are already numbers.
fn is_date_word(word: &str, lower: &str, before: &str) -> bool {
    let short = ["jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"];
    let relative = [
        "yesterday",
        "today",
        "tonight",
        "tomorrow",
        "ago",
        "last",
        "next",
        "this",
        "past",
        "previous",
        "since",
        "until",
        "before",
        "after",
    ];
    if matches!(lower, "may" | "march") {
        return before == "in" || word.starts_with(char::is_uppercase);
    }
    MONTHS.contains(&lower)
        || WEEKDAYS.contains(&lower)
        || short.contains(&lower)
        || relative.contains(&lower)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(a: &str, b: &str) {
        assert_eq!(marks(a), marks(b), "{a:?} and {b:?}");
    }

    fn differ(a: &str, b: &str) {
        assert_ne!(marks(a), marks(b), "{a:?} and {b:?}");
    }

    #[test]
    fn numbers() {
        same("I have 2 cats", "I have two cats!");
        same("1,000 people", "1000 people");
        same("on the 7th", "on the seventh");
        differ("I have 2 cats", "I have 3 cats");
        differ("two cats", "three cats");
        differ("2 cats", "cats");
        differ("it went 3 to 5", "it went 5 to 3");
        differ("3.5 miles", "35 miles");
        differ("at 10:30", "at 10:45");
        differ("-5 degrees", "5 degrees");
        differ("version 1.2.3", "version 1.2.4");
        differ("utf8", "utf16");
        same("a range 3-5.", "a range 3-5");
    }

    #[test]
    fn negations() {
        same("I do not like it", "I don't like it");
        same("I don’t like it", "I don't like it");
        same("I cannot go", "I can't go");
        differ("I like it", "I don't like it");
        differ("I never go", "I do not go");
        differ("no, I go", "I go");
        same("nothing to note", "to note, nothing");
    }

    #[test]
    fn dates() {
        differ("we met on Monday", "we met on Tuesday");
        differ("we met in May", "we met in June");
        differ("we met in may", "we met");
        same("we may meet", "we meet");
        differ("last week", "next week");
        differ("Jan 5", "Feb 5");
        same("On MONDAY", "on monday");
        differ("yesterday", "today");
    }

    #[test]
    fn nothing() {
        assert_eq!(marks(""), Marks::default());
        assert_eq!(marks("plain words ... , : '"), Marks::default());
    }

    proptest! {
        #[test]
        fn any_text(text in any::<String>()) {
            prop_assert_eq!(marks(&text), marks(&text));
        }

        #[test]
        fn a_digit_is_never_overlooked(before in "[a-z .,:/'-]{0,10}", digit in 0u32..10, after in "[a-z .,:/'-]{0,10}") {
            prop_assert_ne!(marks(&format!("{before}{digit}{after}")), marks(&format!("{before}{after}")));
        }
    }
}
