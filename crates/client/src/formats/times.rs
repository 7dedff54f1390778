//! Converts times of other programs to RFC 3339 in milliseconds. A time without an offset counts as
//! UTC, and the mapping reports it.

use super::item::Mapping;

/// Returns an end in epoch milliseconds: of a time, or of a day; in UTC without an offset.
pub(super) fn end_ms(text: &str) -> Option<i64> {
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(time.as_millisecond());
    }
    let utc = |civil: jiff::civil::DateTime| {
        Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
    };
    if text.len() == "2026-01-02".len() {
        let day = text.parse::<jiff::civil::Date>().ok()?;
        return utc(day.tomorrow().ok()?.at(0, 0, 0, 0));
    }
    utc(text.parse::<jiff::civil::DateTime>().ok()?)
}

/// Returns the time of an item, and reports a difference from the source.
pub(super) fn time(text: &str, mapping: &mut Mapping) -> Option<String> {
    let parsed = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let civil = text.parse::<jiff::civil::DateTime>().ok()?;
        let utc = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
        mapping.loses("times without an offset are taken for UTC");
        Some(utc)
    });
    let millis = parsed.and_then(|time| jiff::Timestamp::from_millisecond(time.as_millisecond()).ok());
    if millis.is_none() {
        mapping.loses(
            "times that cannot be read are those of the import; the source's word is kept in the metadata",
        );
    }
    millis.map(|time| time.to_string())
}
