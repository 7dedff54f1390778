//! The verb `hook_receive`: stores a delivery of a forge once and requests the job of its unit, in
//! one write, so that the sender waits for no further work. The delivery's number is the only
//! protection against replays, because signatures contain no time. Numbers are kept for thirty
//! days.

use loci_engine::deliveries::incoming_deliveries::{HookTaken, JOB_KEY, ignored};
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::job::{DueRule, NewJob};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::tasks::forge_notifications::{ForgeNews, ForgeNotice, NewsUnit, NoticedRepository};
use loci_model::{DeliveryId, Document, Error, JobId, MemoryId, Result, Timestamp, limits};
use loci_verified::noticed;
use serde::{Deserialize, Serialize};

use super::secret_masking;
use crate::Coding;

/// The maximum number of old deliveries that one new delivery removes.
const SWEPT: usize = 50;
/// The order key of deliveries without a unit.
const OF_NOTHING: &str = "-";
/// The reason why a delivery of an unregistered repository has no effect.
pub(super) const UNKNOWN_REPO: &str = "unknown_repo";

/// A delivery with a valid signature.
#[derive(Debug, Clone, PartialEq)]
pub struct HookDelivery {
    /// The name of the hook here.
    pub hook: &'static str,
    /// The sender's number of the delivery.
    pub id: DeliveryId,
    /// The sender's number of the hook.
    pub hook_id: Option<String>,
    /// The digest of the body as received.
    pub digest: String,
    /// The content.
    pub notice: ForgeNotice,
}

/// The stored part of a delivery: its event and its identification. The event is removed after
/// processing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredDelivery {
    pub(super) event: String,
    pub(super) repository: String,
    pub(super) digest: String,
    #[serde(default)]
    pub(super) hook_id: Option<String>,
    #[serde(default)]
    pub(super) news: Option<ForgeNews>,
    /// The identity of an unregistered repository, which may be registered later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) unknown: Option<NoticedRepository>,
}

impl StoredDelivery {
    pub(super) fn read(body: &Document) -> Result<Self> {
        serde_json::from_str(body.as_str())
            .map_err(|error| Error::bug("a delivery that came in is damaged").caused_by(error))
    }

    pub(super) fn document(&self) -> Result<Document> {
        let unwritten = |error| Error::bug("a delivery that came in cannot be written").caused_by(error);
        Document::parse(&serde_json::to_string(self).map_err(unwritten)?)
    }
}

impl Coding {
    /// Takes in a delivery. The door has already verified the signature.
    ///
    /// # Errors
    /// Errors of the store. Nothing was stored then, and the sender receives the error.
    pub async fn hook_receive(&self, mut delivery: HookDelivery) -> Result<HookTaken> {
        let Some(memory) = self.memory_of_hooks().await? else {
            return Ok(HookTaken::Ignored(UNKNOWN_REPO));
        };
        if let Some(news) = delivery.notice.news.take() {
            delivery.notice.news =
                Some(self.engine.long_work().run(move || secret_masking::news(news)).await?);
        }
        let now = self.engine.now();
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let debounce_ms = self.parts.settings.forge.debounce_ms;
        let taken = self
            .engine
            .store()
            .write(move |tx| {
                let receiving = Receiving { memory: &memory, now, job: &job, debounce_ms };
                receiving.receive(tx, &delivery)
            })
            .await?;
        self.engine.wake().call();
        Ok(taken)
    }
}

struct Receiving<'a> {
    memory: &'a MemoryId,
    now: Timestamp,
    job: &'a JobId,
    debounce_ms: i64,
}

