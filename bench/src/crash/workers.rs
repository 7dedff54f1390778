//! The clients of one round: they create events and batches, update, delete and search, until the
//! server is gone.

use std::sync::PoisonError;

use anyhow::Result;
use serde_json::{Value, json};

use super::SharedLedger;
use super::ledger::{KnownRecord, Ledger, SentBatch, SentEvent};
use crate::seeded_random::Seeded;
use crate::texts;
use crate::wire::{Wire, text_at, user_turn};

/// Records per batch: enough to detect a partly written batch.
pub(super) const BATCH: u64 = 8;
const BASE_SECONDS: f64 = 1_790_000_000.0;

struct Worker {
    wire: Wire,
    memory: String,
    ledger: SharedLedger,
    random: Seeded,
    round: u32,
    client: u32,
    calls: u64,
    deletes: bool,
}

/// The load of one round.
pub(super) struct Load {
    pub(super) round: u32,
    pub(super) clients: u32,
    pub(super) seed: u64,
    /// True if records are deleted, and so erased. An erasure removes the saved index.
    pub(super) deletes: bool,
}

/// Starts the clients of a round. Each ends at its first failed call.
pub(super) fn start(wire: &Wire, memory: &str, ledger: &SharedLedger, load: &Load) {
    let &Load { round, clients, seed, deletes } = load;
    for client in 0..clients {
        let mut worker = Worker {
            wire: wire.clone(),
            memory: memory.to_owned(),
            ledger: ledger.clone(),
            random: Seeded::new(seed ^ (u64::from(round) << 20) ^ (u64::from(client) << 8) ^ 0x51ed),
            round,
            client,
            calls: 0,
            deletes,
        };
        tokio::spawn(async move { while worker.step().await.is_ok() {} });
    }
}

