//! Phrases of time in a question: "yesterday", "in the last 3 hours", "on Monday", "since
//! 2026-11-20". Parsed without a model, relative to a given time and time zone. Pure. The first
//! phrase of the most specific kind counts. The rest of the question is the search query.

use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;
use loci_model::Timestamp;
use regex::{Captures, Regex};

use super::time_zone::{at, begin, civil};

/// A phrase and its time range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    /// The words of the phrase, as written.
    pub(super) words: String,
    /// The inclusive start.
    pub(super) from: Option<Timestamp>,
    /// The exclusive end.
    pub(super) to: Option<Timestamp>,
    /// The question without the phrase.
    pub(super) rest: String,
}

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// The tolerance of a time given in minutes, on each side, in milliseconds.
const AROUND_MINUTES_MS: i64 = 5 * MINUTE_MS;
/// The local hours at which a night begins and ends.
const NIGHT_FROM: i8 = 18;
const NIGHT_TO: i8 = 6;

/// The name of a day, also used after "since" and "between".
const DAY: &str = r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|(?:the\s+)?day\s+before\s+yesterday|yesterday|today|(?:(?:on|last|this)\s+)?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))";
const COUNT: &str =
    r"[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|couple(?:\s+of)?|several";
const UNIT: &str = r"(?:min|minute|hour|day|week|month)s?";
/// Words that lead to a phrase and are removed with it.
const LEAD: &str = r"(?:\b(?:in|during|within|over|for|from|on|of|at)\s+)?(?:the\s+)?";

type Meaning = fn(&Captures<'_>, &ZonedNow<'_>) -> Option<TimeBounds>;
type TimeBounds = (Option<Timestamp>, Option<Timestamp>);

/// The kinds of phrases, most specific first.
static KINDS: LazyLock<Vec<(Regex, Meaning)>> = LazyLock::new(|| {
    let kinds: [(String, Meaning); 8] = [
        (format!(r"\b(?:between|from)\s+(?P<a>{DAY})\s+(?:and|to|until|till)\s+(?P<b>{DAY})\b"), between),
        (format!(r"\b(?:ever\s+)?since\s+(?P<a>{DAY}|(?:last|this)\s+(?:week|month))\b"), since),
        (format!(r"{LEAD}\b(?:last|past)\s+(?:(?P<n>{COUNT})\s+)?(?P<unit>{UNIT})\b"), stretch),
        (format!(r"{LEAD}\b(?P<n>{COUNT})\s+(?P<unit>{UNIT})\s+ago\b"), ago),
        (format!(r"{LEAD}\b(?P<day>last\s+night|tonight|this\s+(?:morning|afternoon|evening))\b"), part_of_day),
        (format!(r"{LEAD}\b(?P<which>this|last)\s+(?P<unit>week|month)\b"), calendar),
        (r"(?:\bon\s+)?\b(?P<a>[0-9]{4}-[0-9]{2}-[0-9]{2}|(?:the\s+)?day\s+before\s+yesterday|yesterday|today)\b".to_owned(), one_day),
        (r"\b(?P<a>(?:on|last|this\s+past)\s+(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b".to_owned(), one_day),
    ];
    kinds.into_iter().map(|(pattern, meaning)| (compiled(&pattern), meaning)).collect()
});

#[expect(clippy::expect_used, reason = "the patterns are constants, which the tests of this file compile")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("a pattern of this file")
}

/// The current time and the time zone.
struct ZonedNow<'a> {
    time: Timestamp,
    local: DateTime,
    zone: &'a TimeZone,
}

/// True if a question may contain a phrase of time.
pub(crate) fn names_time(question: &str) -> bool {
    KINDS.iter().any(|(pattern, _)| pattern.is_match(question))
}

