//! The name under which an amount is stored: one spelling for different phrasings, so that later
//! values replace earlier ones. Pure.

use super::vocabulary::{
    is_bound_noun, is_carrier, is_percentile, is_qualifier, is_resource, is_whole_service, singulars,
};

/// The maximum number of words of a name. The last words are kept.
const WORDS_MAX: usize = 5;
/// Synonyms and their common spelling.
const SAME: &[(&str, &str)] = &[
    ("ram", "memory"),
    ("mem", "memory"),
    ("processor", "cpu"),
    ("cpus", "cpu"),
    ("utilization", "usage"),
    ("utilisation", "usage"),
    ("consumption", "usage"),
    ("footprint", "usage"),
    ("use", "usage"),
    ("avg", "average"),
    ("mean", "average"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("latencies", "latency"),
    ("times", "time"),
    ("rates", "rate"),
    ("limits", "limit"),
    ("sizes", "size"),
    ("counts", "count"),
    ("timeouts", "timeout"),
    ("delays", "delay"),
    ("durations", "duration"),
    ("levels", "level"),
    ("intervals", "interval"),
    ("quotas", "quota"),
    ("ratios", "ratio"),
    ("peaks", "peak"),
    ("spikes", "spike"),
    ("bursts", "burst"),
    ("conns", "connections"),
    ("reqs", "requests"),
    ("request-rate", "request_rate"),
    ("roundtrip", "round_trip"),
    ("resident", "resident_memory"),
    ("xmx", "xmx_heap"),
    ("xms", "xms_heap"),
];

/// Properties of an amount that the words of its name do not show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) is_peak: bool,
    /// True if the amount is an upper limit.
    pub(super) is_cap: bool,
    /// True if the amount is reserved.
    pub(super) is_reserve: bool,
    /// True if the amount is the available capacity, regardless of use.
    pub(super) is_owned: bool,
}

/// Returns the words of a name in canonical spelling. `service` holds words that any sentence about
/// the service may contain. Empty if only qualifiers remain.
pub(super) fn canonical(words: &[String], service: &[String], marks: Marks) -> Vec<String> {
    let mut name = spelled(words);
    without_owner(&mut name, service);
    let excess = name.len().saturating_sub(WORDS_MAX);
    name.drain(..excess);
    if name.is_empty() {
        return name;
    }
    // A footprint without further words is one of memory.
    if words.iter().any(|word| word == "footprint") && name.iter().all(|word| word == "usage") {
        name.insert(0, "memory".to_owned());
    }
    // A word before a noun specifies its kind: `query_queue`.
    let before_last = name.len().saturating_sub(1);
    for word in name.iter_mut().take(before_last) {
        if let Some(kind) =
            word.strip_suffix("ies").filter(|start| *start != "ser").map(|start| format!("{start}y"))
        {
            *word = kind;
        }
    }
    statistics_first(&mut name);
    if name.last().is_some_and(|last| (is_resource(last) || last == "resident_memory") && last != "space") {
        let attribute = match (marks.is_cap, marks.is_reserve, marks.is_owned) {
            (true, _, _) => "limit",
            (false, true, _) => "request",
            (false, false, true) => "capacity",
            (false, false, false) => "usage",
        };
        name.push(attribute.to_owned());
    } else if name.len() >= 2 && name.last().is_some_and(|last| last == "requests") {
        let of_resource = name.iter().rev().nth(1).is_some_and(|word| is_resource(word));
        if let Some(last) = name.last_mut().filter(|_| of_resource) {
            "request".clone_into(last);
        }
    }
    if name.last().is_some_and(|last| last == "startup") {
        name.push("time".to_owned());
    }
    if marks.is_peak && !name.iter().any(|word| word == "peak" || word == "max") {
        name.insert(0, "peak".to_owned());
    }
    name
}

/// Returns words in canonical spelling, without qualifiers.
fn spelled(words: &[String]) -> Vec<String> {
    let mut name: Vec<String> = Vec::new();
    for word in words.iter().filter(|word| !is_qualifier(word)) {
        // Names of settings keep their form.
        if word.contains('_') {
            name.push(word.clone());
            continue;
        }
        for part in parts(word) {
            match SAME.iter().find(|(other, _)| *other == part) {
                Some((_, same)) => name.push((*same).to_owned()),
                None if part == "percentile" && name.last().is_some_and(|last| is_percentile(last)) => {}
                // `worst case 4 s`
                None if part == "case"
                    && name.last().is_some_and(|last| matches!(last.as_str(), "worst" | "best")) => {}
                None if is_percentile(part) => {
                    name.push(format!("p{}", part.trim_start_matches('p').trim_end_matches("th")))
                }
                None => name.push(part.to_owned()),
            }
        }
    }
    // A name and its hyphenated form are the same.
    name.retain(|word| !is_qualifier(word));
    name
}

/// Returns the parts of a word joined by dashes, slashes and underscores.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(['-', '/', '\'', '\u{2019}']).filter(|part| !part.is_empty())
}

/// Removes the words of the service from the front, as long as a measured noun remains.
fn without_owner(name: &mut Vec<String>, service: &[String]) {
    let parts = service.len().saturating_sub(1);
    let is_full = |words: &[String]| parts > 1 && words.iter().eq(service.iter().take(parts));
    let is_left =
        name.len() > parts.saturating_add(1) || !name.last().is_some_and(|last| is_bound_noun(last));
    if name.len() > parts && is_left && name.get(..parts).is_some_and(is_full) {
        name.drain(..parts);
    }
    let is_measure = |word: &String| is_resource(word) || word == "latency" || is_percentile(word);
    let last_measured = name.iter().rposition(is_measure);
    let mut owner = 0;
    while let (Some(first), Some(second)) = (name.get(owner), name.get(owner.saturating_add(1))) {
        let rest_is_whole = name.len().saturating_sub(owner) > 2
            || !matches!(
                second.as_str(),
                "count" | "size" | "number" | "rate" | "time" | "limit" | "interval"
            );
        let is_whole = parts == 1 || is_whole_service(first) || service.last() == Some(first);
        let is_measured = last_measured.is_some_and(|last| last > owner);
        let is_service = service.contains(first) && rest_is_whole && (is_whole || is_measured);
        let is_carrier = is_carrier(first) && is_measured;
        if !is_service && !is_carrier {
            break;
        }
        owner = owner.saturating_add(1);
    }
    name.drain(..owner);
}

/// Returns the stem that a noun and its plural share.
pub(super) fn stem(word: &str) -> String {
    singulars(word).next().unwrap_or_else(|| word.to_owned())
}

/// Moves statistics to the front: `latency p99` becomes `p99 latency`.
fn statistics_first(name: &mut Vec<String>) {
    let found = name.iter().position(|word| is_percentile(word));
    if let Some(at) = found.filter(|at| *at > 0) {
        let statistic = name.remove(at);
        name.insert(0, statistic);
    }
}

/// Returns the key of a name.
pub(super) fn key(name: &[String]) -> String {
    name.join("_").replace(['.', '%'], "_")
}
