//! Relative expressions of a question ("last week", "3 days ago") as one day, against a given now.
//!
//! A range yields its middle day. The module has no clock: the request supplies the current time.

use std::sync::LazyLock;

use jiff::Span;
use jiff::civil::{Date, DateTime};
use regex::{Captures, Regex};

use crate::pattern::{WEEKDAYS, pattern};

static DAY_NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:(?P<two>(?:the\s+)?day\s+before\s+yesterday)|(?P<one>yesterday|last\s+night)|(?P<none>today|tonight|this\s+(?:morning|afternoon|evening))|(?P<next>tomorrow))\b",
    )
});

/// A pattern for a count of units, as a point ("ago") or as the period up to now ("the last").
static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(r"\b(?P<ago>{COUNT})\s+{UNIT}\s+ago\b", UNIT = r"(?P<unit>day|week|month|year)s?"))
});

static STRETCH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:last|past)\s+(?P<ago>{COUNT})\s+{UNIT}\b",
        UNIT = r"(?P<unit>day|week|month|year)s?"
    ))
});

const COUNT: &str = r"[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a\s+)?few|(?:a\s+)?couple(?:\s+of)?|several";

static CALENDAR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?P<which>last|past|previous|this|next)\s+(?P<unit>weekend|week|month|year|WEEKDAY)\b")
});

/// Returns the day that a relative expression in `question` names. If there are several, the most
/// definite kind counts. A calendar week starts on Monday; "last Friday" is the Friday before
/// today. `None` without such an expression, or if the day is outside of the calendar.
#[must_use]
pub fn relative_day(question: &str, now: DateTime) -> Option<Date> {
    let today = now.date();
    if let Some(found) = DAY_NAMED.captures(question) {
        return named_day(&found, today);
    }
    if let Some(found) = COUNTED.captures(question) {
        return before(today, count(found.name("ago")?.as_str())?, found.name("unit")?.as_str());
    }
    if let Some(found) = STRETCH.captures(question) {
        let start = before(today, count(found.name("ago")?.as_str())?, found.name("unit")?.as_str())?;
        return middle(start, today);
    }
    let found = CALENDAR.captures(question)?;
    let step = match found.name("which")?.as_str().to_ascii_lowercase().as_str() {
        "this" => 0,
        "next" => 1,
        _ => -1,
    };
    calendar_day(today, step, &found.name("unit")?.as_str().to_ascii_lowercase())
}

fn named_day(found: &Captures<'_>, today: Date) -> Option<Date> {
    let days = [("two", -2), ("one", -1), ("none", 0), ("next", 1)];
    let (_, days) = days.into_iter().find(|(name, _)| found.name(name).is_some())?;
    plus_days(today, days)
}

fn count(words: &str) -> Option<i64> {
    if let Ok(number) = words.parse() {
        return Some(number);
    }
    let last = words.to_ascii_lowercase();
    let last = last.trim_start_matches("a ").split_whitespace().next()?.to_owned();
    let named = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    match last.as_str() {
        "a" | "an" | "one" => Some(1),
        "couple" => Some(2),
        "few" => Some(3),
        "several" => Some(5),
        word => (2..).zip(named).find(|(_, name)| *name == word).map(|(number, _)| number),
    }
}

fn before(today: Date, count: i64, unit: &str) -> Option<Date> {
    let span = match unit.to_ascii_lowercase().as_str() {
        "day" => Span::new().try_days(count),
        "week" => Span::new().try_weeks(count),
        "month" => Span::new().try_months(count),
        _ => Span::new().try_years(count),
    };
    today.checked_sub(span.ok()?).ok()
}

/// Returns the middle of the calendar unit that is `step` units from today's, or the weekday.
fn calendar_day(today: Date, step: i64, unit: &str) -> Option<Date> {
    let weekday = i64::from(today.weekday().to_monday_zero_offset());
    let monday = plus_days(today, 7 * step - weekday);
    match unit {
        "week" => plus_days(monday?, 3),
        "weekend" => plus_days(monday?, 5),
        "month" => {
            let first = today.first_of_month().checked_add(Span::new().try_months(step).ok()?).ok()?;
            middle(first, first.last_of_month())
        }
        "year" => {
            let first = today.first_of_year().checked_add(Span::new().try_years(step).ok()?).ok()?;
            middle(first, first.last_of_year())
        }
        name => {
            let wanted = (0..).zip(WEEKDAYS).find(|(_, day)| *day == name)?.0;
            let ahead = match step {
                0 => wanted - weekday,
                1 => (wanted - weekday - 1).rem_euclid(7) + 1,
                _ => (wanted - weekday).rem_euclid(7) - 7,
            };
            plus_days(today, ahead)
        }
    }
}

