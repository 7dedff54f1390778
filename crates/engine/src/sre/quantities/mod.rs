//! Quantities in a sentence about a service, by what they are of: "Normal memory usage is
//! 400-500Mi, CPU usage is 200-300m" has `memory_usage` and `cpu_usage`. Pure, and in one pass
//! with bounded looks to both sides. Only what a sentence states is taken; the sentence itself is
//! kept whole by the caller.
//!
//! | file | idea |
//! |---|---|
//! | `tokens` | words, numbers and signs |
//! | `units`, `amount` | a number or a range, with its unit |
//! | `vocabulary` | words by their part in a sentence, out of `vocabulary.txt` |
//! | `zone`, `subject` | the link before an amount, and the noun phrase before the link |
//! | `naming`, `conditions`, `context`, `rates`, `name` | the one name of an amount |

mod amount;
mod conditions;
mod context;
mod name;
mod naming;
mod rates;
mod subject;
mod tokens;
mod units;
mod vocabulary;
mod zone;

use std::collections::BTreeMap;

use amount::Amount;
use naming::{Named, Naming};
use tokens::Tokens;

/// Words from the verb of a change to its first amount, at most.
const CHANGE_WORDS_MAX: usize = 6;

/// Quantities by the name of what they are of, as they are written. Of two of one name the first
/// counts.
pub fn quantities(sentence: &str) -> BTreeMap<String, String> {
    quantities_of("", sentence)
}

/// Quantities of a service: the service's own name is no part of their names.
pub fn quantities_of(service: &str, sentence: &str) -> BTreeMap<String, String> {
    let lower = service.to_lowercase();
    let parts = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|part| !part.is_empty());
    let service: Vec<String> = parts.map(str::to_owned).chain([lower.clone()]).collect();
    let tokens = Tokens::of(sentence);
    let mut found = BTreeMap::new();
    for (from, end) in sentences(&tokens) {
        of_sentence(&tokens, (from, end), &service, &mut found);
    }
    found
}

fn of_sentence(
    tokens: &Tokens<'_>,
    (from, end): (usize, usize),
    service: &[String],
    found: &mut BTreeMap<String, String>,
) {
    // Which of several amounts is of which of several names is told by their order alone.
    if (from..end).any(|at| tokens.word(at) == "respectively") {
        return;
    }
    let mut previous: Option<Named> = None;
    let (mut at, mut floor) = (from, from);
    while at < end {
        let Some(amount) = Amount::read(tokens, at) else {
            at = after_unread(tokens, at);
            continue;
        };
        at = amount.end.max(at.saturating_add(1));
        // Both ends of a change are no range.
        if amount.is_range && follows_change(tokens, amount.start) {
            floor = amount.end;
            continue;
        }
        let naming = Naming { tokens, service, floor, sentence: from, previous: previous.as_ref() };
        floor = amount.end;
        if let Some(named) = naming.name(&amount) {
            found.entry(name::key(&named.name)).or_insert_with(|| named.value.clone());
            previous = Some(named);
        }
    }
}

/// Behind a number that is no amount, what is joined to it is none either.
fn after_unread(tokens: &Tokens<'_>, at: usize) -> usize {
    let mut next = at.saturating_add(1);
    if tokens.is_number(at) {
        while tokens.is_attached(next)
            && (tokens.is_number(next) || matches!(tokens.sign(next), "-" | ":" | "/" | "."))
        {
            next = next.saturating_add(1);
        }
    }
    next
}

/// True for `rose from 200ms to 450ms`.
fn follows_change(tokens: &Tokens<'_>, start: usize) -> bool {
    let before = |back: usize| start.checked_sub(back).map_or("", |at| tokens.word(at));
    before(1) == "from" && (2..=CHANGE_WORDS_MAX).any(|back| vocabulary::is_change(before(back)))
}

