//! Decides whether a request is repeated, and after which pause. Pure: the random number and the
//! time are arguments.

use http::HeaderMap;
use loci_model::Timestamp;
use serde_json::Value;

use crate::request::OutboundError;

/// The upper bound of the first pause, in milliseconds. It doubles with each further pause.
const PAUSE_MS: u64 = 500;
/// The maximum size of an error body that is searched for a requested pause, in bytes.
const HINT_BYTES_MAX: usize = 64 * 1024;

/// Returns true for the status of a failure that may be temporary.
pub fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// True if a failure before any response may be temporary.
pub(crate) fn may_pass(error: &OutboundError) -> bool {
    match error {
        OutboundError::Timeout | OutboundError::Connect(_) => true,
        OutboundError::Refused(_)
        | OutboundError::TooLarge
        | OutboundError::Protocol(_)
        | OutboundError::Unsignable(_) => false,
    }
}

/// Returns the pause before attempt `tries` + 1, in milliseconds: a random time up to half a
/// second, doubled for each attempt, and at most `max_ms`.
pub fn jittered(tries: u32, max_ms: u64, random: u64) -> u64 {
    let ceiling = PAUSE_MS.saturating_mul(1 << tries.saturating_sub(1).min(16)).min(max_ms);
    random % ceiling.saturating_add(1)
}

/// Returns the pause that a response requests, in milliseconds: `retry-after-ms`, `retry-after`
/// (seconds or a date), or `retryDelay` in the error details of Google's services.
pub fn asked_pause_ms(headers: &HeaderMap, body: &[u8], now: Timestamp) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    text("retry-after-ms")
        .and_then(|ms| duration_ms(&format!("{ms}ms")))
        .or_else(|| text("retry-after").and_then(|value| seconds_or_date(value, now)))
        .or_else(|| delay_in_details(body))
}

fn seconds_or_date(text: &str, now: Timestamp) -> Option<u64> {
    if let Some(ms) = duration_ms(&format!("{text}s")) {
        return Some(ms);
    }
    let at = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(u64::try_from(at.as_millisecond().saturating_sub(now.millis())).unwrap_or(0))
}

/// Returns `error.details[].retryDelay`, for example `"34s"`, in milliseconds.
fn delay_in_details(body: &[u8]) -> Option<u64> {
    if body.len() > HINT_BYTES_MAX {
        return None;
    }
    let body: Value = loci_json::from_slice(body).ok()?;
    let details = body.get("error")?.get("details")?.as_array()?;
    details.iter().find_map(|detail| duration_ms(detail.get("retryDelay")?.as_str()?))
}

/// Parses a duration such as `1s`, `6m0s`, `250ms` or `1h2m3.5s` into whole milliseconds, rounded
/// up.
pub fn duration_ms(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut total = 0.0_f64;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at_checked(digits)?;
        let unit = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(unit)?;
        let ms = match unit {
            "ms" => 1.0,
            "s" => 1_000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * ms;
        rest = tail;
    }
    // A pause of more than a year is treated as an error.
    (total.is_finite() && (0.0..=3.2e10).contains(&total)).then_some(total.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn lengths_of_time() {
        let check = |text: &str, expect: Option<u64>| assert_eq!(duration_ms(text), expect, "{text}");
        check("1s", Some(1_000));
        check("6m0s", Some(360_000));
        check("250ms", Some(250));
        check("1h2m3.5s", Some(3_723_500));
        check("0.0004s", Some(1));
        check("34.074824224s", Some(34_075));
        check("", None);
        check("5", None);
        check("s", None);
        check("1x", None);
        check("1.2.3s", None);
        check("99999999999999s", None);
    }

    #[test]
    fn pauses_that_answers_ask_for() {
        let now = Timestamp::parse("2026-11-22T08:00:00Z").unwrap();
        let check = |headers: &[(&'static str, &'static str)], body: &str, expect: Option<u64>| {
            let headers = headers
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
                .collect();
            assert_eq!(asked_pause_ms(&headers, body.as_bytes(), now), expect, "{headers:?} {body}");
        };
        check(&[], "", None);
        check(&[("retry-after", "7")], "", Some(7_000));
        check(&[("retry-after", "1.5")], "", Some(1_500));
        check(&[("retry-after-ms", "120"), ("retry-after", "7")], "", Some(120));
        check(&[("retry-after", "Sun, 22 Nov 2026 08:00:20 GMT")], "", Some(20_000));
        check(&[("retry-after", "Sun, 22 Nov 2026 07:00:00 GMT")], "", Some(0));
        check(&[("retry-after", "soon")], "", None);
        let google =
            r#"{"error":{"code":429,"details":[{"@type":"x"},{"@type":"RetryInfo","retryDelay":"34s"}]}}"#;
        check(&[], google, Some(34_000));
        check(&[], "not JSON", None);
    }

    #[test]
    fn pauses_grow_and_have_an_end() {
        for (tries, ceiling) in [(1, 500), (2, 1_000), (3, 2_000), (9, 30_000), (4_000_000, 30_000)] {
            assert_eq!(jittered(tries, 30_000, ceiling), ceiling, "{tries}");
            assert_eq!(jittered(tries, 30_000, ceiling + 1), 0, "{tries}");
        }
        assert_eq!(jittered(1, 0, 77), 0);
    }
}
