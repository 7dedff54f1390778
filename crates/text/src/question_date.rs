//! The date that a question names, and its value for a turn recorded on a given day.
//!
//! The module reads absolute dates only; `relative_date` reads "last week".

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::{Captures, Regex};

use crate::pattern::{MONTHS, pattern};

/// The typical time between an event and the turn that mentions it, in days.
const DAY_OFFSET: f32 = 2.0;
/// The distance in days over which the value of a date falls by the factor e.
const DAY_SCALE: f32 = 7.0;
const MONTH: f32 = 1.0;
const NEXT_MONTH: f32 = 0.5;
const PREVIOUS_MONTH: f32 = 0.1;
const YEAR: f32 = 1.0;

/// A date in a question. It has a year, a month or both; it has a day only together with a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionDate {
    /// The year: 2000 to 2099 if written, any year if resolved from a relative expression.
    pub year: Option<i16>,
    /// The month, 1 to 12.
    pub month: Option<i8>,
    /// The day, 1 to 31, not checked against the month.
    pub day: Option<i8>,
}

static YEAR_WRITTEN: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b20[0-9]{2}\b"));

static MONTH_WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:(?P<before>DAY)\s+(?:of\s+)?|(?P<word>in|of|during|since|until|by|early|late|mid|last|this)[\s-]+",
        r"|(?P<year>20[0-9]{2})\s+)?",
        r"(?P<month>MONTH)\b(?:\s+(?P<after>DAY)\b)?(?P<later>,?\s+(?:of\s+)?20[0-9]{2}\b)?",
    ))
});

/// Returns the date written in `question`: a year 20xx, the first full month name, a day next to
/// it. *May* and *March* count as months only next to a day or year, or after a word such as "in".
#[must_use]
pub fn written_date(question: &str) -> Option<QuestionDate> {
    let year = YEAR_WRITTEN.find(question).and_then(|year| year.as_str().parse().ok());
    let (month, day) = match MONTH_WRITTEN.captures_iter(question).find_map(|found| month_and_day(&found)) {
        Some((month, day)) => (Some(month), day),
        None => (None, None),
    };
    (year.is_some() || month.is_some()).then_some(QuestionDate { year, month, day })
}

fn month_and_day(found: &Captures<'_>) -> Option<(i8, Option<i8>)> {
    let name = found.name("month")?.as_str();
    let month = (1..).zip(MONTHS).find(|(_, month)| month.eq_ignore_ascii_case(name))?.0;
    let day = found.name("before").or(found.name("after")).and_then(|day| day_number(day.as_str()));
    let certain = ["word", "year", "later"].iter().any(|mark| found.name(mark).is_some());
    let other_word = matches!(month, 3 | 5);
    (!other_word || certain || day.is_some()).then_some((month, day))
}

fn day_number(day: &str) -> Option<i8> {
    day.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()
}

impl QuestionDate {
    /// Returns the date of one day.
    #[must_use]
    pub fn of_day(day: Date) -> Self {
        Self { year: Some(day.year()), month: Some(day.month()), day: Some(day.day()) }
    }

