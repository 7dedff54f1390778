//! Conversion of times between milliseconds since 1970 and RFC 3339 texts.

/// Formats a time in milliseconds since 1970 as `2026-01-31T10:00:00Z`, with its full precision.
pub(crate) fn instant_text(at_ms: i64) -> Option<String> {
    jiff::Timestamp::from_millisecond(at_ms).ok().map(|time| time.to_string())
}

/// Formats the day of a time in milliseconds since 1970 as `2026-01-31`, in UTC.
pub(crate) fn day_text(at_ms: i64) -> Option<String> {
    instant_text(at_ms).and_then(|text| text.split_once('T').map(|(day, _)| day.to_owned()))
}

/// Parses an RFC 3339 text to milliseconds since 1970.
pub(crate) fn instant_ms(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for (at_ms, text, day) in [
            (0, "1970-01-01T00:00:00Z", "1970-01-01"),
            (1_795_291_920_450, "2026-11-21T20:12:00.45Z", "2026-11-21"),
        ] {
            assert_eq!(instant_text(at_ms).as_deref(), Some(text));
            assert_eq!(day_text(at_ms).as_deref(), Some(day));
            assert_eq!(instant_ms(text), Some(at_ms));
        }
        assert_eq!(instant_ms("yesterday"), None);
        assert_eq!(day_text(i64::MAX), None);
    }
}
