//! Parses the times of transcripts to epoch milliseconds. It does NOT guess: an unknown form is
//! `None`, and the caller reports the error.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Number, Value};

/// Parses RFC 3339 with an offset, or a date alone, which is its midnight in UTC.
pub(super) fn from_text(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_millisecond());
    }
    if text.len() != 10 {
        return None;
    }
    let date = text.parse::<Date>().ok()?;
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

/// Parses epoch seconds as AgentCore and ChatGPT write them, truncated (not rounded) to
/// milliseconds.
pub(super) fn from_seconds(number: &Number) -> Option<i64> {
    let text = number.to_string();
    if text.contains(['e', 'E']) {
        let ms = number.as_f64()? * 1000.0;
        return in_range(ms.trunc() as i128);
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text.as_str(), ""));
    let negative = whole.starts_with('-');
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    let fraction_ms: i128 = digits.parse().ok()?;
    let whole_ms = whole.parse::<i128>().ok()?.checked_mul(1000)?;
    in_range(if negative { whole_ms.checked_sub(fraction_ms)? } else { whole_ms.checked_add(fraction_ms)? })
}

/// Parses a member that may have either form.
pub(super) fn from_value(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => from_seconds(number),
        Value::String(text) => from_text(text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns the time if it lies between epoch 0 and the end of year 9999, the range of
/// `eventTimestamp`.
fn in_range(ms: i128) -> Option<i64> {
    const END_MS: i64 = 253_402_300_799_999;
    i64::try_from(ms).ok().filter(|ms| (0..=END_MS).contains(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_to_the_millisecond() {
        for (input, expect) in [
            (r#""2026-01-02T10:00:00Z""#, Some(1_767_348_000_000)),
            (r#""2026-01-02T11:00:00.250+01:00""#, Some(1_767_348_000_250)),
            (r#""2026-01-02""#, Some(1_767_312_000_000)),
            (r#""2026-01-02T10:00:00""#, None),
            (r#""2026-13-02""#, None),
            (r#""yesterday""#, None),
            ("1767323045.678901", Some(1_767_323_045_678)),
            ("1767323045.7", Some(1_767_323_045_700)),
            ("1767323045", Some(1_767_323_045_000)),
            ("1.767323045e9", Some(1_767_323_045_000)),
            ("-1", None),
            ("1e30", None),
            ("99999999999999999999999999", None),
            ("null", None),
            ("true", None),
        ] {
            let value: Value = serde_json::from_str(input).unwrap();
            assert_eq!(from_value(&value), expect, "{input}");
        }
    }
}