/// Returns the phrase of time in a question.
pub(super) fn find(question: &str, now: Timestamp, zone: &TimeZone) -> Option<Phrase> {
    let now = ZonedNow { time: now, local: civil(now, zone), zone };
    KINDS.iter().find_map(|(pattern, meaning)| {
        let found = pattern.captures(question)?;
        let (from, to) = meaning(&found, &now)?;
        let whole = found.get(0)?;
        let (before, after) = (question.get(..whole.start())?, question.get(whole.end()..)?);
        let words = whole.as_str().trim().to_owned();
        Some(Phrase { words, from, to, rest: joined(before, after) })
    })
}

/// Returns the rest of a question without the gap.
fn joined(before: &str, after: &str) -> String {
    let text = format!("{before} {after}");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut rest = words.join(" ");
    for sign in ['?', '!', '.', ','] {
        rest = rest.replace(&format!(" {sign}"), &sign.to_string());
    }
    let is_said = rest.chars().any(char::is_alphanumeric);
    if is_said { rest.trim_start_matches([',', ' ']).to_owned() } else { String::new() }
}

fn between(found: &Captures<'_>, now: &ZonedNow<'_>) -> Option<TimeBounds> {
    let (a, b) = (day(found.name("a")?.as_str(), now)?, day(found.name("b")?.as_str(), now)?);
    // "From Friday to Monday": both are the last such days, in either order.
    span(a.min(b), a.max(b).tomorrow().ok()?, now)
}

fn since(found: &Captures<'_>, now: &ZonedNow<'_>) -> Option<TimeBounds> {
    let words = words(found.name("a")?.as_str());
    let from = match words.as_str() {
        "last week" => week(now, -1)?,
        "this week" => week(now, 0)?,
        "last month" => month(now, -1)?,
        "this month" => month(now, 0)?,
        other => day(other, now)?,
    };
    Some((begin(from, now.zone), None))
}

/// Parses "the last 3 hours", a range that ends now. "Last week" and "last month" without a number
/// are calendar units.
fn stretch(found: &Captures<'_>, now: &ZonedNow<'_>) -> Option<TimeBounds> {
    let unit = unit(found.name("unit")?.as_str());
    let n = match found.name("n") {
        Some(words) => count(words.as_str())?,
        None => match unit {
            "week" => return span(week(now, -1)?, week(now, 0)?, now),
            "month" => return span(month(now, -1)?, month(now, 0)?, now),
            _ => 1,
        },
    };
    let from = match unit {
        "min" | "minute" => now.time.plus_millis(-n * MINUTE_MS),
        "hour" => now.time.plus_millis(-n * HOUR_MS),
        // A local day, which has 23 or 25 hours at a clock change.
        "day" => at(now.local.checked_sub(n.days()).ok()?, now.zone)?,
        "week" => at(now.local.checked_sub(n.weeks()).ok()?, now.zone)?,
        _ => at(now.local.checked_sub(n.months()).ok()?, now.zone)?,
    };
    // Includes the current instant.
    Some((Some(from), Some(now.time.plus_millis(1))))
}

fn ago(found: &Captures<'_>, now: &ZonedNow<'_>) -> Option<TimeBounds> {
    let n = count(found.name("n")?.as_str())?;
    let around = |ago_ms: i64, either_ms: i64| {
        let then = now.time.plus_millis(-ago_ms);
        Some((Some(then.plus_millis(-either_ms)), Some(then.plus_millis(either_ms))))
    };
    match unit(found.name("unit")?.as_str()) {
        "min" | "minute" => around(n * MINUTE_MS, AROUND_MINUTES_MS),
        "hour" => around(n * HOUR_MS, HOUR_MS / 2),
        "day" => {
            let day = now.local.date().checked_sub(n.days()).ok()?;
            span(day, day.tomorrow().ok()?, now)
        }
        "week" => span(week(now, -n)?, week(now, 1 - n)?, now),
        _ => span(month(now, -n)?, month(now, 1 - n)?, now),
    }
}

