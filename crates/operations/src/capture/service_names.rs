//! Names of services in a sentence: names with a hyphen, names before a word such as "service", the
//! services of the investigation, and widely used programs. Pure.

use std::collections::BTreeSet;

/// Nouns that mark the preceding name as a service.
const NOUNS: &[&str] = &[
    "service",
    "services",
    "server",
    "deployment",
    "statefulset",
    "daemonset",
    "pod",
    "pods",
    "database",
    "db",
    "cluster",
    "queue",
    "cache",
    "broker",
    "gateway",
    "api",
    "job",
    "worker",
    "topic",
    "container",
    "app",
];
/// Programs that are dependencies under their own name.
const PROGRAMS: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "redis",
    "kafka",
    "rabbitmq",
    "mongodb",
    "elasticsearch",
    "opensearch",
    "memcached",
    "etcd",
    "vault",
    "consul",
    "nginx",
    "envoy",
    "istio",
    "s3",
    "dynamodb",
    "sqs",
    "sns",
    "zookeeper",
    "cassandra",
    "clickhouse",
    "nats",
    "prometheus",
    "grafana",
    "loki",
    "coredns",
    "minio",
];
/// Words with a hyphen that name no service.
const NO_NAMES: &[&str] = &[
    "real-time",
    "read-only",
    "read-write",
    "out-of-memory",
    "up-to-date",
    "built-in",
    "long-running",
    "short-lived",
    "on-call",
    "e-mail",
    "so-called",
    "well-known",
    "end-to-end",
    "per-pod",
    "non-zero",
    "rate-limit",
    "time-out",
    "start-up",
    "follow-up",
    "follow-on",
    "high-memory",
    "in-memory",
    "re-try",
    "cross-region",
    "multi-region",
    "third-party",
    "on-disk",
    "stand-by",
    "high-availability",
];
/// Determiners, which name nothing.
const DETERMINERS: &[&str] = &[
    "the",
    "a",
    "an",
    "its",
    "this",
    "that",
    "each",
    "every",
    "our",
    "their",
    "his",
    "any",
    "some",
    "all",
    "other",
    "same",
    "main",
    "new",
    "old",
    "whole",
    "one",
    "two",
    "my",
    "your",
    "of",
    "to",
    "on",
    "in",
    "and",
    "memory",
    "cpu",
    "disk",
    "node",
    "replica",
    "connection",
    "http",
    "tcp",
    "sidecar",
    "init",
    "running",
    "kubernetes",
    "k8s",
    "docker",
    "web",
    "failing",
    "affected",
    "upstream",
    "downstream",
    "external",
    "internal",
    "backend",
    "frontend",
];

/// The names with which sentences are read.
pub(super) struct Services<'a> {
    known: Vec<(String, &'a String)>,
}

impl<'a> Services<'a> {
    /// Returns the names of an investigation.
    pub(super) fn of(known: &'a [String]) -> Self {
        Self { known: known.iter().map(|name| (name.to_lowercase(), name)).collect() }
    }

    /// Returns the only service that a sentence names. If it names none, returns the only service
    /// of the investigation.
    pub(super) fn only_one_in(&self, sentence: &str) -> Option<String> {
        let words = words(sentence);
        let mut found = BTreeSet::new();
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
            found.extend(self.name(word, NOUNS.contains(&next)));
        }
        match found.len() {
            0 if self.known.len() == 1 => self.known.first().map(|(_, name)| (*name).clone()),
            1 => found.pop_first(),
            _ => None,
        }
    }

    /// Returns the service that the words before a verb end with.
    pub(super) fn subject_of(&self, words_before: &str) -> Option<String> {
        self.last_of(&words(words_before))
    }

    /// Returns the name that some words end with, before a noun such as "service".
    fn last_of(&self, words: &[String]) -> Option<String> {
        let (last, before) = words.split_last()?;
        if NOUNS.contains(&last.as_str())
            && let Some(name) = before.last().and_then(|word| self.name(word, true))
        {
            return Some(name);
        }
        self.name(last, false)
    }

    /// Returns the service that a word names. `has_noun`: a noun after the word marks it as a
    /// service.
    fn name(&self, word: &str, has_noun: bool) -> Option<String> {
        if let Some((_, name)) = self.known.iter().find(|(known, _)| known == word) {
            return Some((*name).clone());
        }
        let is_compound = word.contains(['-', '_']) && !NO_NAMES.contains(&word);
        let starts = word.starts_with(|sign: char| sign.is_ascii_alphabetic());
        let ends = word.ends_with(|sign: char| sign.is_ascii_alphanumeric());
        let is_plain = word.chars().all(|sign| sign.is_ascii_alphanumeric() || "-_.".contains(sign));
        let is_named = has_noun && !DETERMINERS.contains(&word) && !NOUNS.contains(&word) && word.len() > 1;
        (starts && ends && is_plain && (is_compound || is_named)).then(|| word.to_owned())
    }
}

/// Returns the services and programs at the start of a list such as "redis and the payment
/// service".
pub(super) fn targets(list: &str, services: &Services<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for part in list.replace(" as well as ", ",").replace(" and ", ",").replace(" & ", ",").split(',') {
        let words = words(part);
        let is_article = |word: &&String| matches!(word.as_str(), "the" | "a" | "an" | "its" | "both");
        let words: Vec<String> = words.iter().skip_while(is_article).cloned().collect();
        let Some(first) = words.first() else { break };
        let has_noun = words.get(1).is_some_and(|next| NOUNS.contains(&next.as_str()));
        let program = PROGRAMS.contains(&first.as_str()).then(|| first.clone());
        let Some(name) = program.or_else(|| services.name(first, has_noun)) else { break };
        found.push(name);
    }
    found
}

/// Returns words in lower case, without surrounding punctuation.
fn words(text: &str) -> Vec<String> {
    let bare = |word: &str| {
        let is_mark = |sign: char| !sign.is_alphanumeric();
        word.trim_matches(is_mark).trim_end_matches("'s").trim_end_matches("’s").to_lowercase()
    };
    text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_sentences() {
        let known = ["Api".to_owned()];
        let services = Services::of(&known);
        let check = |sentence: &str, expect: Option<&str>| {
            assert_eq!(services.only_one_in(sentence).as_deref(), expect, "{sentence}");
        };
        check("api-server's limit is low", Some("api-server"));
        check("the payment service is slow", Some("payment"));
        check("the api is slow", Some("Api"));
        check("it is slow", Some("Api"));
        check("the real-time view is slow", Some("Api"));
        check("cart-api and order-db are slow", None);
        assert_eq!(Services::of(&[]).only_one_in("the service is slow"), None);
        let targets = |list: &str| targets(list, &services);
        assert_eq!(targets("redis and the payment service"), ["redis", "payment"]);
        assert_eq!(targets("order-db for orders, kafka"), ["order-db", "kafka"]);
        assert_eq!(targets("the weather and redis"), Vec::<String>::new());
        assert_eq!(services.subject_of("In prod, the payment service").as_deref(), Some("payment"));
        assert_eq!(services.subject_of("It").as_deref(), None);
    }
}
