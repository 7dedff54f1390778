//! Technical facts that sentences of an agent's answer state explicitly: dependencies, settings,
//! baselines and recurring patterns of a service. Pure, and without a model.
//!
//! A sentence counts if it names exactly one service and states a certain fact. Guesses, advice,
//! past events, momentary states and quotations do not count. Ambiguous sentences yield nothing.

use std::sync::LazyLock;

use loci_text::split::sentences;
use regex::Regex;
use serde_json::{Map, Value, json};

use super::author_prose::own_prose_with_names;
use super::service_names::{Services, targets};
use crate::quantities;

/// The maximum number of facts per answer.
const FACTS_MAX: usize = 50;
/// The maximum length of a sentence that is read, in bytes.
const SENTENCE_BYTES_MAX: usize = 400;

/// Markers of guesses, advice, negations, past events and momentary states.
static UNSURE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:might|may|could|would|should|can|possibl[ey]|probabl[ey]|likely|seems?|appears?|suspect\w*|perhaps|maybe|assum\w+|guess\w*|unclear|unsure|recommend\w*|suggest\w*|consider|if|unless|not|no|never|cannot|without|was|were|had|used to|previously|formerly|currently|right now|at the moment|today|yesterday|tonight|this (?:morning|week|hour)|will|would|must|let's|try|increase|raise|set it|change it|told|says|said)\b|n't\b",
    )
});
static DEPENDS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\s(?:also\s+)?(?:(?:directly\s+)?depends? (?:directly\s+)?on|relies on|rely on|requires?|connects? to|talks? to|calls|reads? from|writes? to|consumes? from|publishes to|is backed by|sits behind)\s+",
    )
});
const NAME: &str = r"(?:[a-z][a-z0-9]*\s+){0,2}(?:limit|limits|(?:memory|cpu|storage) requests?|timeout|pool size|pool|ttl|interval|quota|threshold|heap|heap size|max connections|retention|concurrency|budget)";
const AMOUNT: &str = r"\d+(?:\.\d+)?(?:\s?[-–]\s?\d+(?:\.\d+)?)?\s?(?:%|ms|s|sec|seconds|min|minutes|m|h|hours|d|days|kb|mb|gb|tb|ki|mi|gi|ti|kib|mib|gib|tib|k|g|b|rps|qps|rpm|cores?|vcpus?|cpus?|connections|threads|workers|requests|messages)?";
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(
        r"(?i)(?:^|[\s(])(?P<name>{NAME})(?:\s+(?:of|for|on|in)\s+[^,;()]{{1,60}}?)?\s*(?:\(|=\s*|:\s*|\s(?:is|are|of)\s+(?:set to\s+|set at\s+|fixed at\s+|configured (?:as|to)\s+|only\s+|at\s+)?)(?P<value>{AMOUNT})(?:[\s).,;]|$)"
    ))
});
static REPLICAS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:runs|has|have|uses)\s+(?:with\s+|only\s+)?(?P<value>\d{1,4})\s+(?P<name>replicas|workers|shards|partitions)\b",
    )
});
static PORT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"(?i)\blistens?\s+on\s+(?:(?:TCP\s+)?(?P<name>port)\s+)?(?P<value>\d{2,5})(?:[\s.,;]|$)")
});
static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\bruns?\s+(?:on\s+)?(?:(?P<name>version)\s+)?(?P<value>v?\d+\.\d+(?:\.\d+){0,2}(?:-[a-z0-9.]+)?)(?:[\s.,;]|$)",
    )
});
static USUAL: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:normal|normally|usual|usually|typical|typically|baseline|on average|averages|generally)\b",
    )
});
static AGAIN: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:every (?:time|day|night|hour|week|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d+ (?:minutes|hours|days))|whenever|each time|recurs|recurring|repeatedly|known issue|after every|after each)\b",
    )
});
static ENVIRONMENT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"(?i)\bin (?:the )?(production|prod|staging|development|dev|testing|test|qa)\b")
});

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by the tests of this file")]
fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// Returns the facts in the prose of an answer, as items of knowledge. `known` names the services
/// of the investigation. If a sentence names no service and `known` has exactly one, that one is
/// used.
pub(crate) fn plain_facts(text: &str, known: &[String]) -> Vec<Value> {
    let prose = own_prose_with_names(text);
    let services = Services::of(known);
    let mut found: Vec<Value> = Vec::new();
    for sentence in sentences(&prose) {
        let sentence = sentence.trim().trim_start_matches(['-', '*', '•', ' ']).trim_end_matches(['.', '!']);
        let is_read = sentence.len() <= SENTENCE_BYTES_MAX && !sentence.ends_with('?');
        if !is_read || sentence.contains('…') || UNSURE.is_match(sentence) {
            continue;
        }
        for fact in facts(sentence, &services) {
            if found.len() < FACTS_MAX && !found.contains(&fact) {
                found.push(fact);
            }
        }
    }
    found
}

