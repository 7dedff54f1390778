//! Points in time: milliseconds since the epoch, UTC, as on the AgentCore wire. This module has no
//! clock: time is an argument.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Milliseconds in a day.
pub const DAY_MS: i64 = 86_400_000;

/// A point in time: milliseconds since 1970-01-01T00:00:00Z, never before it, never after the year
/// 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64")]
pub struct Timestamp(i64);

impl TryFrom<i64> for Timestamp {
    type Error = Error;

    fn try_from(millis: i64) -> Result<Self> {
        Self::from_millis(millis)
    }
}

impl Timestamp {
    /// The epoch: 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);
    /// The last millisecond of the year 9999.
    pub const LATEST: Self = Self(253_402_300_799_999);

    /// Returns the time at these milliseconds since the epoch; an error outside the years 1970 to
    /// 9999.
    pub fn from_millis(millis: i64) -> Result<Self> {
        if (0..=Self::LATEST.0).contains(&millis) {
            Ok(Self(millis))
        } else {
            Err(Error::invalid(
                "timestamp",
                "timestamp must lie between the epoch and the end of the year 9999",
            ))
        }
    }

    /// Returns the time at these milliseconds, clamped to the years 1970 to 9999: for clocks and
    /// stored values.
    pub const fn clamped(millis: i64) -> Self {
        if millis < 0 {
            Self(0)
        } else if millis > Self::LATEST.0 {
            Self::LATEST
        } else {
            Self(millis)
        }
    }

    /// Returns the milliseconds since the epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Returns this time plus `millis` (may be negative), clamped to the legal range.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self::clamped(self.0.saturating_add(millis))
    }

    /// Returns this time plus whole days of 24 hours.
    #[must_use]
    pub const fn plus_days(self, days: u32) -> Self {
        self.plus_millis((days as i64).saturating_mul(DAY_MS))
    }

    /// Returns the time this many days earlier, clamped to the legal range.
    #[must_use]
    pub const fn minus_days(self, days: u32) -> Self {
        self.plus_millis((days as i64).saturating_mul(-DAY_MS))
    }

    /// Parses RFC 3339 or ISO 8601 text. Text without an offset counts as UTC; a date alone is its
    /// midnight.
    pub fn parse(text: &str) -> Result<Self> {
        let bad = || Error::invalid("timestamp", "timestamp must be RFC 3339, like 2026-11-21T08:30:00Z");
        if let Ok(instant) = text.parse::<jiff::Timestamp>() {
            return Self::from_millis(instant.as_millisecond());
        }
        let civil = text
            .parse::<jiff::civil::DateTime>()
            .or_else(|_| text.parse::<jiff::civil::Date>().map(|date| date.at(0, 0, 0, 0)))
            .map_err(|_| bad())?;
        let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| bad())?;
        Self::from_millis(zoned.timestamp().as_millisecond())
    }

    /// Parses an optional member of a request; the error is on the member.
    pub fn read(field: &'static str, text: Option<&str>) -> Result<Option<Self>> {
        text.map(Self::parse).transpose().map_err(|error| error.on(field))
    }

    /// Returns RFC 3339 text in UTC, with a fraction of a second if there is one:
    /// `2026-11-21T08:30:00.5Z`.
    pub fn to_rfc3339(self) -> String {
        self.instant().to_string()
    }

    /// Returns the UTC date and time of day.
    pub fn civil(self) -> jiff::civil::DateTime {
        self.instant().to_zoned(jiff::tz::TimeZone::UTC).datetime()
    }

    /// Returns the UTC date.
    pub fn date(self) -> jiff::civil::Date {
        self.civil().date()
    }

    fn instant(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_what_people_write() {
        let check =
            |text: &str, expect: i64| assert_eq!(Timestamp::parse(text).unwrap().millis(), expect, "{text}");
        check("1970-01-01T00:00:01.5Z", 1500);
        check("1970-01-01T01:00:00+01:00", 0);
        check("1970-01-02", DAY_MS);
        check("1970-01-01T00:00:02", 2000);
        assert!(Timestamp::parse("soon").is_err());
        assert!(Timestamp::from_millis(-1).is_err());
        assert!(Timestamp::from_millis(Timestamp::LATEST.millis() + 1).is_err());
    }

    #[test]
    fn prints_what_it_parses() {
        let time = Timestamp::clamped(1_795_291_920_450);
        assert_eq!(Timestamp::parse(&time.to_rfc3339()).unwrap(), time);
        assert_eq!(time.plus_days(1).millis() - time.millis(), DAY_MS);
    }
}