    /// Returns the value, 0 to 1, of a turn recorded on `turn`, which falls with its distance from
    /// the date.
    #[must_use]
    pub fn value(&self, turn: Date) -> f32 {
        match (self.year, self.month, self.day) {
            (year, Some(month), Some(day)) => {
                let Ok(target) = Date::new(year.unwrap_or(turn.year()), month, day) else { return 0.0 };
                let Ok(late) = turn.since(target) else { return 0.0 };
                (-(late.get_days() as f32 - DAY_OFFSET).abs() / DAY_SCALE).exp()
            }
            (year, Some(month), None) => {
                let years = i32::from(turn.year()) - i32::from(year.unwrap_or(turn.year()));
                match years * 12 + i32::from(turn.month()) - i32::from(month) {
                    0 => MONTH,
                    1 => NEXT_MONTH,
                    -1 => PREVIOUS_MONTH,
                    _ => 0.0,
                }
            }
            (Some(year), None, _) if year == turn.year() => YEAR,
            (_, None, _) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn check(question: &str, expect: (Option<i16>, Option<i8>, Option<i8>)) {
        let found =
            written_date(question).map_or((None, None, None), |date| (date.year, date.month, date.day));
        assert_eq!(found, expect, "{question:?}");
    }

    #[test]
    fn written_dates() {
        check("What did she do in 2023?", (Some(2023), None, None));
        check("in 1999?", (None, None, None));
        check("room 20234", (None, None, None));
        check("in July", (None, Some(7), None));
        check("JULY plans", (None, Some(7), None));
        check("in Jul", (None, None, None));
        check("on 7 May 2023", (Some(2023), Some(5), Some(7)));
        check("on the 7th of May, 2023", (Some(2023), Some(5), Some(7)));
        check("on May 7th", (None, Some(5), Some(7)));
        check("on May 7, 2023", (Some(2023), Some(5), Some(7)));
        check("May 2023", (Some(2023), Some(5), None));
        check("May, 2023", (Some(2023), Some(5), None));
        check("in March of 2022", (Some(2022), Some(3), None));
        check("August 31st", (None, Some(8), Some(31)));
        check("August 32", (None, Some(8), None));
        check("2023 in August", (Some(2023), Some(8), None));
        check("between June and August", (None, Some(6), None));
        check("3rd june", (None, Some(6), Some(3)));
        check("12 october or 13 october", (None, Some(10), Some(12)));
    }

    #[test]
    fn may_and_march_are_also_other_words() {
        check("What may she do?", (None, None, None));
        check("Did they march?", (None, None, None));
        check("May I ask about June?", (None, Some(6), None));
        check("What may happen in 2023?", (Some(2023), None, None));
        for word in
            ["in", "of", "during", "since", "until", "by", "early", "late", "mid", "last", "this", "mid-"]
        {
            check(&format!("it was {word} May"), (None, Some(5), None));
            check(&format!("it was {word} march"), (None, Some(3), None));
        }
        check("it was after May", (None, None, None));
        check("the main march", (None, None, None));
    }

    fn value(date: (Option<i16>, Option<i8>, Option<i8>), turn: Date, expect: f32) {
        let (year, month, day) = date;
        let value = QuestionDate { year, month, day }.value(turn);
        assert!((value - expect).abs() < 1e-6, "{date:?} at {turn}: {value} is not {expect}");
    }

    #[test]
    fn values() {
        let day = (Some(2023), Some(5), Some(7));
        value(day, date(2023, 5, 9), 1.0);
        value(day, date(2023, 5, 7), (-2.0f32 / 7.0).exp());
        value(day, date(2023, 5, 16), (-1.0f32).exp());
        value(day, date(2023, 4, 30), (-9.0f32 / 7.0).exp());
        value(day, date(2024, 5, 9), (-366.0f32 / 7.0).exp());
        value((None, Some(5), Some(7)), date(2024, 5, 9), 1.0);
        value((None, Some(12), Some(31)), date(2024, 1, 2), (-365.0f32 / 7.0).exp());
        value((None, Some(2), Some(30)), date(2024, 2, 28), 0.0);
        value((None, Some(2), Some(29)), date(2024, 3, 2), 1.0);
        value((None, Some(2), Some(29)), date(2023, 3, 2), 0.0);
        let month = (Some(2023), Some(12), None);
        value(month, date(2023, 12, 31), 1.0);
        value(month, date(2024, 1, 1), 0.5);
        value(month, date(2023, 11, 30), 0.1);
        value(month, date(2024, 2, 1), 0.0);
        value(month, date(2022, 12, 1), 0.0);
        value((None, Some(12), None), date(2024, 1, 1), 0.0);
        value((None, Some(12), None), date(2024, 12, 1), 1.0);
        value((None, Some(1), None), date(2024, 2, 1), 0.5);
        value((Some(2023), None, None), date(2023, 1, 1), 1.0);
        value((Some(2023), None, None), date(2024, 1, 1), 0.0);
        value((None, None, None), date(2024, 1, 1), 0.0);
    }

    proptest! {
        #[test]
        fn any_question_and_any_day(text in any::<String>(), days in 0i32..200_000) {
            let turn = date(1800, 1, 1) + jiff::Span::new().days(days);
            if let Some(date) = written_date(&text) {
                let value = date.value(turn);
                prop_assert!((0.0..=1.0).contains(&value));
            }
        }

        #[test]
        fn whatever_surrounds_a_written_date(before in "[a-z0-9 ]{0,20}", after in "[ ,.?][a-z ]{0,20}") {
            let date = written_date(&format!("{before} on 7 November 2021{after}")).unwrap();
            prop_assert_eq!(date.month, Some(11));
        }
    }
}
