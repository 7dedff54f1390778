//! Quantities in a sentence about a service, by name: "Normal memory usage is 400-500Mi, CPU usage
//! is 200-300m" has `memory_usage` and `cpu_usage`. Pure, in one pass with bounded look-around.
//! Only explicit statements are read. The caller stores the whole sentence.
//!
//! | file | idea |
//! |---|---|
//! | `tokens` | words, numbers and signs |
//! | `clauses`, `dates` | clauses with statements, and clauses that report events |
//! | `units`, `amount`, `counted_noun` | a number or a range, with its unit or the counted noun |
//! | `vocabulary` | words by their function in a sentence, from `vocabulary.txt` |
//! | `link`, `phrase` | the words directly before an amount, and the noun phrase before them |
//! | `refusals` | amounts that measure nothing |
//! | `amount_name`, `objects`, `rates`, `part_names`, `context`, `ellipsis`, `name` | the name of an amount |

mod amount;
mod amount_name;
mod clauses;
mod context;
mod counted_noun;
mod dates;
mod ellipsis;
mod link;
mod name;
mod objects;
mod part_names;
mod phrase;
mod rates;
mod refusals;
mod tokens;
mod units;
mod vocabulary;

use std::collections::BTreeMap;

use amount::Amount;
use amount_name::{AmountSentence, NamedAmount};
use clauses::clauses;
use tokens::Tokens;
use units::{Measure, is_unit};

/// Returns quantities by name, with values as written. If a name occurs twice, the first one
/// counts.
pub fn quantities(sentence: &str) -> BTreeMap<String, String> {
    quantities_of("", sentence)
}

/// Returns the quantities of a service. The service's own name is not part of their names.
pub fn quantities_of(service: &str, sentence: &str) -> BTreeMap<String, String> {
    let lower = service.to_lowercase();
    let parts = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|part| !part.is_empty());
    let service: Vec<String> = parts.map(str::to_owned).chain([lower.clone()]).collect();
    let tokens = Tokens::of(sentence);
    let mut found = BTreeMap::new();
    let mut mentioned = None;
    for (from, end) in sentences(&tokens) {
        of_sentence(&tokens, (from, end), &service, &mut mentioned, &mut found);
    }
    found
}

fn of_sentence(
    tokens: &Tokens<'_>,
    (from, end): (usize, usize),
    service: &[String],
    mentioned: &mut Option<NamedAmount>,
    found: &mut BTreeMap<String, String>,
) {
    // A question states nothing.
    if tokens.sign(end) == "?" {
        return;
    }
    // With "respectively", the assignment of amounts to names depends on order only.
    if (from..end).any(|at| tokens.word(at) == "respectively") {
        return;
    }
    let clauses = clauses(tokens, from, end);
    let mut clause = clauses.iter().peekable();
    let mut previous: Option<NamedAmount> = None;
    let (mut at, mut floor) = (from, from);
    while at < end {
        let Some(amount) = Amount::read(tokens, at) else {
            let is_unread = tokens.is_number(at) && is_unit(tokens.word(at.saturating_add(1)));
            at = after_unread(tokens, at.saturating_add(usize::from(is_unread)));
            floor = if is_unread { at } else { floor };
            continue;
        };
        at = amount.end.max(at.saturating_add(1));
        while clause.next_if(|one| one.end <= amount.start).is_some() {}
        let is_event = clause.peek().is_some_and(|one| one.is_event);
        let (before, last) = (previous.as_ref(), mentioned.as_ref());
        let naming =
            AmountSentence { tokens, service, floor, sentence: from, previous: before, mentioned: last };
        // A counted noun may be part of the next amount's name: `a batch of 400 orders takes 8 s`.
        let is_part = tokens.word(amount.start.saturating_sub(1)) == "of";
        if !is_part && !matches!(amount.measure, Measure::COUNT | Measure::PLAIN) {
            floor = amount.end;
        }
        let Some(named) = naming.name(&amount).map(|named| NamedAmount { is_event, ..named }) else {
            continue;
        };
        *mentioned = Some(named.clone());
        if !is_event {
            found.entry(name::key(&named.name)).or_insert_with(|| named.value.clone());
            floor = named.end.max(amount.end);
            previous = Some(named);
        }
    }
}

/// Returns the position after a number that is no amount, and after the tokens joined to it.
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

