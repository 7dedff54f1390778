//! `alerts_receive`: what an alerting system sent is stored, each piece of news once, and its job asked for, in one write. Who may send is
//! the door's matter. A piece of news is a repetition only if the first was dealt with or still waits: one that failed is taken again.

use loci_engine::deliveries::incoming::{HookTaken, JOB_KEY, ignored};
use loci_engine::memories::by_id_or_name;
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::job::{DueRule, NewJob};
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::services::alert_notice::{AlertNotice, AlertSource};
use loci_model::services::knowledge::SreType;
use loci_model::{DeliveryId, Document, Error, JobId, MemoryId, Result, Timestamp, limits};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::Operations;
use crate::records::namespace_rules;

/// How the order keys of alerts begin.
pub(crate) const ALERT_KEY: &str = "alert ";
/// The order key of what is of no use.
const OF_NOTHING: &str = "-";
/// Old deliveries that leave with one that comes.
const SWEPT: usize = 50;
/// Hex digits of digests in ids and keys.
const DIGITS: usize = 32;

/// A body, proven and read.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertDelivery {
    /// The memory, by id or name, as the address says.
    pub memory: String,
    /// Who sent it.
    pub source: AlertSource,
    /// Digest of the body as it came.
    pub digest: String,
    /// What it says.
    pub news: Vec<AlertNotice>,
}

/// What became of one piece of news at the door.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertTaken {
    /// Its number here.
    pub delivery: DeliveryId,
    /// What became of it.
    pub taken: HookTaken,
}

/// What is kept of a piece of news; the notice goes when it was dealt with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) event: String,
    /// Lists of deliveries say where something happened: here, the service.
    pub(super) repository: String,
    pub(super) digest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) alert: Option<AlertNotice>,
}

impl Kept {
    pub(super) fn read(body: &Document) -> Result<Self> {
        serde_json::from_str(body.as_str())
            .map_err(|error| Error::bug("an alert that came in is damaged").caused_by(error))
    }

    pub(super) fn document(&self) -> Result<Document> {
        let unwritten = |error| Error::bug("an alert that came in cannot be written").caused_by(error);
        Document::parse(&serde_json::to_string(self).map_err(unwritten)?)
    }
}

impl Operations {
    /// Takes what an alerting system sent.
    ///
    /// # Errors
    /// `NotFound` for an unknown memory, `Conflict` for one without investigations; then nothing was taken, and the sender is told.
    pub async fn alerts_receive(&self, delivery: AlertDelivery) -> Result<Vec<AlertTaken>> {
        let now = self.engine.now();
        let jobs =
            delivery.news.iter().map(|_| JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis())));
        let jobs: Vec<JobId> = jobs.collect::<Result<_>>()?;
        let taken = self
            .engine
            .store()
            .write(move |tx| {
                let memory = memory_of(tx, &delivery.memory)?;
                namespace_rules::strategy(&memory, SreType::Investigations)?;
                let old = now.plus_millis(-limits::RECEIVED_KEPT_MS);
                tx.deliveries_mut().sweep_received(&memory.id, old, SWEPT)?;
                let receiving = Receiving { memory: &memory.id, delivery: &delivery, now };
                delivery.news.iter().zip(&jobs).map(|(news, job)| receiving.receive(tx, news, job)).collect()
            })
            .await?;
        self.engine.wake().call();
        Ok(taken)
    }
}

/// A memory by its id, or by its name.
fn memory_of(tx: &mut dyn Tx, wanted: &str) -> Result<Memory> {
    by_id_or_name(tx, wanted)?.ok_or_else(|| {
        let remedy =
            format!("there is no memory {wanted}: PUT /v1/memories/NAME with the profile sre makes one");
        Error::not_found(remedy).on("memory")
    })
}

struct Receiving<'a> {
    memory: &'a MemoryId,
    delivery: &'a AlertDelivery,
    now: Timestamp,
}

impl Receiving<'_> {
    fn receive(&self, tx: &mut dyn Tx, news: &AlertNotice, job: &JobId) -> Result<AlertTaken> {
        let source = self.delivery.source.as_str();
        let id = DeliveryId::parse(digest(&[source, &news.identity]))?;
        let known = tx.deliveries().get(self.memory, DeliveryDirection::In, &id)?;
        if let Some(known) = known.as_ref().filter(|known| known.state != DeliveryState::Failed) {
            // What waits for a job that broke off for good waits for another.
            let waits = known.state == DeliveryState::Pending;
            let is_left = waits && self.ask(tx, &known.order_key, job)?;
            let taken = if is_left { HookTaken::Queued } else { HookTaken::Duplicate };
            return Ok(AlertTaken { delivery: id, taken });
        }
        let is_useful = news.change.is_some();
        let order_key = if is_useful {
            format!("{ALERT_KEY}{}", digest(&[source, &news.fingerprint]))
        } else {
            OF_NOTHING.to_owned()
        };
        let kept = Kept {
            event: news.event.clone(),
            repository: news.place.service.clone().unwrap_or_default(),
            digest: self.delivery.digest.clone(),
            alert: is_useful.then(|| news.clone()),
        };
        let row = Delivery {
            id: id.clone(),
            memory: self.memory.clone(),
            direction: DeliveryDirection::In,
            target: source.to_owned(),
            order_key: order_key.clone(),
            body: kept.document()?,
            state: if is_useful { DeliveryState::Pending } else { DeliveryState::Done },
            attempts: 0,
            due: self.now,
            last_error: (!is_useful).then(|| ignored("event")),
            created_at: known.as_ref().map_or(self.now, |known| known.created_at),
        };
        match known {
            Some(_) => tx.deliveries_mut().note_received(&row).map(drop)?,
            None => tx.deliveries_mut().insert(&row).map(drop)?,
        }
        if !is_useful {
            return Ok(AlertTaken { delivery: id, taken: HookTaken::Ignored("event") });
        }
        self.ask(tx, &order_key, job)?;
        Ok(AlertTaken { delivery: id, taken: HookTaken::Queued })
    }

    /// Asks for the job of an alert; false where one was open.
    fn ask(&self, tx: &mut dyn Tx, order_key: &str, job: &JobId) -> Result<bool> {
        let new = NewJob {
            id: job.clone(),
            memory: self.memory.clone(),
            kind: loci_engine::deliveries::incoming::KIND,
            unique_key: format!("{JOB_KEY}{order_key}"),
            strategy: None,
            actor: None,
            session: None,
            due: self.now,
            due_rule: DueRule::Later,
        };
        tx.jobs_mut().enqueue(&new, self.now).map(|open| open == *job)
    }
}

/// Texts of others as an id or a part of a key: of any length, with any sign.
fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize()).chars().take(DIGITS).collect()
}