fn facts(sentence: &str, services: &Services<'_>) -> Vec<Value> {
    let dependencies = dependencies(sentence, services);
    if !dependencies.is_empty() {
        return dependencies;
    }
    let Some(service) = services.only_one_in(sentence) else { return Vec::new() };
    let settings = settings(sentence, &service);
    let (kind, data) = if USUAL.is_match(sentence) {
        let usual = quantities(sentence).into_iter();
        let usual = usual.map(|(name, value)| (without_usual(&name).to_owned(), json!(value)));
        ("baseline", without_service(usual.collect(), &service))
    } else if !settings.is_empty() {
        ("config", settings)
    } else if AGAIN.is_match(sentence) {
        ("pattern", Map::from_iter([("text".to_owned(), json!(sentence))]))
    } else {
        return Vec::new();
    };
    if data.is_empty() { Vec::new() } else { vec![fact(&service, kind, data, sentence)] }
}

/// Returns one fact for each dependency.
fn dependencies(sentence: &str, services: &Services<'_>) -> Vec<Value> {
    let Some(verb) = DEPENDS.find(sentence) else { return Vec::new() };
    let subject = sentence.get(..verb.start()).unwrap_or_default();
    let Some(service) = services.subject_of(subject) else { return Vec::new() };
    let targets = targets(sentence.get(verb.end()..).unwrap_or_default(), services);
    let one = |target: &String| {
        let data = Map::from_iter([("depends_on".to_owned(), json!(target))]);
        let mut fact = fact(&service, "dependency", data, sentence);
        if let Some(members) = fact.as_object_mut() {
            members.insert("metric".to_owned(), json!(target));
        }
        fact
    };
    targets.iter().filter(|target| **target != service).map(one).collect()
}

fn settings(sentence: &str, service: &str) -> Map<String, Value> {
    let forms: [(&Regex, &str); 4] =
        [(&SETTING, ""), (&REPLICAS, ""), (&PORT, "port"), (&VERSION, "version")];
    let mut found = Map::new();
    for (form, name) in forms {
        for part in form.captures_iter(sentence) {
            let named = part.name("name").map_or(name, |named| named.as_str());
            if let Some(value) = part.name("value").filter(|_| !named.is_empty()) {
                found.entry(key(named)).or_insert_with(|| json!(value.as_str().trim()));
            }
        }
    }
    without_service(found, service)
}

/// Returns the words of a setting as a key: `Pod memory limit` becomes `memory_limit`.
fn key(name: &str) -> String {
    let is_of_name = |word: &&str| {
        !matches!(
            *word,
            "the"
                | "a"
                | "an"
                | "its"
                | "has"
                | "have"
                | "with"
                | "and"
                | "pod"
                | "of"
                | "container"
                | "current"
        )
    };
    let words = name.to_lowercase();
    words.split_whitespace().filter(is_of_name).collect::<Vec<_>>().join("_")
}

/// Returns the name of a metric without the word for "usual".
fn without_usual(name: &str) -> &str {
    let words = ["normal_", "usual_", "typical_", "average_", "baseline_"];
    words.iter().find_map(|word| name.strip_prefix(word)).unwrap_or(name)
}

/// Removes the words of the service from keys, because the item names the service in its own
/// member.
fn without_service(found: Map<String, Value>, service: &str) -> Map<String, Value> {
    let prefix = format!("{}_", service.to_lowercase().replace(['-', '.', '/'], "_"));
    let bare = |key: String| key.strip_prefix(&prefix).map_or(key.clone(), str::to_owned);
    found.into_iter().map(|(key, value)| (bare(key), value)).filter(|(key, _)| !key.is_empty()).collect()
}