/// Returns sentences as ranges of tokens.
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
        check("The log volume is 20 GB per day", &[("log_volume", "20 GB per day")]);
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
        check("Disk usage grows by 2 GB per day", &[("disk_usage_growth", "2 GB per day")]);
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
    fn events_state_nothing_usual() {
        for sentence in [
            "Memory was at 900Mi before the restart",
            "The backlog climbed to 40k on Sunday, 12 pods affected",
            "INC-4471: 30 minutes of errors, latency 4s",
            "Yesterday 97% CPU for an hour",
            "Broker 3 crashed at 04:12, the heap dump is 3 GB",
            "Queue depth has grown to 9,000",
            "It has been down for 2 hours",
            "Next week we add 3 nodes",
            "40 min until it was back in sync",
            "It used to run with 4Gi",
        ] {
            check(sentence, &[]);
        }
        let lag = [("lag", "200 msgs")];
        check("Lag is under 200 msgs, it was 40k after the failover on Monday", &lag);
        check("When the link broke last week it was 18 s; lag is normally under 200 msgs", &lag);
        check("Failed logins: 30 per hour", &[("failed_logins_rate", "30 per hour")]);
        check("The cache hit ratio is 93%", &[("cache_hit_ratio", "93%")]);
    }

    #[test]
    fn phrases_of_any_noun_name_an_amount() {
        check("Offers live for 20 minutes", &[("offers_live_time", "20 minutes")]);
        check("Tiles render within 700 ms", &[("tiles_render_time", "700 ms")]);
        check("Tokens are refreshed every 30s", &[("tokens_refreshed_interval", "30s")]);
        check("Reports are kept for 90 days", &[("reports_retention", "90 days")]);
        check("Lookups time out after 5s", &[("lookups_timeout", "5s")]);
        check(
            "The image is 38MB and egress averages 42 Gbps",
            &[("egress", "42 Gbps"), ("image_size", "38MB")],
        );
        check("Each worker polls 500 records", &[("worker_polls_records", "500")]);
        check("About 11k open streams at noon", &[("open_streams", "11k")]);
        check("Serves 8k qps per core", &[("query_per_second", "8k qps")]);
        check("The export costs $38 a day", &[("export_cost", "$38 a day")]);
        check("Room temperature is 21-23 °C", &[("room_temperature", "21-23 °C")]);
        check("maxReplicas 15, -Xmx4g", &[("max_replicas", "15"), ("xmx_heap_size", "4g")]);
        check("30% of requests are cached", &[("requests_cached", "30%")]);
        check("150ms is the budget for reads", &[("budget", "150ms")]);
    }

    #[test]
    fn amounts_go_on_with_what_was_named() {
        check(
            "Hit ratio: 96% for images, 71% for answers",
            &[("hit_ratio_answers", "71%"), ("hit_ratio_images", "96%")],
        );
        check(
            "Pods request 500m CPU / 1Gi memory and are limited to 2 CPU / 2Gi",
            &[
                ("cpu_limit", "2 CPU"),
                ("cpu_request", "500m"),
                ("memory_limit", "2Gi"),
                ("memory_request", "1Gi"),
            ],
        );
        check(
            "The backup runs every 6 h and takes 25 min",
            &[("backup_interval", "6 h"), ("backup_time", "25 min")],
        );
        check("Timeouts: 2s connect, 10s read", &[("timeout_connect", "2s"), ("timeout_read", "10s")]);
        check("The partner is slow, 2 s is usual", &[("partner", "2 s")]);
        check("A wave of 400 orders takes 8 s", &[("wave_time", "8 s")]);
        check("Lag may reach 3 GB, usually it's under 200 MB", &[("lag", "200 MB"), ("peak_lag", "3 GB")]);
    }

    #[test]
    fn elliptic_clauses_are_of_what_was_mentioned() {
        check("p95 hit 900 ms on Monday. Normal is 140 ms.", &[("p95_latency", "140 ms")]);
        check("Hit rate dropped to 60% on Monday; usually it's 92-95%", &[("hit_rate", "92-95%")]);
        check("Feed lag climbed to 12 s yesterday, normally 300 ms.", &[("feed_lag", "300 ms")]);
        check("Messages peaked at 44k/s yesterday (usual: 9k/s)", &[("messages_rate", "9k/s")]);
        check("Frame time went to 31ms; what you want to see is 7-9 ms", &[("frame_time", "7-9 ms")]);
        check(
            "CPU 1.2 cores in the rush, otherwise 300m",
            &[("cpu_usage", "1.2 cores"), ("cpu_usage_otherwise", "300m")],
        );
        check(
            "maxmemory is 12GB, we usually sit at 9.1GB",
            &[("maxmemory_size", "12GB"), ("memory_usage", "9.1GB")],
        );
        check("Accuracy fell to 91% with the May map, it's 96% otherwise", &[("accuracy", "96%")]);
        check("The error rate shot up to 22%. Baseline is 0.4%.", &[("error_rate", "0.4%")]);
        check("RSS peaked at 3 GB last night, usually we sit at 1 GB", &[("rss", "1 GB")]);
        check("The restart took 2 h. Normally nobody looks at it for 3 h.", &[]);
        check("Lookups take 18 ms, but count on 60 ms during a reload", &[("lookups_time", "18 ms")]);
        check(
            "The dump log is fine. Autovacuum starts at noon and takes 4 min",
            &[("autovacuum_time", "4 min")],
        );
    }

    #[test]
    fn parts_of_what_was_stated_keep_its_name() {
        check("16 GB RAM, of which builds use 9 GB", &[("memory_usage", "16 GB"), ("memory_used", "9 GB")]);
        check(
            "The pool is capped at 40 connections, in practice 12-15 are in use",
            &[("max_pool_connections", "40"), ("pool_connections_used", "12-15")],
        );
        check(
            "Disk usage normal: 610GB of 1TB. Grows some 9GB a month.",
            &[("disk_capacity", "1TB"), ("disk_usage", "610GB"), ("disk_usage_growth", "9GB a month")],
        );
        check("needs 210 GB on disk, 96 GB in RAM", &[("disk_usage", "210 GB"), ("memory_usage", "96 GB")]);
        check("sessions at 180k of 500k", &[]);
        check("target 65% CPU", &[("cpu_target", "65%")]);
        check("Feed delay is 1.5 s, worst case 4 s", &[("feed_delay", "1.5 s"), ("worst_feed_delay", "4 s")]);
        check("Redis used 3 GB at the derby, it settles at 900 MB normally", &[("redis_size", "900 MB")]);
        check("Limit is 1Gi, request 512Mi", &[("memory_limit", "1Gi"), ("memory_request", "512Mi")]);
    }

    #[test]
    fn a_verb_alone_is_no_name_where_the_amount_has_a_noun() {
        check("It sends roughly 1,200 mails/h", &[("mails_per_hour", "1,200 mails/h")]);
        check("We write roughly 3 GB/h of WAL", &[("wal", "3 GB/h")]);
        check("It drops around 2% of the messages, by design", &[]);
        check("A 10-minute clip needs 3 to 4 minutes", &[("clip_time", "3-4 minutes")]);
        check("It takes a pod 40 s to start", &[("startup_time", "40 s")]);
        check("Don't raise it, the ingress gives up at 10s", &[("ingress_timeout", "10s")]);
        check("Memory is negligible (30 MB)", &[("memory_usage", "30 MB")]);
        check("A queue depth of 200 to 300 jobs is fine", &[("queue_depth", "200-300 jobs")]);
        check("maxconn 40000, 3 retries", &[("maxconn", "40000"), ("retry_count", "3")]);
        check(
            "The dataset is 1.6 GB and arrives 4 times a day",
            &[("dataset_arrives", "4 times a day"), ("dataset_size", "1.6 GB")],
        );
    }

    #[test]
    fn identifiers_and_conditions_are_no_amounts() {
        for sentence in [
            "partition 17 is on broker 4",
            "reports to 10.0.0.4:8080 and :9100",
            "runs on JDK 17.0.9 and chart 4.2",
            "2 of the 5 replicas are ready",
            "3 of 5 pods are ready",
            "team of 5, 2 engineers on call",
            "anything above 5 s is slow",
            "on-call changes every Monday at 9",
            "needs 30% less memory than 8.x",
            "a gap of more than 2 s is an alarm",
            "above 40 % please repack",
            "Should we raise the limit to 6 GB?",
            "Please bump the memory limit to 2Gi",
            "11% hang up",
            "A full feed has 1.2M rates",
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
