//! The checks after a round, and after all work has ended: nothing is lost or duplicated, and every
//! server returns the same data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::clients::BATCH;
use super::database::Database;
use super::ledger::{self, ConversationKey, KnownRecord, SentEvent, Shared};
use super::lists;
use super::memories::Memory;
use super::servers::Servers;
use super::sink::Sink;
use crate::crash::index_equals_rebuild;
use crate::texts;
use crate::wire::{Wire, text_at};

/// The maximum wait for notifications while none arrives.
const SENDING: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(50);
/// Queries that all servers must answer alike.
const QUESTIONS: u64 = 8;

/// The checks and their inputs.
pub(super) struct Checks {
    pub(super) servers: Arc<Servers>,
    pub(super) ledger: Shared,
    pub(super) memories: Vec<Memory>,
    pub(super) sink: Sink,
    pub(super) database: Arc<Database>,
    /// True to expire the leases of dead servers instead of waiting for them.
    pub(super) expires_leases: bool,
}

/// The counts of the final check.
#[derive(Debug, Default, serde::Serialize)]
pub(super) struct ClusterFindings {
    pub(super) events: usize,
    /// Events in doubt that exist.
    pub(super) doubtful_events: usize,
    pub(super) records: usize,
    pub(super) extracted: usize,
}

impl Checks {
    /// Checks that everything that was sent in a round is at every server exactly once. Data in
    /// doubt may be there once or not at all.
    pub(super) async fn after_round(&self, round: u32) -> Result<()> {
        self.events(|event| event.round == round).await?;
        self.doubtful_batches(round).await?;
        let known: Vec<(String, KnownRecord)> = {
            let ledger = ledger::of(&self.ledger);
            let of_round = ledger.records.iter().filter(|(_, known)| known.round == round);
            of_round.map(|(id, known)| (id.clone(), known.clone())).collect()
        };
        for (id, known) in known {
            self.record(&id, known).await?;
        }
        Ok(())
    }

    /// Returns the texts of stored events, by memory. It fails if an event was lost, duplicated or
    /// never sent.
    async fn events(&self, asked: impl Fn(&SentEvent) -> bool) -> Result<BTreeMap<String, BTreeSet<String>>> {
        let mut places: BTreeMap<ConversationKey, Vec<SentEvent>> = BTreeMap::new();
        for event in ledger::of(&self.ledger).events.values().filter(|event| asked(event)) {
            places.entry(event.place.clone()).or_default().push(event.clone());
        }
        let mut stored: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (place, sent) in places {
            let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for event in lists::everywhere(&self.servers, &place.path(), &json!({}), "events").await? {
                let text = text_at(&event, "/payload/0/conversational/content/text")?;
                found.entry(text).or_default().push(text_at(&event, "/eventId")?);
            }
            for event in sent {
                let ids = found.remove(&event.text).unwrap_or_default();
                match &event.acknowledged {
                    Some((id, _)) => {
                        ensure!(ids == [id.clone()], "event {id} of {place:?} is there as {ids:?}")
                    }
                    None => ensure!(ids.len() <= 1, "an event in doubt is there as {ids:?}"),
                }
                if !ids.is_empty() {
                    stored.entry(place.memory.clone()).or_default().insert(event.text);
                }
            }
            ensure!(found.is_empty(), "events that nobody sent: {found:?}");
        }
        Ok(stored)
    }

    async fn doubtful_batches(&self, round: u32) -> Result<()> {
        let doubtful: Vec<(String, String)> = {
            let ledger = ledger::of(&self.ledger);
            let of_round =
                ledger.batches.values().filter(|batch| batch.round == round && !batch.acknowledged);
            of_round.map(|batch| (batch.memory.clone(), batch.namespace.clone())).collect()
        };
        for (memory, namespace) in doubtful {
            let path = format!("/memories/{memory}/memoryRecords");
            let body = json!({"namespace": namespace});
            let found =
                lists::everywhere(&self.servers, &path, &body, "memoryRecordSummaries").await?.len() as u64;
            ensure!(found == 0 || found == BATCH, "of the batch {namespace}, in doubt, {found} are there");
        }
        Ok(())
    }