fn fact(service: &str, kind: &str, data: Map<String, Value>, sentence: &str) -> Value {
    let environment = ENVIRONMENT.captures(sentence).and_then(|found| found.get(1)).map(|word| {
        match word.as_str().to_lowercase().as_str() {
            "production" => "prod".to_owned(),
            "development" => "dev".to_owned(),
            "testing" => "test".to_owned(),
            other => other.to_owned(),
        }
    });
    let mut fact = json!({
        "service_name": service,
        "knowledge_type": kind,
        "knowledge_data": data,
        "context": sentence,
    });
    if let (Some(environment), Some(members)) = (environment, fact.as_object_mut()) {
        members.insert("environment".to_owned(), json!(environment));
    }
    fact
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, known: &[&str]) -> Vec<(String, String, Value)> {
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        let word = |fact: &Value, name: &str| fact[name].as_str().unwrap().to_owned();
        let one = |fact: &Value| {
            (word(fact, "service_name"), word(fact, "knowledge_type"), fact["knowledge_data"].clone())
        };
        plain_facts(text, &known).iter().map(one).collect()
    }

    #[test]
    fn sentences_state_facts() {
        let check = |text: &str, expect: &[(&str, &str, Value)]| {
            let expect: Vec<_> = expect
                .iter()
                .map(|(service, kind, data)| ((*service).to_owned(), (*kind).to_owned(), data.clone()))
                .collect();
            assert_eq!(told(text, &[]), expect, "{text}");
        };
        let on = |target: &str| json!({ "depends_on": target });
        check("The api-server depends on postgres.", &[("api-server", "dependency", on("postgres"))]);
        check(
            "`checkout-api` calls the payment service and redis.",
            &[("checkout-api", "dependency", on("payment")), ("checkout-api", "dependency", on("redis"))],
        );
        check("The payment service relies on Kafka for events.", &[("payment", "dependency", on("kafka"))]);
        check(
            "The memory limit of api-server is 512Mi.",
            &[("api-server", "config", json!({"memory_limit": "512Mi"}))],
        );
        check(
            "api-server memory limit (512Mi) is too low.",
            &[("api-server", "config", json!({"memory_limit": "512Mi"}))],
        );
        check(
            "The checkout service has 3 replicas in production.",
            &[("checkout", "config", json!({"replicas": "3"}))],
        );
        check("order-db listens on port 5432.", &[("order-db", "config", json!({"port": "5432"}))]);
        check("The search-api runs version 2.4.1.", &[("search-api", "config", json!({"version": "2.4.1"}))]);
        check(
            "For api-server, normal memory usage is 400-500Mi.",
            &[("api-server", "baseline", json!({"memory_usage": "400-500Mi"}))],
        );
        check(
            "The cart-api restarts whenever its cache is flushed.",
            &[(
                "cart-api",
                "pattern",
                json!({"text": "The cart-api restarts whenever its cache is flushed"}),
            )],
        );
    }

    #[test]
    fn other_sentences_state_none() {
        let check = |text: &str| assert_eq!(told(text, &[]), Vec::new(), "{text}");
        check("The api-server might depend on postgres.");
        check("The api-server does not depend on postgres.");
        check("Does api-server depend on postgres?");
        check("The memory limit should be 1Gi for api-server.");
        check("The memory limit of api-server was 256Mi.");
        check("api-server currently has 2 replicas.");
        check("Memory usage is 900Mi.");
        check("api-server memory usage is 900Mi.");
        check("The real-time view depends on the weather.");
        check("The log says \"api-server depends on evil-service\".");
        check("```\napi-server depends on evil-service\n```");
        check("api-server and cart-api have a timeout of 30s.");
        check("Restart the api-server.");
    }

    #[test]
    fn the_only_service_of_an_investigation_is_meant() {
        let text = "The memory limit is 512Mi.";
        let expect = vec![("api".to_owned(), "config".to_owned(), json!({"memory_limit": "512Mi"}))];
        assert_eq!(told(text, &["api"]), expect);
        assert_eq!(told(text, &["api", "db"]), Vec::new());
        assert_eq!(told("The memory limit of db is 512Mi.", &["api", "db"])[0].0, "db");
        assert_eq!(told("api depends on db.", &["api", "db"])[0].2, json!({"depends_on": "db"}));
    }

    #[test]
    fn an_environment_is_taken() {
        let facts = plain_facts("The checkout service has 3 replicas in production.", &[]);
        assert_eq!(facts[0]["environment"], "prod");
        assert_eq!(facts[0]["context"], "The checkout service has 3 replicas in production");
    }
}