fn part_of_day(found: &Captures<'_>, now: &ZonedNow<'_>) -> Option<TimeBounds> {
    let today = now.local.date();
    let hour = |day: Date, hour: i8| at(day.at(hour, 0, 0, 0), now.zone);
    let tomorrow = today.tomorrow().ok()?;
    let (from, to) = match words(found.name("day")?.as_str()).as_str() {
        "last night" => (hour(today.yesterday().ok()?, NIGHT_FROM), hour(today, NIGHT_TO)),
        "tonight" => (hour(today, NIGHT_FROM), hour(tomorrow, NIGHT_TO)),
        "this morning" => (hour(today, 0), hour(today, 12)),
        "this afternoon" => (hour(today, 12), hour(today, NIGHT_FROM)),
        _ => (hour(today, NIGHT_FROM), begin(tomorrow, now.zone)),
    };
    Some((from, to))
}

fn calendar(found: &Captures<'_>, now: &ZonedNow<'_>) -> Option<TimeBounds> {
    let step = if found.name("which")?.as_str().eq_ignore_ascii_case("this") { 0 } else { -1 };
    match unit(found.name("unit")?.as_str()) {
        "week" => span(week(now, step)?, week(now, step + 1)?, now),
        _ => span(month(now, step)?, month(now, step + 1)?, now),
    }
}

fn one_day(found: &Captures<'_>, now: &ZonedNow<'_>) -> Option<TimeBounds> {
    let day = day(found.name("a")?.as_str(), now)?;
    span(day, day.tomorrow().ok()?, now)
}

/// Returns whole local days as a range.
fn span(from: Date, to: Date, now: &ZonedNow<'_>) -> Option<TimeBounds> {
    Some((Some(begin(from, now.zone)?), Some(begin(to, now.zone)?)))
}

/// Returns the named day. "On Monday" is today if today is a Monday; "last Monday" never is.
fn day(text: &str, now: &ZonedNow<'_>) -> Option<Date> {
    let words = words(text);
    let today = now.local.date();
    match words.trim_start_matches("the ") {
        "today" => return Some(today),
        "yesterday" => return today.yesterday().ok(),
        "day before yesterday" => return today.checked_sub(2.days()).ok(),
        _ => {}
    }
    let name = words.split(' ').next_back()?;
    let Some(weekday) = weekday(name) else { return words.parse().ok() };
    let back = i64::from(today.weekday().since(weekday));
    let back = if back == 0 && words.starts_with("last ") { 7 } else { back };
    today.checked_sub(back.days()).ok()
}

fn weekday(name: &str) -> Option<Weekday> {
    let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let place = names.iter().position(|one| *one == name)?;
    Weekday::from_monday_zero_offset(i8::try_from(place).ok()?).ok()
}

/// Returns the Monday of this week, or of one before or after.
fn week(now: &ZonedNow<'_>, step: i64) -> Option<Date> {
    let today = now.local.date();
    let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
    monday.checked_add(step.weeks()).ok()
}

/// Returns the first day of this month, or of one before or after.
fn month(now: &ZonedNow<'_>, step: i64) -> Option<Date> {
    now.local.date().first_of_month().checked_add(step.months()).ok()
}

/// Returns the text in lower case with single spaces.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn unit(text: &str) -> &'static str {
    let text = text.to_lowercase();
    let units = ["minute", "min", "hour", "day", "week", "month"];
    units.into_iter().find(|unit| text.starts_with(unit)).unwrap_or("month")
}

fn count(text: &str) -> Option<i64> {
    let text = words(text);
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let named = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    match text.split(' ').next()? {
        "a" | "an" => Some(1),
        "couple" => Some(2),
        "few" => Some(3),
        "several" => Some(5),
        "twelve" => Some(12),
        word => (1..).zip(named).find(|(_, name)| *name == word).map(|(number, _)| number),
    }
}

#[cfg(test)]
#[path = "time_phrases_tests.rs"]
mod tests;