    /// Checks that every server returns the same version of a record, and updates the ledger with
    /// the outcome of writes in doubt.
    async fn record(&self, id: &str, known: KnownRecord) -> Result<()> {
        let path = format!("/memories/{}/memoryRecord/{id}", known.memory);
        let (status, found) = lists::answer(&self.servers, "GET", &path, None).await?;
        let text = match status {
            200 => Some(text_at(&found, "/memoryRecord/content/text")?),
            404 => None,
            other => bail!("record {id}: {other} {found}"),
        };
        let settled = match (text, known.deleted, known.deleting) {
            (None, true, _) | (None, _, true) => {
                KnownRecord { deleted: true, deleting: false, pending: None, ..known }
            }
            (None, false, false) => bail!("acknowledged record {id} is lost"),
            (Some(_), true, _) => bail!("deleted record {id} is back"),
            (Some(text), false, _) => {
                let legal = text == known.text || known.pending.as_ref() == Some(&text);
                ensure!(legal, "record {id} is {text:?}, acknowledged was {:?}", known.text);
                KnownRecord { text, pending: None, deleting: false, ..known }
            }
        };
        ledger::of(&self.ledger).records.insert(id.to_owned(), settled);
        Ok(())
    }

    /// Waits until no work is left, then checks everything that was ever sent.
    pub(super) async fn at_rest(&self) -> Result<ClusterFindings> {
        if self.expires_leases {
            self.database.expire_leases(&self.servers.processes())?;
        }
        for (memory, (_, wire)) in self.memories.iter().zip(self.servers.running().iter().cycle()) {
            wire.settle(&memory.id).await.with_context(|| format!("memory {}", memory.name))?;
            self.nothing_is_left(wire, &memory.id).await?;
        }
        self.sink.told()?;
        let stored = self.events(|_| true).await?;
        let mut found = ClusterFindings::default();
        for memory in &self.memories {
            let texts = stored.get(&memory.id).cloned().unwrap_or_default();
            self.records(memory, &texts, &mut found)
                .await
                .with_context(|| format!("memory {}", memory.name))?;
            self.questions(&memory.id).await?;
        }
        let ledger = ledger::of(&self.ledger);
        self.database.check(&ledger)?;
        let acknowledged = ledger.events.values().filter(|event| event.acknowledged.is_some()).count();
        let all: usize = stored.values().map(BTreeSet::len).sum();
        (found.events, found.doubtful_events) = (acknowledged, all.saturating_sub(acknowledged));
        Ok(found)
    }

    async fn nothing_is_left(&self, wire: &Wire, memory: &str) -> Result<()> {
        let (mut began, mut before) = (Instant::now(), usize::MAX);
        loop {
            let mut left = Vec::new();
            for query in ["jobs?state=pending", "jobs?state=running", "deliveries?state=pending"] {
                let page = wire.ask("GET", &format!("/v1/memories/{memory}/{query}"), None).await?;
                let list = query.split('?').next().unwrap_or_default();
                let items = page.get(list).and_then(Value::as_array).context("no list")?;
                // Deleted data is erased after a week, so that job is expected to be pending.
                let is_left = |item: &&Value| item.get("kind") != Some(&json!("purge"));
                left.extend(items.iter().filter(is_left).cloned());
            }
            if left.is_empty() {
                break;
            }
            let told = self.sink.told()?.notifications;
            if told != before {
                (began, before) = (Instant::now(), told);
            }
            ensure!(
                began.elapsed() < SENDING,
                "{} jobs or notifications do not end, like {:?}",
                left.len(),
                left.first()
            );
            tokio::time::sleep(LOOK).await;
        }
        for query in ["jobs?state=failed", "deliveries?state=failed"] {
            let page = wire.ask("GET", &format!("/v1/memories/{memory}/{query}"), None).await?;
            let list = query.split('?').next().unwrap_or_default();
            ensure!(page.get(list) == Some(&json!([])), "{list} failed: {page}");
        }
        Ok(())
    }

