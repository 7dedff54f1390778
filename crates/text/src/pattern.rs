//! Compilation of the program's constant patterns, once, at first use.
//!
//! The module contains no pattern itself, only the words that several patterns share: months and
//! weekdays.

use regex::Regex;

/// Full month names, January first.
pub(crate) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Weekdays, Monday first.
pub(crate) const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Compiles an ASCII pattern that ignores case. ASCII boundaries keep the automaton fast on text
/// with emoji and typographic quotes. `WEEKDAY`, `MONTH` (full names), `MONTH_ANY` (also short
/// names) and `DAY` (1–31, `7th`) stand for their alternatives; `X` is white space.
pub(crate) fn pattern(source: &str) -> Regex {
    let months = MONTHS.join("|");
    let source = source
        .replace("MONTH_ANY", &format!("(?:{months}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"))
        .replace("MONTH", &format!("(?:{months})"))
        .replace("WEEKDAY", &format!("(?:{})", WEEKDAYS.join("|")))
        .replace("DAY", "(?:3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th)?");
    compiled(&format!("(?i-u){source}"))
}

#[expect(clippy::expect_used, reason = "every pattern is a constant of this crate and compiled by its tests")]
pub(crate) fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}