impl Worker {
    async fn step(&mut self) -> Result<()> {
        self.calls += 1;
        match self.random.below(10) {
            0..=4 => self.event().await,
            5 | 6 => self.batch().await,
            7 => self.update().await,
            8 if self.deletes => self.delete().await,
            _ => self.question().await,
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut Ledger) -> T) -> T {
        change(&mut self.ledger.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn number(&self) -> u64 {
        (u64::from(self.round) << 32) | (u64::from(self.client) << 24) | self.calls
    }

    async fn event(&mut self) -> Result<()> {
        let number = self.number();
        let token = format!("event-{number}");
        let session = format!("s-{}-{}", self.round, self.client);
        let text = texts::talk(number, 120);
        let sent = SentEvent { session: session.clone(), text: text.clone(), id: None };
        self.with(|ledger| {
            ledger.events.insert(token.clone(), sent);
            ledger.fresh_events.push(token.clone());
        });
        let seconds = BASE_SECONDS + f64::from(self.round) + self.calls as f64 / 1000.0;
        let body = user_turn("crasher", &session, seconds, &token, &text);
        let path = format!("/memories/{}/events", self.memory);
        let made = self.wire.ask("POST", &path, Some(&body)).await?;
        let id = text_at(&made, "/event/eventId")?;
        self.with(|ledger| {
            if let Some(event) = ledger.events.get_mut(&token) {
                event.id = Some(id);
            }
        });
        Ok(())
    }

    async fn batch(&mut self) -> Result<()> {
        let number = self.number();
        let namespace = format!("/batches/{number}/");
        self.with(|ledger| {
            ledger.batches.insert(number, SentBatch { namespace: namespace.clone(), ids: None });
            ledger.fresh_batches.push(number);
        });
        let text = |item: u64| format!("batch {number} item {item}");
        let records: Vec<Value> = (0..BATCH)
            .map(|item| {
                json!({"requestIdentifier": format!("r{item}"), "namespaces": [namespace],
                       "content": {"text": text(item)}, "timestamp": BASE_SECONDS})
            })
            .collect();
        let body = json!({"records": records, "clientToken": format!("batch-{number}")});
        let path = format!("/memories/{}/memoryRecords/batchCreate", self.memory);
        let made = self.wire.ask("POST", &path, Some(&body)).await?;
        let done = made.pointer("/successfulRecords").and_then(Value::as_array).cloned().unwrap_or_default();
        let ids = done.iter().map(|item| text_at(item, "/memoryRecordId")).collect::<Result<Vec<_>>>()?;
        self.with(|ledger| {
            for (item, id) in (0u64..).zip(&ids) {
                ledger.records.insert(id.clone(), KnownRecord::written(text(item)));
                ledger.fresh_records.push(id.clone());
            }
            if let Some(batch) = ledger.batches.get_mut(&number) {
                batch.ids = Some(ids);
            }
        });
        Ok(())
    }

    /// Selects a record that no other client is changing, and reserves it with `mark`.
    fn reserve(&mut self, mark: impl FnOnce(&mut KnownRecord)) -> Option<String> {
        let start = self.random.next();
        self.with(|ledger| {
            let free: Vec<&String> = ledger
                .records
                .iter()
                .filter(|(_, known)| !known.deleted && !known.deleting && known.pending.is_none())
                .map(|(id, _)| id)
                .collect();
            let count = u64::try_from(free.len()).ok().filter(|count| *count > 0)?;
            let id = (*free.get(usize::try_from(start % count).ok()?)?).clone();
            mark(ledger.records.get_mut(&id)?);
            ledger.fresh_records.push(id.clone());
            Some(id)
        })
    }

    async fn update(&mut self) -> Result<()> {
        let text = format!("updated text {}", self.number());
        let Some(id) = self.reserve(|known| known.pending = Some(text.clone())) else { return Ok(()) };
        let body = json!({"records": [{"memoryRecordId": id, "timestamp": BASE_SECONDS, "content": {"text": text}}]});
        let path = format!("/memories/{}/memoryRecords/batchUpdate", self.memory);
        self.wire.ask("POST", &path, Some(&body)).await?;
        self.with(|ledger| {
            ledger.updates += 1;
            if let Some(known) = ledger.records.get_mut(&id) {
                known.text = text;
                known.pending = None;
            }
        });
        Ok(())
    }

    async fn delete(&mut self) -> Result<()> {
        let Some(id) = self.reserve(|known| known.deleting = true) else { return Ok(()) };
        let path = format!("/memories/{}/memoryRecords/{id}", self.memory);
        self.wire.ask("DELETE", &path, None).await?;
        self.with(|ledger| {
            ledger.deletions += 1;
            if let Some(known) = ledger.records.get_mut(&id) {
                known.deleted = true;
                known.deleting = false;
            }
        });
        Ok(())
    }

    async fn question(&mut self) -> Result<()> {
        let body =
            json!({"namespacePath": "/", "searchCriteria": {"searchQuery": texts::question(self.number())}});
        let path = format!("/memories/{}/retrieve", self.memory);
        self.wire.ask("POST", &path, Some(&body)).await.map(drop)
    }
}

/// Writes the records that exist before the first round.
pub(super) async fn fill(wire: &Wire, memory: &str, ledger: &SharedLedger, records: u64) -> Result<()> {
    let numbers: Vec<u64> = (0..records).collect();
    for numbers in numbers.chunks(100) {
        let items: Vec<Value> = numbers
            .iter()
            .map(|number| {
                json!({"requestIdentifier": format!("r{number}"), "namespaces": ["/filled/"],
                       "content": {"text": texts::talk(*number, 60)}, "timestamp": BASE_SECONDS})
            })
            .collect();
        let ids = wire.batch_create(memory, &items).await?;
        for (number, id) in numbers.iter().zip(ids) {
            let known = KnownRecord::written(texts::talk(*number, 60));
            ledger.lock().unwrap_or_else(PoisonError::into_inner).records.insert(id, known);
        }
    }
    Ok(())
}