    /// Checks the records that were sent and those that were extracted from events: each exists
    /// once, and followers know the same records.
    async fn records(
        &self,
        memory: &Memory,
        texts: &BTreeSet<String>,
        found: &mut ClusterFindings,
    ) -> Result<()> {
        let path = format!("/memories/{}/memoryRecords", memory.id);
        let list = json!({"namespacePath": "/"});
        let listed = lists::everywhere(&self.servers, &path, &list, "memoryRecordSummaries").await?;
        let mut sent: BTreeMap<String, String> = BTreeMap::new();
        let mut facts: BTreeSet<String> = BTreeSet::new();
        let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
        let mut all: BTreeMap<String, String> = BTreeMap::new();
        for record in &listed {
            let (id, text) = (text_at(record, "/memoryRecordId")?, text_at(record, "/content/text")?);
            let namespace = text_at(record, "/namespaces/0")?;
            ensure!(all.insert(id.clone(), text.clone()).is_none(), "record {id} is listed twice");
            let kind = namespace.trim_start_matches('/').split('/').next();
            // The summary of a session may have the same text as the summary of its only topic.
            let is_new = kind == Some("summaries") || seen.insert((namespace.clone(), text.clone()));
            ensure!(is_new, "two records of {namespace} say {text:?}");
            match kind {
                Some("batches") => drop(sent.insert(id, namespace)),
                Some("facts") => drop(facts.insert(text)),
                Some(_) | None => {}
            }
        }
        ensure!(facts == *texts, "extracted: {}", difference(&facts, texts));
        let in_batches = sent.len();
        self.as_sent(&memory.id, sent)?;
        if memory.summarizes {
            let of_memory =
                |event: &&SentEvent| event.place.memory == memory.id && texts.contains(&event.text);
            let ledger = ledger::of(&self.ledger);
            let sessions: BTreeSet<&ConversationKey> =
                ledger.events.values().filter(of_memory).map(|event| &event.place).collect();
            self.database.summarized(&memory.id, sessions.len())?;
        }
        if memory.streams {
            let followed = self.sink.followed(&memory.id);
            let shown = |map: &BTreeMap<String, String>| {
                map.iter().map(|(id, text)| format!("{id} {text}")).collect()
            };
            ensure!(
                followed == all,
                "followers know other records: {}",
                difference(&shown(&followed), &shown(&all))
            );
        }
        found.records += all.len();
        found.extracted += all.len() - in_batches;
        Ok(())
    }

    /// Compares the records of batches, by id with their namespaces, with the ledger. All
    /// acknowledged records exist, those in doubt may exist, and no others.
    fn as_sent(&self, memory: &str, mut listed: BTreeMap<String, String>) -> Result<()> {
        let ledger = ledger::of(&self.ledger);
        for (id, known) in ledger.records.iter().filter(|(_, known)| known.memory == memory) {
            let there = listed.remove(id).is_some();
            ensure!(
                there != known.deleted || known.deleting,
                "record {id} is there: {there}; known is {known:?}"
            );
        }
        let doubtful = |namespace: &String| {
            let mut batches = ledger.batches.values().filter(|batch| !batch.acknowledged);
            batches.any(|batch| batch.namespace.trim_matches('/') == namespace.trim_matches('/'))
        };
        listed.retain(|_, namespace| !doubtful(namespace));
        ensure!(listed.is_empty(), "records that nobody sent, or sent once: {listed:?}");
        Ok(())
    }

    async fn questions(&self, memory: &str) -> Result<()> {
        let path = format!("/memories/{memory}/retrieve");
        for number in 0..QUESTIONS {
            let body = json!({"namespacePath": "/", "maxResults": 20,
                "searchCriteria": {"searchQuery": texts::question(number), "topK": 20}});
            let (status, answer) = lists::answer(&self.servers, "POST", &path, Some(&body)).await?;
            ensure!(status == 200, "{path}: {status} {answer}");
        }
        Ok(())
    }

    /// Checks that the index of every server equals a rebuilt one.
    pub(super) async fn indexes(&self) -> Result<()> {
        for (number, wire) in self.servers.running() {
            for memory in &self.memories {
                let equal = index_equals_rebuild(&wire, &memory.id).await;
                equal.with_context(|| format!("server {number}, memory {}", memory.name))?;
            }
        }
        Ok(())
    }
}

/// Returns a few of the items that only one of the sets has.
fn difference(one: &BTreeSet<String>, other: &BTreeSet<String>) -> String {
    let few = |items: Vec<&String>| {
        format!("{} such, like {:?}", items.len(), items.iter().take(3).collect::<Vec<_>>())
    };
    format!(
        "only there: {}; missing: {}",
        few(one.difference(other).collect()),
        few(other.difference(one).collect())
    )
}
