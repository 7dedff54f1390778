//! The story of a run: two sessions, extracted by all strategies and handed over, with all
//! notifications enabled. Every call can be repeated. A client that loses the server restarts the
//! story from the beginning.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::sink::{ReceivedNotification, Sink};
use crate::wire::{Wire, text_at};

const TOPIC: &str = "arn:aws:sns:us-west-2:000000000000:turns";
const STREAM: &str = "arn:aws:kinesis:us-west-2:000000000000:stream/records";
const BUCKET: &str = "turns-bucket";
const ACTOR: &str = "ann";
const BASE_SECONDS: f64 = 1_790_000_000.0;
const PATIENCE: Duration = Duration::from_secs(60);
const STATES: [&str; 7] =
    ["active", "superseded", "quarantined", "candidate", "expired", "archived", "rolled_back"];
/// The kinds of records that the strategies create.
const KINDS: [&str; 5] = ["fact", "preference", "summary", "episode", "reflection"];
/// Sessions with their events and messages.
const TALK: [(&str, [[&str; 3]; 2]); 2] = [
    (
        "s-1",
        [
            [
                "I live in Bern and work on the billing service.",
                "I prefer dark mode.",
                "My dog is called Pixel.",
            ],
            [
                "The deploy of Tuesday failed with code 137.",
                "I prefer light mode now.",
                "We raised the memory limit to 2 GiB.",
            ],
        ],
    ),
    (
        "s-2",
        [
            ["My sister Ada moves to Oslo in May.", "I like strong coffee.", "The spare key is with Ben."],
            [
                "Ada wants a flat near the harbour.",
                "The budget for it is 1850 a month.",
                "I avoid night trains.",
            ],
        ],
    ),
];

/// Returns the configuration of the targets of notifications.
pub(super) fn targets(port: u16, payloads: &Path) -> String {
    let hook = format!("http://127.0.0.1:{port}/hook");
    format!(
        "[[target]]\nname = \"{TOPIC}\"\nurl = \"{hook}\"\n[[target]]\nname = \"{STREAM}\"\nurl = \"{hook}\"\n[[target]]\nname \
         = \"{BUCKET}\"\nurl = \"file://{}\"\n[[webhook]]\ntarget = \"{TOPIC}\"\non = [\"job.done\", \"job.failed\"]\n",
        payloads.display()
    )
}