/// Returns the middle day of a range with both ends included; the earlier day if there are two.
fn middle(first: Date, last: Date) -> Option<Date> {
    plus_days(first, i64::from(last.since(first).ok()?.get_days()) / 2)
}

fn plus_days(day: Date, days: i64) -> Option<Date> {
    day.checked_add(Span::new().try_days(days).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    /// Wednesday, 14 June 2023.
    fn now() -> DateTime {
        date(2023, 6, 14).at(15, 30, 0, 0)
    }

    fn check(question: &str, expect: Date) {
        assert_eq!(relative_day(question, now()), Some(expect), "{question:?}");
    }

    #[test]
    fn days() {
        check("What did I do yesterday?", date(2023, 6, 13));
        check("the day before yesterday", date(2023, 6, 12));
        check("Last night", date(2023, 6, 13));
        check("TODAY", date(2023, 6, 14));
        check("this morning", date(2023, 6, 14));
        check("tomorrow", date(2023, 6, 15));
    }

    #[test]
    fn counted() {
        check("3 days ago", date(2023, 6, 11));
        check("a week ago", date(2023, 6, 7));
        check("two weeks ago", date(2023, 5, 31));
        check("a couple of weeks ago", date(2023, 5, 31));
        check("a few days ago", date(2023, 6, 11));
        check("one month ago", date(2023, 5, 14));
        check("twelve months ago", date(2022, 6, 14));
        check("2 Years Ago", date(2021, 6, 14));
        check("in the last 10 days", date(2023, 6, 9));
        check("over the past two weeks", date(2023, 6, 7));
    }

    #[test]
    fn calendar_units_give_their_middle() {
        check("last week", date(2023, 6, 8));
        check("this week", date(2023, 6, 15));
        check("next week", date(2023, 6, 22));
        check("last weekend", date(2023, 6, 10));
        check("last month", date(2023, 5, 16));
        check("this month", date(2023, 6, 15));
        check("last year", date(2022, 7, 2));
        check("previous year", date(2022, 7, 2));
    }

    #[test]
    fn weekdays() {
        check("last Tuesday", date(2023, 6, 13));
        check("last Wednesday", date(2023, 6, 7));
        check("last thursday", date(2023, 6, 8));
        check("this Friday", date(2023, 6, 16));
        check("next Wednesday", date(2023, 6, 21));
        check("next Monday", date(2023, 6, 19));
    }

    #[test]
    fn nothing_relative() {
        for question in
            ["", "ago", "weeks ago", "lastly", "the week", "How long did it last?", "9999 years ago"]
        {
            let expect = None;
            assert_eq!(relative_day(question, date(-9999, 1, 1).at(0, 0, 0, 0)), expect, "{question:?}");
        }
    }

    #[test]
    fn ends_of_months() {
        let at = |day: Date| relative_day("one month ago", day.at(0, 0, 0, 0));
        assert_eq!(at(date(2023, 3, 31)), Some(date(2023, 2, 28)));
        assert_eq!(relative_day("last month", date(2024, 3, 31).at(0, 0, 0, 0)), Some(date(2024, 2, 15)));
    }

    proptest! {
        #[test]
        fn any_count_at_any_time(
            count in 0u32..10_000, unit in "day|week|month|year", shape in "last|past|x", days in 0i32..3_000_000
        ) {
            let now = (date(1, 1, 1) + Span::new().days(days)).at(0, 0, 0, 0);
            let question = format!("{shape} {count} {unit}s ago");
            if let Some(day) = relative_day(&question, now) {
                prop_assert!(day <= now.date());
            }
        }

        #[test]
        fn any_text(text in any::<String>()) {
            let first = relative_day(&text, now());
            prop_assert_eq!(first, relative_day(&text, now()));
        }
    }
}
