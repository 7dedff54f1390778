//! Names of rates by their unit: `rps`, `req/s`, `events/sec`. Pure.

use super::units::{Measure, measure, whole_span};
use super::vocabulary::is_magnitude;

/// Returns the words of the name contained in a unit of a rate.
pub(super) fn rate_by_unit(value: &str) -> Option<Vec<String>> {
    const UNITS: &[(&str, &[&str])] = &[
        ("rps", &["requests", "per", "second"]),
        ("rpm", &["requests", "per", "minute"]),
        ("qps", &["queries", "per", "second"]),
        ("tps", &["transactions", "per", "second"]),
        ("eps", &["events", "per", "second"]),
        ("iops", &["iops"]),
    ];
    let lower = value.to_lowercase();
    let unit = lower.trim_start_matches(|sign: char| !sign.is_alphabetic());
    let unit = unit.rsplit(' ').next().unwrap_or(unit);
    if let Some((_, name)) = UNITS.iter().find(|(known, _)| unit == *known) {
        return Some(name.iter().map(|word| (*word).to_owned()).collect());
    }
    let (noun, span) = unit.split_once('/')?;
    let noun = match noun {
        "req" | "reqs" => "requests",
        "msg" | "msgs" => "messages",
        other if other.is_empty() || is_magnitude(other) || measure(other).is_some() => return None,
        other => other,
    };
    Some(vec![noun.to_owned(), "per".to_owned(), whole_span(span).to_owned()])
}

/// Returns the noun of a rate: bytes per hour or day are a volume.
pub(super) fn rate_noun(value: &str) -> &'static str {
    let unit = value.trim_start_matches(|sign: char| !sign.is_alphabetic());
    let (amount, span) = unit.split_once(['/', ' ']).unwrap_or((unit, ""));
    let span = span.rsplit(' ').next().unwrap_or(span);
    match (measure(amount) == Some(Measure::BYTES), whole_span(span)) {
        (true, "day" | "hour" | "week" | "month") => "volume",
        (true, _) => "throughput",
        (false, _) => "rate",
    }
}
