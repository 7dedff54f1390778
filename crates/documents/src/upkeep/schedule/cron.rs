//! Cron expressions: minute, hour, day of the month, month, day of the week, in UTC. Numbers,
//! lists, ranges, steps and `*`. If both days are restricted, either one suffices, as in cron.
//! Pure.

use loci_model::{Error, Result, Timestamp};

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;
/// The days that are searched for the next time: four years, because of the 29th of February.
const HORIZON_DAYS: i64 = 4 * 366;

/// A cron expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::upkeep) struct Cron {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// True if both kinds of days are restricted.
    either_day: bool,
}

impl Cron {
    /// Parses an expression of five fields.
    ///
    /// # Errors
    /// `Invalid` on `consolidation.cron`.
    pub(in crate::upkeep) fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            let rule = "cron must be five fields like `0 3 * * *`: minute, hour, day, month, day of the week, in UTC";
            Error::invalid("consolidation.cron", rule)
        };
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields.as_slice() else { return Err(wrong()) };
        let set = |field: &str, from: u32, to: u32| set_of(field, from, to).ok_or_else(wrong);
        let mut weekdays = set(weekday, 0, 7)?;
        // Both 0 and 7 are Sunday.
        if weekdays & (1 << 7) != 0 {
            weekdays = (weekdays | 1) & !(1 << 7);
        }
        Ok(Self {
            minutes: set(minute, 0, 59)?,
            hours: set(hour, 0, 23)?,
            days: set(day, 1, 31)?,
            months: set(month, 1, 12)?,
            weekdays,
            either_day: !day.starts_with('*') && !weekday.starts_with('*'),
        })
    }

    /// Returns the last scheduled time after `after` and up to `now`; `None` if there is none.
    #[must_use]
    pub(super) fn last_within(&self, after: Timestamp, now: Timestamp) -> Option<Timestamp> {
        let mut day = now.millis().div_euclid(DAY_MS);
        let first = after.millis().div_euclid(DAY_MS).max(day - HORIZON_DAYS);
        while day >= first {
            if self.is_day(day) {
                for minute in (0..24 * 60).rev() {
                    let at = day * DAY_MS + minute * MINUTE_MS;
                    let is_named = has(self.hours, minute / 60) && has(self.minutes, minute % 60);
                    if is_named && at <= now.millis() && at > after.millis() {
                        return Some(Timestamp::clamped(at));
                    }
                }
            }
            day -= 1;
        }
        None
    }

    fn is_day(&self, day: i64) -> bool {
        let (month, of_month) = month_and_day(day);
        // The first day of the epoch was a Thursday.
        let of_week = (day + 4).rem_euclid(7);
        let (by_month, by_week) = (has(self.days, of_month), has(self.weekdays, of_week));
        let is_day = if self.either_day { by_month || by_week } else { by_month && by_week };
        has(self.months, month) && is_day
    }
}

fn has(set: u64, value: i64) -> bool {
    u32::try_from(value).is_ok_and(|value| value < 64 && set & (1 << value) != 0)
}

fn set_of(field: &str, from: u32, to: u32) -> Option<u64> {
    let mut set = 0_u64;
    for part in field.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, step.parse::<u32>().ok().filter(|step| *step > 0)?),
            None => (part, 1),
        };
        let (low, high) = match range.split_once('-') {
            Some((low, high)) => (low.parse().ok()?, high.parse().ok()?),
            None if range == "*" => (from, to),
            None => {
                let one: u32 = range.parse().ok()?;
                (one, if part.contains('/') { to } else { one })
            }
        };
        if low < from || high > to || low > high {
            return None;
        }
        let mut value = low;
        while value <= high {
            set |= 1 << value;
            value += step;
        }
    }
    Some(set)
}

/// Returns month and day of the month of a day of the epoch, in the Gregorian calendar.
fn month_and_day(day: i64) -> (i64, i64) {
    // Years begin in March, so that the leap day is the last one.
    let shifted = day + 719_468;
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    (if month < 10 { month + 3 } else { month - 9 }, of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let check = |cron: &str, after: &str, now: &str, expect: Option<&str>| {
            let found = Cron::parse(cron).unwrap().last_within(at(after), at(now));
            assert_eq!(found, expect.map(at), "{cron}");
        };
        let (monday, noon) = ("2026-11-23T00:00:00Z", "2026-11-25T12:00:00Z");
        check("0 3 * * *", monday, noon, Some("2026-11-25T03:00:00Z"));
        check("0 3 * * *", "2026-11-25T03:00:00Z", noon, None);
        check("*/20 10-11 * * *", monday, noon, Some("2026-11-25T11:40:00Z"));
        check("0 3 * * 0", "2026-11-01T00:00:00Z", noon, Some("2026-11-22T03:00:00Z"));
        check("0 3 * * 7", "2026-11-01T00:00:00Z", noon, Some("2026-11-22T03:00:00Z"));
        check("30 4 24 * 5", monday, noon, Some("2026-11-24T04:30:00Z"));
        check("0 0 29 2 *", "2024-01-01T00:00:00Z", "2026-01-01T00:00:00Z", Some("2024-02-29T00:00:00Z"));
        check("0 0 30 2 *", "2024-01-01T00:00:00Z", "2026-01-01T00:00:00Z", None);
    }

    #[test]
    fn what_is_no_expression() {
        for text in [
            "",
            "0 3 * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "5-1 * * * *",
            "*/0 * * * *",
            "a * * * *",
        ] {
            assert!(Cron::parse(text).is_err(), "{text}");
        }
    }
}
