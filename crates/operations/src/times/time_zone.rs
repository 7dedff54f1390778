//! Time zones: parses zone names, and converts between local times and points in time. The zone
//! rules are compiled in, so that results do not depend on the machine. Pure.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use loci_model::{Error, Result, Timestamp};

/// Returns the zone with an IANA name such as `Europe/Berlin`.
///
/// # Errors
/// `Invalid` on `field`.
pub(crate) fn zone(name: &str, field: &str) -> Result<TimeZone> {
    let rule = || {
        Error::invalid(
            field,
            format!("{field} must be the IANA name of a time zone, like Europe/Berlin or UTC"),
        )
    };
    TimeZone::get(name.trim()).map_err(|_| rule())
}

/// Parses a point in time: RFC 3339, a local time without an offset, or a date, which is its first
/// instant in the zone.
///
/// # Errors
/// `Invalid` on `field`.
pub(super) fn written(text: &str, zone: &TimeZone, field: &str) -> Result<Timestamp> {
    let rule = || {
        let rule = format!(
            "{field} must be a time in RFC 3339, like 2026-11-21T08:30:00Z, or a date, like 2026-11-21"
        );
        Error::invalid(field, rule)
    };
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Timestamp::from_millis(instant.as_millisecond()).map_err(|_| rule());
    }
    // A date has ten characters: the date parser also accepts a time without an offset.
    if let Some(date) = text.parse::<Date>().ok().filter(|_| text.len() <= "2026-11-21".len()) {
        return begin(date, zone).ok_or_else(rule);
    }
    let civil = text.parse::<DateTime>().map_err(|_| rule())?;
    at(civil, zone).ok_or_else(rule)
}

/// True for a text whose meaning depends on the zone: anything except a time with an offset.
pub(super) fn is_local(text: &str) -> bool {
    text.parse::<jiff::Timestamp>().is_err()
}

/// Returns the first instant of a day.
pub(super) fn begin(date: Date, zone: &TimeZone) -> Option<Timestamp> {
    at(date.at(0, 0, 0, 0), zone)
}

/// Returns the instant of a local time. One skipped by a clock change counts as directly after it,
/// and a repeated one as the first.
pub(crate) fn at(civil: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    let zoned = civil.to_zoned(zone.clone()).ok()?;
    Some(Timestamp::clamped(zoned.timestamp().as_millisecond()))
}

/// Returns the local date and time of day.
pub(crate) fn civil(time: Timestamp, zone: &TimeZone) -> DateTime {
    let instant = jiff::Timestamp::from_millisecond(time.millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    instant.to_zoned(zone.clone()).datetime()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_wrote() {
        let check = |text: &str, name: &str, expect: &str| {
            let zone = zone(name, "tz").unwrap();
            assert_eq!(written(text, &zone, "since").unwrap().to_rfc3339(), expect, "{text} in {name}");
        };
        check("2026-11-21T08:30:00Z", "Asia/Tokyo", "2026-11-21T08:30:00Z");
        check("2026-11-21T08:30:00+02:00", "UTC", "2026-11-21T06:30:00Z");
        check("2026-11-21", "UTC", "2026-11-21T00:00:00Z");
        check("2026-11-21", "Asia/Tokyo", "2026-11-20T15:00:00Z");
        check("2026-11-21", "America/Los_Angeles", "2026-11-21T08:00:00Z");
        check("2026-11-21T08:30:00", "Europe/Berlin", "2026-11-21T07:30:00Z");
        // A skipped hour and a repeated hour.
        check("2026-03-29T02:30:00", "Europe/Berlin", "2026-03-29T01:30:00Z");
        check("2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T00:30:00Z");
    }

    #[test]
    fn what_is_of_a_zone() {
        let check = |text: &str, expect: bool| assert_eq!(is_local(text), expect, "{text}");
        check("2026-11-21", true);
        check("2026-11-21T08:30:00", true);
        check("2026-11-21T08:30:00Z", false);
        check("2026-11-21T08:30:00+02:00", false);
    }

    #[test]
    fn what_is_neither() {
        let utc = zone("UTC", "tz").unwrap();
        for text in ["", "soon", "2026-13-01", "08:30"] {
            assert_eq!(written(text, &utc, "until").unwrap_err().field.as_deref(), Some("until"), "{text}");
        }
        for name in ["", "Berlin", "Europe/Nowhere", "../etc/passwd"] {
            assert_eq!(zone(name, "tz").unwrap_err().field.as_deref(), Some("tz"), "{name}");
        }
    }
}