/// Sentences as ranges of tokens.
fn sentences(tokens: &Tokens<'_>) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut from = 0;
    for at in 0..tokens.len() {
        let is_range = tokens.sign(at.saturating_add(1)) == "." || tokens.sign(at.saturating_sub(1)) == ".";
        let ends =
            matches!(tokens.sign(at), "\n" | "!" | "?" | "|" | "•") || (tokens.sign(at) == "." && !is_range);
        if ends {
            all.push((from, at));
            from = at.saturating_add(1);
        }
    }
    all.push((from, tokens.len()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, expect: &[(&str, &str)]) {
        let got = quantities_of("api-server", sentence);
        let got: Vec<(&str, &str)> =
            got.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(got, expect, "{sentence}");
    }

    #[test]
    fn memory_and_cpu_have_one_name_each() {
        let both = [("cpu_usage", "200-300m"), ("memory_usage", "400-500Mi")];
        for sentence in [
            "Normal memory usage is 400-500Mi, CPU usage is 200-300m",
            "The api-server normally uses 400-500Mi of RAM and 200-300m of CPU.",
            "Memory: 400-500Mi; CPU: 200-300m",
            "CPU 200-300m, memory 400-500Mi",
            "Typically 200-300m CPU and 400-500Mi memory",
            "Its memory consumption stays in the range of 400-500Mi, and pod CPU utilization of 200-300m is usual",
        ] {
            check(sentence, &both);
        }
        check("CPU is around 2 cores", &[("cpu_usage", "2 cores")]);
        check("uses about 60% of its memory limit", &[("memory_usage", "60%")]);
        check("The memory limit is 512Mi", &[("memory_limit", "512Mi")]);
        check("Pod memory limit (512Mi) is too low", &[("memory_limit", "512Mi")]);
        check("limits: cpu 500m, memory 512Mi", &[("cpu_limit", "500m"), ("memory_limit", "512Mi")]);
        check(
            "Memory request is 256Mi and limit is 512Mi",
            &[("memory_limit", "512Mi"), ("memory_request", "256Mi")],
        );
    }

    #[test]
    fn a_value_is_a_number_or_a_range_with_its_unit() {
        check("Memory sits between 1.2 and 1.5 GiB", &[("memory_usage", "1.2-1.5 GiB")]);
        check("memory usage: 400Mi to 500Mi", &[("memory_usage", "400-500Mi")]);
        check("Queue depth is 1,200", &[("queue_depth", "1,200")]);
        check("The error rate stays below 0.5 percent.", &[("error_rate", "0.5 percent")]);
        check("Timeout = 1h30m", &[("timeout", "1h30m")]);
        check("The log volume is 20 GB per day", &[("log_volume", "20 GB/day")]);
        check("CPU usage is 20% higher at night", &[]);
        check("Latency rose from 200ms to 450ms", &[]);
    }

    #[test]
    fn subjects_verbs_and_links() {
        check("The p99 latency is about 250ms.", &[("p99_latency", "250ms")]);
        check("99th percentile latency at checkout hovers around 250ms", &[("p99_latency", "250ms")]);
        check(
            "API latency: p50 20ms, p95 80ms, p99 250ms",
            &[("p50_latency", "20ms"), ("p95_latency", "80ms"), ("p99_latency", "250ms")],
        );
        check("Number of active connections is usually 120-150", &[("active_connections", "120-150")]);
        check("Cold start takes about 8 seconds", &[("cold_start_time", "8 seconds")]);
        check("Backups complete in 45 minutes", &[("backups_time", "45 minutes")]);
        check("The cache refreshes every 5 minutes", &[("cache_refreshes_interval", "5 minutes")]);
        check("Disk usage grows by 2 GB per day", &[("disk_usage_growth", "2 GB/day")]);
        check("max_connections is set to 200", &[("max_connections", "200")]);
        check(
            "Memory usage is 400Mi, peaking at 800Mi under load",
            &[("memory_usage", "400Mi"), ("peak_memory_usage", "800Mi")],
        );
        check("Alert when CPU exceeds 80% for 10 minutes", &[("cpu_usage_threshold", "80%")]);
    }

    #[test]
    fn what_is_counted_names_itself_where_a_verb_governs_it() {
        check("It has 3 replicas", &[("replicas", "3")]);
        check("The connection pool is capped at 50 connections", &[("max_connections", "50")]);
        check("It handles 1,200 requests per second", &[("requests_per_second", "1,200")]);
        check("The service scales between 3 and 10 replicas", &[("replicas", "3-10")]);
        check("Restart 3 pods", &[]);
        check("Two pods were OOMKilled", &[]);
    }

    #[test]
    fn numbers_that_measure_nothing() {
        for sentence in [
            "restarted at 14:30",
            "depends on postgres 16",
            "version is 1.2.3",
            "exit code 137 on port 8080",
            "since 2026-11-20",
            "HTTP 503 in the last 24 hours",
            "ticket INC-4521 took 3 people 2 days",
            "CPU and memory usage are 200m and 400Mi",
            "p50 and p99 are 20ms and 80ms respectively",
            "",
        ] {
            check(sentence, &[]);
        }
    }

    #[test]
    fn the_service_is_no_part_of_a_name() {
        let names =
            |service: &str, sentence: &str| quantities_of(service, sentence).into_keys().collect::<Vec<_>>();
        assert_eq!(names("checkout", "Checkout memory usage is 400Mi"), ["memory_usage"]);
        assert_eq!(names("web-app", "web-app's p95 latency is 80ms"), ["p95_latency"]);
        assert_eq!(names("", "Checkout memory usage is 400Mi"), ["checkout_memory_usage"]);
    }
}
