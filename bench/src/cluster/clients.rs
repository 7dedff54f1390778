//! The clients of a round. Each writes, reads acknowledged data from another server, and searches,
//! until the round is over. If a dying server breaks a call, the call goes to another server under
//! the same token.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::calls::{Answer, Caller, Request};
use super::ledger::{self, ConversationKey, KnownRecord, SentBatch, SentEvent, Shared};
use crate::texts;
use crate::wire::{text_at, user_turn};

/// Records per batch: enough to detect a partly written batch.
pub(super) const BATCH: u64 = 4;
const BASE_SECONDS: f64 = 1_790_000_000.0;
/// Clients that write into one session.
const TOGETHER: u32 = 4;
/// The size of a turn, in bytes.
const TURN: usize = 120;
/// The maximum pause of a client between calls, in milliseconds.
const THINKS_MS: u64 = 60;

/// A client.
pub(super) struct Client {
    pub(super) caller: Caller,
    pub(super) ledger: Shared,
    /// The ids of the memories. All clients use the first one, and some share each of the others.
    pub(super) memories: Arc<Vec<String>>,
    pub(super) round: u32,
    pub(super) number: u32,
    pub(super) calls: u64,
}

impl Client {
    /// Works until `over` is true.
    pub(super) async fn work(mut self, over: Arc<AtomicBool>) -> Result<()> {
        while !over.load(Ordering::Relaxed) {
            self.calls += 1;
            match self.caller.random.below(12) {
                0..=4 => self.event().await.context("CreateEvent")?,
                5 | 6 => self.batch().await.context("BatchCreateMemoryRecords")?,
                7 => self.update().await.context("BatchUpdateMemoryRecords")?,
                8 => self.delete().await.context("DeleteMemoryRecord")?,
                9 => self.question().await.context("RetrieveMemoryRecords")?,
                _ => self.read_another().await.context("an event that another client wrote")?,
            }
            let thinks = self.caller.random.below(THINKS_MS);
            tokio::time::sleep(Duration::from_millis(thinks)).await;
        }
        Ok(())
    }

    /// Returns the number of the call, unique in the run.
    fn call_number(&self) -> u64 {
        (u64::from(self.round) << 32) | (u64::from(self.number) << 24) | self.calls
    }

    fn memory(&mut self) -> Result<String> {
        let own = 1 + self.number as usize % self.memories.len().saturating_sub(1).max(1);
        let place = if self.caller.random.below(2) == 0 { 0 } else { own };
        self.memories.get(place).or(self.memories.first()).cloned().context("no memory")
    }

    async fn event(&mut self) -> Result<()> {
        let number = self.call_number();
        let group = self.number / TOGETHER;
        let place = ConversationKey {
            memory: self.memory()?,
            actor: format!("group-{group}"),
            session: format!("s-{}-{group}", self.round),
        };
        let (token, text) = (format!("event-{number}"), texts::talk(number, TURN));
        let sent = SentEvent {
            place: place.clone(),
            round: self.round,
            text: text.clone(),
            sent: Instant::now(),
            acknowledged: None,
        };
        ledger::of(&self.ledger).events.insert(token.clone(), sent);
        let seconds = BASE_SECONDS + f64::from(self.round) + self.calls as f64 / 1000.0;
        let body = user_turn(&place.actor, &place.session, seconds, &token, &text);
        let request = Request::post(format!("/memories/{}/events", place.memory), body);
        let Some(made) = self.caller.write(&request).await? else { return Ok(()) };
        ensure!(made.status == 201, "{} {}", made.status, made.body);
        let id = text_at(&made.body, "/event/eventId")?;
        ledger::of(&self.ledger).acknowledge(&token, id.clone());
        self.event_is_at_others(made.server, &place, &id, &text).await?;
        if number.is_multiple_of(4) {
            self.event_is_listed(made.server, &place, &id).await?;
        }
        Ok(())
    }

