//! `alerts_receive`: stores each notice of an alerting system once and enqueues its job, in one
//! transaction. The hook endpoint authenticates the sender. A notice is a duplicate only if the
//! first one is pending or done; a failed one is accepted again.

use loci_engine::deliveries::incoming_deliveries::{HookTaken, JOB_KEY, ignored};
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

/// The prefix of the order keys of alerts.
pub(crate) const ALERT_KEY: &str = "alert ";
/// The order key of notices without an effect.
const OF_NOTHING: &str = "-";
/// The maximum number of old deliveries that each request removes.
const SWEPT: usize = 50;
/// The number of hex digits of digests in ids and keys.
const DIGITS: usize = 32;

/// An authenticated and parsed request body.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertDelivery {
    /// The id or name of the memory, as given in the URL.
    pub memory: String,
    /// The alerting system that sent the body.
    pub source: AlertSource,
    /// The digest of the raw body of the webhook.
    pub digest: String,
    /// The alert notices in the body of the webhook.
    pub news: Vec<AlertNotice>,
}

/// The result of receiving one notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertTaken {
    /// The id of the stored delivery.
    pub delivery: DeliveryId,
    /// The outcome for this notice.
    pub taken: HookTaken,
}

/// The stored form of a notice. The notice is removed after processing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredNotice {
    pub(super) event: String,
    /// The service. Lists of deliveries show this member as the location.
    pub(super) repository: String,
    pub(super) digest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) alert: Option<AlertNotice>,
}

impl StoredNotice {
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
    /// Stores the notices of an alerting system and enqueues their jobs.
    ///
    /// # Errors
    /// `NotFound` for an unknown memory, `Conflict` for a memory without investigations. In both
    /// cases nothing is stored, and the sender receives the error.
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

/// Returns a memory by its id or name.
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
            // The job of a pending notice may have been given up: enqueue another one.
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
        let kept = StoredNotice {
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

    /// Enqueues the job of an alert. Returns false if one is already open.
    fn ask(&self, tx: &mut dyn Tx, order_key: &str, job: &JobId) -> Result<bool> {
        let new = NewJob {
            id: job.clone(),
            memory: self.memory.clone(),
            kind: loci_engine::deliveries::incoming_deliveries::KIND,
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

/// Returns a digest of texts by third parties, for use in ids and keys. The texts may have any
/// length and any characters.
fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize()).chars().take(DIGITS).collect()
}
