//! The effect of preferences at a point in time: quiet hours, the severity filter, and the user's
//! time zone. Pure. Quiet hours are in local time: they may span midnight and clock changes.

use std::collections::BTreeMap;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use loci_model::Timestamp;
use serde_json::Value;

use super::current_set::SrePreferences;
use crate::times::users_zone::UsersZone;

const QUIET_HOURS: &str = "quiet_hours";
const SEVERITY: &str = "severity_filter";

/// The preferences in effect at a point in time.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct SreEffective {
    /// True during quiet hours.
    pub(super) quiet_now: bool,
    /// The severity filter.
    pub(super) severity_filter: Option<Value>,
    /// The IANA name of the time zone.
    pub(super) timezone: String,
    /// Settings that are present but cannot be parsed.
    pub(super) warnings: Vec<String>,
}

/// Evaluates preferences at a point in time. `default_zone` applies if they state no time zone.
pub(super) fn effective(
    wanted: &BTreeMap<String, SrePreferences>,
    default_zone: &str,
    now: Timestamp,
) -> SreEffective {
    let zone = UsersZone::of(wanted, default_zone);
    let mut effective = SreEffective {
        severity_filter: found(wanted, SEVERITY).cloned(),
        timezone: zone.name,
        warnings: zone.warning.map(str::to_owned).into_iter().collect(),
        ..SreEffective::default()
    };
    if let Some(value) = found(wanted, QUIET_HOURS) {
        match hours(value) {
            Some(hours) => effective.quiet_now = is_within(hours, of_day(now, zone.zone)),
            None => effective.warnings.push(
                "quiet_hours are not {\"start\": \"22:00\", \"end\": \"07:00\"}: nothing is quiet".to_owned(),
            ),
        }
    }
    effective
}

/// Returns the active value of a key, from the first type that has it.
fn found<'a>(wanted: &'a BTreeMap<String, SrePreferences>, key: &str) -> Option<&'a Value> {
    wanted.values().find_map(|one| one.value.get(key))
}

fn hours(value: &Value) -> Option<(Time, Time)> {
    let time = |name: &str| {
        let (hour, minute) = value.get(name)?.as_str()?.trim().split_once(':')?;
        Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
    };
    Some((time("start")?, time("end")?))
}

/// True from the start until before the end. If both are equal, the whole day counts.
fn is_within((start, end): (Time, Time), time: Time) -> bool {
    if start < end { (start..end).contains(&time) } else { time >= start || time < end }
}

fn of_day(now: Timestamp, zone: TimeZone) -> Time {
    let instant = jiff::Timestamp::from_millisecond(now.millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    instant.to_zoned(zone).time()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted(value: Value) -> BTreeMap<String, SrePreferences> {
        let value = value.as_object().unwrap().clone();
        BTreeMap::from([("notification".to_owned(), SrePreferences { value, entries: Vec::new() })])
    }

    #[test]
    fn quiet_hours_go_over_midnight_and_changes_of_the_clock() {
        let check = |start: &str, end: &str, zone: &str, now: &str, expect: bool| {
            let wanted = wanted(json!({"quiet_hours": {"start": start, "end": end}, "timezone": zone}));
            let found = effective(&wanted, "UTC", Timestamp::parse(now).unwrap());
            assert_eq!(
                (found.quiet_now, found.timezone.as_str()),
                (expect, zone),
                "{start}-{end} {zone} {now}"
            );
            assert!(found.warnings.is_empty());
        };
        check("22:00", "07:00", "UTC", "2026-11-20T21:59:59Z", false);
        check("22:00", "07:00", "UTC", "2026-11-20T22:00:00Z", true);
        check("22:00", "07:00", "UTC", "2026-11-21T00:00:00Z", true);
        check("22:00", "07:00", "UTC", "2026-11-21T06:59:59Z", true);
        check("22:00", "07:00", "UTC", "2026-11-21T07:00:00Z", false);
        check("12:00", "13:00", "UTC", "2026-11-21T12:30:00Z", true);
        check("12:00", "13:00", "UTC", "2026-11-21T13:00:00Z", false);
        check("00:00", "00:00", "UTC", "2026-11-21T13:00:00Z", true);
        check("22:00", "07:00", "Asia/Tokyo", "2026-11-20T13:00:00Z", true);
        check("22:00", "07:00", "Asia/Tokyo", "2026-11-20T22:30:00Z", false);
        // 07:00 in Berlin, on the days of the clock changes and on the days before.
        check("22:00", "07:00", "Europe/Berlin", "2026-03-28T05:30:00Z", true);
        check("22:00", "07:00", "Europe/Berlin", "2026-03-29T04:59:00Z", true);
        check("22:00", "07:00", "Europe/Berlin", "2026-03-29T05:00:00Z", false);
        check("22:00", "07:00", "Europe/Berlin", "2026-10-24T05:00:00Z", false);
        check("22:00", "07:00", "Europe/Berlin", "2026-10-25T05:30:00Z", true);
        check("22:00", "07:00", "Europe/Berlin", "2026-10-25T06:00:00Z", false);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let now = Timestamp::parse("2026-11-20T23:00:00Z").unwrap();
        let check = |value: Value, quiet: bool, zone: &str, warnings: usize| {
            let found = effective(&wanted(value.clone()), "Europe/Berlin", now);
            assert_eq!(
                (found.quiet_now, found.timezone.as_str(), found.warnings.len()),
                (quiet, zone, warnings),
                "{value}"
            );
        };
        check(json!({}), false, "Europe/Berlin", 0);
        check(json!({"timezone": "Atlantis"}), false, "Europe/Berlin", 1);
        check(
            json!({"timezone": 1, "quiet_hours": {"start": "22:00", "end": "07:00"}}),
            true,
            "Europe/Berlin",
            1,
        );
        check(json!({"quiet_hours": "at night"}), false, "Europe/Berlin", 1);
        check(json!({"quiet_hours": {"start": "25:00", "end": "07:00"}}), false, "Europe/Berlin", 1);
        let found = effective(&wanted(json!({"severity_filter": ["P1"]})), "UTC", now);
        assert_eq!(found.severity_filter, Some(json!(["P1"])));
    }
}