impl Receiving<'_> {
    fn receive(&self, tx: &mut dyn Tx, delivery: &HookDelivery) -> Result<HookTaken> {
        let old = self.now.plus_millis(-limits::RECEIVED_KEPT_MS);
        tx.deliveries_mut().sweep_received(self.memory, old, SWEPT)?;
        let known = tx.deliveries().get(self.memory, DeliveryDirection::In, &delivery.id)?;
        if let Some(known) = known.as_ref().filter(|known| !may_be_read_again(known)) {
            // A delivery whose job failed permanently waits for another job.
            let is_left = known.state == DeliveryState::Pending
                && ask(tx, self.memory, &known.order_key, (self.job, self.now, 0))?;
            return Ok(if is_left { HookTaken::Queued } else { HookTaken::Duplicate });
        }
        let (unit, taken) = read(tx, self.memory, &delivery.notice, self.now)?;
        let is_queued = taken == HookTaken::Queued;
        let order_key = unit.clone().unwrap_or_else(|| OF_NOTHING.to_owned());
        let row = Delivery {
            id: delivery.id.clone(),
            memory: self.memory.clone(),
            direction: DeliveryDirection::In,
            target: delivery.hook.to_owned(),
            order_key,
            body: kept(delivery, taken).document()?,
            state: if is_queued { DeliveryState::Pending } else { DeliveryState::Done },
            attempts: 0,
            due: self.now,
            last_error: match taken {
                HookTaken::Ignored(why) => Some(ignored(why)),
                HookTaken::Queued | HookTaken::Duplicate => None,
            },
            created_at: known.as_ref().map_or(self.now, |known| known.created_at),
        };
        match known {
            // The known delivery failed, or was of an unknown repository. It is sent again under
            // its number, and processed again.
            Some(_) => tx.deliveries_mut().note_received(&row).map(drop)?,
            None => tx.deliveries_mut().insert(&row).map(drop)?,
        }
        if let Some(key) = unit.filter(|_| is_queued) {
            ask(tx, self.memory, &key, (self.job, self.now, self.debounce_ms))?;
        }
        Ok(taken)
    }
}

/// True if a known delivery is read like a new one: it failed, or its repository was unknown.
pub(super) fn may_be_read_again(known: &Delivery) -> bool {
    match known.state {
        DeliveryState::Failed => true,
        DeliveryState::Pending => false,
        DeliveryState::Done => known.last_error.as_deref() == Some(ignored(UNKNOWN_REPO).as_str()),
    }
}

/// Returns the unit of an event, and the result of the delivery.
pub(super) fn read(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    notice: &ForgeNotice,
    now: Timestamp,
) -> Result<(Option<String>, HookTaken)> {
    let formerly = match &notice.news {
        Some(ForgeNews::Named { formerly }) => Some(formerly.as_str()),
        Some(_) | None => None,
    };
    let Some(repository) = noticed(tx, memory, &notice.repository, formerly, now)? else {
        return Ok((None, HookTaken::Ignored(UNKNOWN_REPO)));
    };
    let Some(news) = &notice.news else { return Ok((None, HookTaken::Ignored("event"))) };
    Ok((Some(news.unit().key(&repository.id)), HookTaken::Queued))
}

/// Requests the job of a unit. The job of a review is delayed until events stop for a while,
/// because a review arrives in many parts. Returns false if a job is already open.
pub(super) fn ask(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    key: &str,
    (job, now, debounce_ms): (&JobId, Timestamp, i64),
) -> Result<bool> {
    let is_review = matches!(NewsUnit::of_key(key), Some((_, NewsUnit::Review { .. })));
    let new = NewJob {
        id: job.clone(),
        memory: memory.clone(),
        kind: loci_engine::deliveries::incoming_deliveries::KIND,
        unique_key: format!("{JOB_KEY}{key}"),
        strategy: None,
        actor: None,
        session: None,
        due: if is_review { now.plus_millis(debounce_ms) } else { now },
        due_rule: DueRule::Later,
    };
    tx.jobs_mut().enqueue(&new, now).map(|open| open == *job)
}

/// Returns the stored part of a delivery. It includes the event if it has an effect, or may have
/// one after the repository's registration.
fn kept(delivery: &HookDelivery, taken: HookTaken) -> StoredDelivery {
    let is_unknown = taken == HookTaken::Ignored(UNKNOWN_REPO);
    let with_news = is_unknown || taken == HookTaken::Queued;
    StoredDelivery {
        unknown: is_unknown.then(|| delivery.notice.repository.clone()),
        event: delivery.notice.event.clone(),
        repository: delivery.notice.repository.path.clone(),
        digest: delivery.digest.clone(),
        hook_id: delivery.hook_id.clone(),
        news: delivery.notice.news.clone().filter(|_| with_news),
    }
}