/// Runs the story, and waits until everything is extracted and all notifications are sent. Returns
/// the id of the memory.
pub(super) async fn tell(wire: &Wire) -> Result<String> {
    let memory = memory(wire).await?;
    // Windows stay open until the conversation is over, so each session is extracted in one. Two
    // episodes are enough for a reflection.
    let settings = json!({
        "window": {"messages": 50, "tokens": 100_000, "idle_ms": 3_000_000, "context_messages": 4},
        "consolidation": {"reflect_every": 2, "reflect_min_episodes": 2},
    });
    wire.ask("PUT", &format!("/v1/memories/{memory}/settings"), Some(&settings)).await?;
    for (session, events) in TALK {
        for (number, texts) in (0..).zip(events) {
            let item = |text: &&str| json!({"conversational": {"role": "USER", "content": {"text": text}}});
            let body = json!({
                "actorId": ACTOR, "sessionId": session, "eventTimestamp": BASE_SECONDS + f64::from(number),
                "clientToken": format!("{session}-{number}"), "payload": texts.iter().map(item).collect::<Vec<_>>(),
            });
            wire.ask("POST", &format!("/memories/{memory}/events"), Some(&body)).await?;
        }
    }
    wire.settle(&memory).await?;
    let began = Instant::now();
    while waiting(wire, &memory).await? > 0 {
        ensure!(began.elapsed() < PATIENCE, "jobs or notifications do not end");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(memory)
}

async fn memory(wire: &Wire) -> Result<String> {
    let own = json!({
        "triggerConditions": [{"messageBasedTrigger": {"messageCount": 3}}],
        "invocationConfiguration": {"topicArn": TOPIC, "payloadDeliveryBucketName": BUCKET},
    });
    let content = json!([{"type": "MEMORY_RECORDS", "level": "FULL_CONTENT"}]);
    let body = json!({
        "name": "pipeline", "eventExpiryDuration": 90, "clientToken": "the-one-memory-of-the-story-that-is-told",
        "memoryStrategies": [
            {"semanticMemoryStrategy": {"name": "facts", "namespaceTemplates": ["/facts/{actorId}/"]}},
            {"userPreferenceMemoryStrategy": {"name": "preferences", "namespaceTemplates": ["/preferences/{actorId}/"]}},
            {"summaryMemoryStrategy": {"name": "summaries", "namespaceTemplates": ["/summaries/{actorId}/{sessionId}/"]}},
            {"episodicMemoryStrategy": {"name": "episodes", "namespaceTemplates": ["/episodes/{actorId}/{sessionId}/"],
                "reflectionConfiguration": {"namespaceTemplates": ["/episodes/{actorId}/"]}}},
            {"customMemoryStrategy": {"name": "own", "configuration": {"selfManagedConfiguration": own}}},
        ],
        "streamDeliveryResources": {"resources": [{"kinesis": {"dataStreamArn": STREAM, "contentConfigurations": content}}]},
    });
    text_at(&wire.ask("POST", "/memories/create", Some(&body)).await?, "/memory/id")
}

/// Counts jobs that have not ended, and notifications that are not sent.
async fn waiting(wire: &Wire, memory: &str) -> Result<usize> {
    let mut waiting = 0;
    for (list, query) in
        [("jobs", "state=pending"), ("jobs", "state=running"), ("deliveries", "state=pending")]
    {
        let page = wire.ask("GET", &format!("/v1/memories/{memory}/{list}?{query}"), None).await?;
        waiting += page.get(list).and_then(Value::as_array).map(Vec::len).with_context(|| list.to_owned())?;
    }
    Ok(waiting)
}

/// The result of a story, without ids and times.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    events: Vec<String>,
    records: Vec<String>,
    told: Vec<String>,
    handed_over: Vec<String>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} messages in events and {} handed over, {} records, {} told of",
            self.events.len(),
            self.handed_over.len(),
            self.kinds(),
            self.told.len()
        )
    }
}

impl Outcome {
    /// Returns the number of records of each kind, as text.
    pub(super) fn kinds(&self) -> String {
        let of = |kind: &str| {
            let start = format!("[\"{kind}\",");
            self.records.iter().filter(|record| record.starts_with(&start)).count()
        };
        KINDS.map(|kind| format!("{} {kind}", of(kind))).join(", ")
    }

    /// Fails if a strategy created no record, because its steps would then not be tested.
    pub(super) fn has_everything(&self) -> Result<()> {
        let kinds = self.kinds();
        ensure!(!kinds.split(", ").any(|kind| kind.starts_with("0 ")), "too few records: {kinds}");
        ensure!(
            self.records.iter().all(|record| !record.contains("\"fallback\"")),
            "the model was not heard"
        );
        Ok(())
    }

    /// Fails with the items that exist too often or not often enough.
    pub(super) fn equals(&self, calm: &Self) -> Result<()> {
        for (name, now, before) in [
            ("events", &self.events, &calm.events),
            ("records", &self.records, &calm.records),
            ("told", &self.told, &calm.told),
            ("handed over", &self.handed_over, &calm.handed_over),
        ] {
            let only = |one: &[String], other: &[String]| -> Vec<String> {
                let mut left = other.to_vec();
                let mut only = one.to_vec();
                only.retain(|text| match left.iter().position(|other| other == text) {
                    Some(at) => {
                        left.swap_remove(at);
                        false
                    }
                    None => true,
                });
                only
            };
            ensure!(
                now == before,
                "{name}: only now {:#?}, only before {:#?}",
                only(now, before),
                only(before, now)
            );
        }
        Ok(())
    }
}

