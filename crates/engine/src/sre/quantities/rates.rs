//! Names of rates whose sentence has no other: by the unit, or by the verb. Pure.

use super::units::whole_span;
use super::vocabulary::is_counted;

/// The name of a rate, by its unit or the verb.
pub(super) fn rate_of(verb: &str, value: &str) -> String {
    if let Some(name) = rate_by_unit(value) {
        return name;
    }
    match verb {
        "handles" | "handle" | "handling" | "serves" | "serve" | "serving" | "sees" | "processes"
        | "process" | "sustains" | "supports" | "receives" | "gets" | "with" | "has" => {
            "throughput".to_owned()
        }
        other => format!("{}_rate", other.strip_suffix('s').unwrap_or(other)),
    }
}

/// The name that a unit of a rate has in itself: `rps`, `req/s`, `events/sec`.
pub(super) fn rate_by_unit(value: &str) -> Option<String> {
    const UNITS: &[(&str, &str)] = &[
        ("rps", "requests_per_second"),
        ("rpm", "requests_per_minute"),
        ("qps", "queries_per_second"),
        ("tps", "transactions_per_second"),
        ("eps", "events_per_second"),
        ("iops", "iops"),
    ];
    let lower = value.to_lowercase();
    let unit = lower.trim_start_matches(|sign: char| !sign.is_alphabetic());
    let unit = unit.rsplit(' ').next().unwrap_or(unit);
    if let Some((_, name)) = UNITS.iter().find(|(known, _)| unit == *known) {
        return Some((*name).to_owned());
    }
    let (noun, span) = unit.split_once('/')?;
    let noun = match noun {
        "req" | "reqs" => "requests",
        "msg" | "msgs" => "messages",
        other if is_counted(other) => other,
        _ => return None,
    };
    let span = whole_span(span);
    Some(format!("{noun}_per_{span}"))
}
