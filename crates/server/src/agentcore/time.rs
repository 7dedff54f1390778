//! Points in time in the form of the API: epoch seconds as a number with up to three decimals. ISO
//! 8601 text is accepted too. The digits are parsed directly, not as floating point, so that no
//! millisecond is lost.

use loci_model::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// The reason why a value is not a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeError {
    /// The value is neither a number nor ISO 8601 text.
    Type,
    /// The time is before 1970 or after the year 9999.
    Range,
}

/// Reads a JSON number or string, truncated to milliseconds.
pub(crate) fn read(raw: &RawValue) -> Result<Timestamp, TimeError> {
    if raw.get().starts_with('"') {
        let text: String = serde_json::from_str(raw.get()).map_err(|_| TimeError::Type)?;
        if text.trim().parse::<f64>().is_ok() {
            return millis(text.trim());
        }
        return match Timestamp::parse(text.trim()) {
            Ok(time) => Ok(time),
            Err(_) if text.trim().parse::<jiff::Timestamp>().is_ok() => Err(TimeError::Range),
            Err(_) => Err(TimeError::Type),
        };
    }
    if !raw.get().starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return Err(TimeError::Type);
    }
    millis(raw.get())
}

/// Converts a decimal number of seconds to milliseconds: it shifts the digits by three places and
/// by the exponent, and truncates.
fn millis(text: &str) -> Result<Timestamp, TimeError> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| TimeError::Range)?),
        None => (text, 0),
    };
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let point = i64::try_from(whole.len()).map_err(|_| TimeError::Range)? + i64::from(exponent) + 3;
    let mut value: i64 = 0;
    let digits = whole.bytes().chain(fraction.bytes());
    let mut place: i64 = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return Err(TimeError::Type);
        }
        if place >= point {
            break;
        }
        value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
        place += 1;
    }
    while place < point && value != 0 && value <= Timestamp::LATEST.millis() {
        value = value.saturating_mul(10);
        place += 1;
    }
    if negative && value != 0 {
        return Err(TimeError::Range);
    }
    Timestamp::from_millis(value).map_err(|_| TimeError::Range)
}

/// A time as the AgentCore API writes it: epoch seconds as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WireTime(pub(crate) Timestamp);

impl Serialize for WireTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (seconds, millis) = (self.0.millis() / 1000, self.0.millis() % 1000);
        if millis == 0 {
            return serializer.serialize_i64(seconds);
        }
        let text = format!("{seconds}.{millis:03}");
        let number: serde_json::Number =
            text.trim_end_matches('0').parse().map_err(serde::ser::Error::custom)?;
        number.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for WireTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        read(&raw).map(Self).map_err(|_| serde::de::Error::custom("not a time"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<i64, TimeError> {
        read(serde_json::from_str::<&RawValue>(text).unwrap()).map(Timestamp::millis)
    }

    #[test]
    fn every_form_is_read_to_the_millisecond() {
        for (text, expect) in [
            ("0", Ok(0)),
            ("1767323045", Ok(1_767_323_045_000)),
            ("1767323045.678", Ok(1_767_323_045_678)),
            ("1767323045.678901", Ok(1_767_323_045_678)),
            ("1767323045.6789999999", Ok(1_767_323_045_678)),
            ("1.767323045678e9", Ok(1_767_323_045_678)),
            ("17673230456789E-1", Err(TimeError::Range)),
            ("17673230456E-1", Ok(1_767_323_045_600)),
            ("1e-9", Ok(0)),
            ("0e999999", Ok(0)),
            ("-0.0", Ok(0)),
            ("-1", Err(TimeError::Range)),
            ("1e99", Err(TimeError::Range)),
            ("1e99999999999", Err(TimeError::Range)),
            ("253402300799.999", Ok(253_402_300_799_999)),
            ("253402300800", Err(TimeError::Range)),
            (r#""2026-03-14T09:26:53.589Z""#, Ok(1_773_480_413_589)),
            (r#""2026-03-14T10:26:53+01:00""#, Ok(1_773_480_413_000)),
            (r#""1767323045.5""#, Ok(1_767_323_045_500)),
            (r#""soon""#, Err(TimeError::Type)),
            (r#""1950-01-01T00:00:00Z""#, Err(TimeError::Range)),
            ("true", Err(TimeError::Type)),
            ("[]", Err(TimeError::Type)),
            ("null", Err(TimeError::Type)),
        ] {
            assert_eq!(parse(text), expect, "{text}");
        }
    }

    #[test]
    fn written_as_a_number_with_up_to_three_decimals() {
        for (millis, expect) in [
            (0, "0"),
            (1_767_323_045_000, "1767323045"),
            (1_767_323_045_600, "1767323045.6"),
            (1_767_323_045_008, "1767323045.008"),
        ] {
            assert_eq!(serde_json::to_string(&WireTime(Timestamp::clamped(millis))).unwrap(), expect);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(millis in 0i64..=Timestamp::LATEST.millis()) {
            let text = serde_json::to_string(&WireTime(Timestamp::clamped(millis))).unwrap();
            prop_assert_eq!(parse(&text), Ok(millis));
        }

        #[test]
        fn arbitrary_text_never_panics(text in "[-+0-9.eE\"T:Z]{0,30}") {
            if let Ok(raw) = serde_json::from_str::<&RawValue>(&text) {
                let _ = read(raw);
            }
        }
    }
}