    async fn event_is_at_others(
        &mut self,
        by: usize,
        place: &ConversationKey,
        id: &str,
        text: &str,
    ) -> Result<()> {
        let request = Request::get(format!("{}/events/{}", place.path(), id.replace('#', "%23")));
        let found = self.caller.read(Some(by), &request).await?;
        let said = || format!("event {id}, which server {by} acknowledged, at server {}", found.server);
        ensure!(found.status == 200, "{}: {} {}", said(), found.status, found.body);
        let stored = text_at(&found.body, "/event/payload/0/conversational/content/text")?;
        ensure!(stored == text, "{}: another text, {stored}", said());
        Ok(())
    }

    async fn event_is_listed(&mut self, by: usize, place: &ConversationKey, id: &str) -> Result<()> {
        let mut next = Value::Null;
        let mut times = 0;
        loop {
            let body = json!({"maxResults": 100, "nextToken": next});
            // Each page may come from another server.
            let page = self.caller.read(Some(by), &Request::post(place.path(), body)).await?;
            ensure!(page.status == 200, "ListEvents: {} {}", page.status, page.body);
            let events = page.body.get("events").and_then(Value::as_array).context("no events")?;
            times += events.iter().filter(|event| event.get("eventId") == Some(&json!(id))).count();
            match page.body.get("nextToken") {
                Some(token) => next = token.clone(),
                None => break,
            }
        }
        ensure!(times == 1, "event {id}, which server {by} acknowledged, is listed {times} times");
        Ok(())
    }

    async fn batch(&mut self) -> Result<()> {
        let (number, memory) = (self.call_number(), self.memory()?);
        let (token, namespace) = (format!("batch-{number}"), format!("/batches/{}/{number}/", self.round));
        let sent = SentBatch {
            memory: memory.clone(),
            namespace: namespace.clone(),
            round: self.round,
            acknowledged: false,
        };
        ledger::of(&self.ledger).batches.insert(token.clone(), sent);
        let text = |item: u64| format!("The zebrafish{number} swims in tank {item}.");
        let records: Vec<Value> = (0..BATCH)
            .map(|item| {
                json!({"requestIdentifier": format!("r{item}"), "namespaces": [namespace],
                       "content": {"text": text(item)}, "timestamp": BASE_SECONDS})
            })
            .collect();
        let body = json!({"records": records, "clientToken": token});
        let request = Request::post(format!("/memories/{memory}/memoryRecords/batchCreate"), body);
        let Some(made) = self.caller.write(&request).await? else { return Ok(()) };
        let ids = successful(&made, BATCH)?;
        {
            let mut ledger = ledger::of(&self.ledger);
            for (item, id) in (0..).zip(&ids) {
                let known = KnownRecord {
                    memory: memory.clone(),
                    round: self.round,
                    text: text(item),
                    pending: None,
                    deleted: false,
                    deleting: false,
                };
                ledger.records.insert(id.clone(), known);
            }
            if let Some(batch) = ledger.batches.get_mut(&token) {
                batch.acknowledged = true;
            }
        }
        self.batch_is_found(made.server, &memory, &namespace, number).await
    }

    /// Checks that another server immediately finds the batch by its own words. Other clients may
    /// already be changing these records.
    async fn batch_is_found(&mut self, by: usize, memory: &str, namespace: &str, number: u64) -> Result<()> {
        let body = json!({"namespacePath": namespace,
            "searchCriteria": {"searchQuery": format!("Where does the zebrafish{number} swim?"), "topK": 10}});
        let request = Request::post(format!("/memories/{memory}/retrieve"), body);
        let found = self.caller.read(Some(by), &request).await?;
        let hits = found.body.get("memoryRecordSummaries").and_then(Value::as_array);
        let hits = hits.with_context(|| format!("{} {}", found.status, found.body))?;
        let word = format!("zebrafish{number}");
        let count = hits
            .iter()
            .filter(|hit| text_at(hit, "/content/text").is_ok_and(|text| text.contains(&word)))
            .count();
        let gone = {
            let ledger = ledger::of(&self.ledger);
            let of_batch = ledger.records.values().filter(|known| known.text.contains(&word));
            of_batch.filter(|known| known.deleted || known.deleting).count()
        };
        ensure!(
            count + gone >= BATCH as usize && count <= BATCH as usize,
            "server {} finds {count} of {BATCH} records ({gone} deleted) that server {by} acknowledged, by {word} in {namespace}",
            found.server
        );
        Ok(())
    }