/// Reads the result of the story.
pub(super) async fn outcome(wire: &Wire, memory: &str, sink: &Sink, payloads: &Path) -> Result<Outcome> {
    let mut events = Vec::new();
    for (session, _) in TALK {
        let path = format!("/memories/{memory}/actor/{ACTOR}/sessions/{session}");
        for event in wire.pages(&path, &json!({}), "events").await? {
            events.extend(texts(event.get("payload"), "/conversational/content/text"));
        }
    }
    let (mut told, mut handed_over) = (Vec::new(), Vec::new());
    for one in sink.told()? {
        match one.kind.as_str() {
            "self_managed" => handed_over.extend(payload(&one, payloads)?),
            "record_stream" => {
                let event = one.body.get("memoryStreamEvent").context("a stream event")?;
                let said = json!([event.get("eventType"), event.get("memoryRecordText")]);
                told.push(without_ids(&said.to_string()));
            }
            // The number of handed-over windows depends on timing, but their contents do not.
            "job_ended" if one.body.pointer("/job/kind") == Some(&json!("handover")) => {}
            _ => told.push(json!([one.body.get("type"), one.body.pointer("/job/kind")]).to_string()),
        }
    }
    let mut outcome = Outcome { events, records: records(wire, memory).await?, told, handed_over };
    for list in [&mut outcome.events, &mut outcome.records, &mut outcome.told, &mut outcome.handed_over] {
        list.sort();
    }
    let messages = TALK.len() * 6;
    ensure!(outcome.events.len() == messages, "{} of {messages} messages are there", outcome.events.len());
    ensure!(outcome.handed_over == outcome.events, "handed over: {:?}", outcome.handed_over);
    Ok(outcome)
}

async fn records(wire: &Wire, memory: &str) -> Result<Vec<String>> {
    let mut records = Vec::new();
    let mut body = json!({"states": STATES, "limit": 100});
    loop {
        let page = wire.ask("POST", &format!("/v1/memories/{memory}/records:list"), Some(&body)).await?;
        for record in page.get("records").and_then(Value::as_array).into_iter().flatten() {
            let at = |pointer: &str| record.pointer(pointer).cloned().unwrap_or_default();
            let sources = at("/provenance/sources").as_array().map_or(0, Vec::len);
            let shown = json!([
                at("/kind"),
                at("/state"),
                at("/version"),
                at("/making/mode"),
                sources,
                without_ids(&at("/text").to_string())
            ]);
            records.push(shown.to_string());
        }
        match page.get("next_cursor") {
            Some(cursor) => body["cursor"] = cursor.clone(),
            None => return Ok(records),
        }
    }
}

/// Removes ids of events by which episodes name their turns. Eight digits of them are random.
fn without_ids(text: &str) -> String {
    let mut parts = text.split('#');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |sum, part| {
        let digits = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        sum + "#" + part.get(if digits >= 8 { 8 } else { 0 }..).unwrap_or_default()
    })
}

/// Returns the messages in the object of a handover.
fn payload(told: &ReceivedNotification, payloads: &Path) -> Result<Vec<String>> {
    let location = text_at(&told.body, "/s3PayloadLocation")?;
    let path = location.strip_prefix("file://").unwrap_or(&location);
    ensure!(Path::new(path).starts_with(payloads), "an object at {location}");
    let object: Value =
        serde_json::from_str(&std::fs::read_to_string(path).context("the object of a hand-over")?)?;
    Ok(texts(object.get("currentContext"), "/content/text"))
}

fn texts(list: Option<&Value>, pointer: &str) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.pointer(pointer)?.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_left_out() {
        let check = |text: &str, expect: &str| assert_eq!(without_ids(text), expect, "{text}");
        check("0000001790000001000#57ae98f4/0.0 and 00#00000000", "0000001790000001000#/0.0 and 00#");
        check("issue #12 and # alone", "issue #12 and # alone");
    }

    #[test]
    fn a_difference_is_named() {
        let outcome = |records: &[&str]| Outcome {
            events: Vec::new(),
            records: records.iter().map(|text| (*text).to_owned()).collect(),
            told: Vec::new(),
            handed_over: Vec::new(),
        };
        assert!(outcome(&["a", "b"]).equals(&outcome(&["a", "b"])).is_ok());
        let error = outcome(&["a", "b", "b"]).equals(&outcome(&["a", "b", "c"])).unwrap_err().to_string();
        assert!(error.starts_with("records: only now [\n    \"b\",\n], only before [\n    \"c\""), "{error}");
    }
}