    async fn update(&mut self) -> Result<()> {
        let memory = self.memory()?;
        let round = self.round;
        let word = self.call_number();
        let reserved = {
            let mut ledger = ledger::of(&self.ledger);
            let id = ledger.reserve(&memory, &mut self.caller.random, |known| known.round = round);
            id.and_then(|id| {
                let known = ledger.records.get_mut(&id)?;
                // The first sentence stays, because the record is found by it.
                let first = known.text.split_inclusive('.').next().unwrap_or_default().to_owned();
                let text = format!("{first} Moved by call {word}.");
                known.pending = Some(text.clone());
                Some((id, text))
            })
        };
        let Some((id, text)) = reserved else { return Ok(()) };
        let record = json!({"memoryRecordId": id, "timestamp": BASE_SECONDS, "content": {"text": text}});
        let request = Request::post(
            format!("/memories/{memory}/memoryRecords/batchUpdate"),
            json!({"records": [record]}),
        );
        let Some(made) = self.caller.write(&request).await? else { return Ok(()) };
        successful(&made, 1)?;
        let found = self.caller.read(Some(made.server), &get_record(&memory, &id)).await?;
        ensure!(
            found.status == 200,
            "record {id} at server {}: {} {}",
            found.server,
            found.status,
            found.body
        );
        let stored = text_at(&found.body, "/memoryRecord/content/text")?;
        ensure!(
            stored == text,
            "record {id}, which server {} changed, has its old text at server {}: {stored}",
            made.server,
            found.server
        );
        if let Some(known) = ledger::of(&self.ledger).records.get_mut(&id) {
            known.text = text;
            known.pending = None;
        }
        Ok(())
    }

    async fn delete(&mut self) -> Result<()> {
        let memory = self.memory()?;
        let round = self.round;
        let reserved = ledger::of(&self.ledger).reserve(&memory, &mut self.caller.random, |known| {
            known.deleting = true;
            known.round = round;
        });
        let Some(id) = reserved else { return Ok(()) };
        let path = format!("/memories/{memory}/memoryRecords/{id}");
        let request = Request { method: "DELETE", path, body: None };
        let Some(made) = self.caller.write(&request).await? else { return Ok(()) };
        let is_done = made.status == 200 || (made.status == 404 && made.after_doubt);
        ensure!(is_done, "record {id}: {} {}", made.status, made.body);
        let found = self.caller.read(Some(made.server), &get_record(&memory, &id)).await?;
        ensure!(
            found.status == 404,
            "record {id}, which server {} deleted, at server {}: {} {}",
            made.server,
            found.server,
            found.status,
            found.body
        );
        if let Some(known) = ledger::of(&self.ledger).records.get_mut(&id) {
            known.deleted = true;
            known.deleting = false;
        }
        Ok(())
    }

    async fn question(&mut self) -> Result<()> {
        let memory = self.memory()?;
        let body = json!({"namespacePath": "/",
            "searchCriteria": {"searchQuery": texts::question(self.call_number())}});
        let request = Request::post(format!("/memories/{memory}/retrieve"), body);
        let found = self.caller.read(None, &request).await?;
        ensure!(found.status == 200, "{} {}", found.status, found.body);
        Ok(())
    }

    async fn read_another(&mut self) -> Result<()> {
        let event = ledger::of(&self.ledger).any_event(&mut self.caller.random);
        let Some(SentEvent { place, text, acknowledged: Some((id, _)), .. }) = event else { return Ok(()) };
        // The ledger does not record the writing server: every server must know the event.
        self.event_is_at_others(usize::MAX, &place, &id, &text).await
    }
}

fn get_record(memory: &str, id: &str) -> Request {
    Request::get(format!("/memories/{memory}/memoryRecord/{id}"))
}

/// Returns the ids of the records of a batch, and fails if one was rejected.
fn successful(answer: &Answer, count: u64) -> Result<Vec<String>> {
    let done = answer.body.get("successfulRecords").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    ensure!(done.len() as u64 == count, "{} {}", answer.status, answer.body);
    done.iter().map(|item| text_at(item, "/memoryRecordId")).collect()
}
