//! The verbs `hook_deliveries` and `hook_delivery_retry`: lists the deliveries of hooks, and
//! retries failed ones.

use loci_api::hook::HookDelivery;
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::page::Page;
use loci_engine::deliveries::incoming_deliveries::{HookTaken, IGNORED};
use loci_engine::memories::existing;
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::forge_notifications::ForgeNotice;
use loci_model::{DeliveryId, Error, JobId, Result, Timestamp, limits};

use super::hook_receive::{StoredDelivery, UNKNOWN_REPO, ask, may_be_read_again, read};
use crate::Coding;

/// The maximum number of deliveries that one page scans.
const SCANNED_MAX: usize = 1_000;

/// The state of a delivery, in the words of hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookState {
    /// The delivery waits, or is being processed.
    Received,
    /// The delivery was processed.
    Done,
    /// The delivery failed permanently.
    Failed,
    /// The delivery had no effect.
    Ignored,
}

impl HookState {
    /// All states.
    pub const ALL: &'static [Self] = &[Self::Received, Self::Done, Self::Failed, Self::Ignored];

    /// Returns the name that the API uses for this value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Ignored => "ignored",
        }
    }

    /// Parses a state from its word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|state| state.as_str() == word)
    }

    fn of(delivery: &Delivery) -> Self {
        let is_ignored = delivery.last_error.as_deref().is_some_and(|said| said.starts_with(IGNORED));
        match delivery.state {
            DeliveryState::Pending => Self::Received,
            DeliveryState::Failed => Self::Failed,
            DeliveryState::Done if is_ignored => Self::Ignored,
            DeliveryState::Done => Self::Done,
        }
    }

    fn stored(self) -> DeliveryState {
        match self {
            Self::Received => DeliveryState::Pending,
            Self::Failed => DeliveryState::Failed,
            Self::Done | Self::Ignored => DeliveryState::Done,
        }
    }
}

impl Coding {
    /// Returns a page of deliveries, the newest first. A page that is not full may have a next one,
    /// because each page scans a limited number of deliveries.
    ///
    /// # Errors
    /// `Denied` without administration of the memory; `Invalid` (limit not 1 to 100).
    pub async fn hook_deliveries(
        &self,
        caller: &Principal,
        standing: &CallContext,
        state: Option<HookState>,
        after: Option<DeliveryId>,
        limit: u32,
    ) -> Result<Page<HookDelivery, DeliveryId>> {
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Admin)?;
        if limit == 0 || limit > limits::PAGE_ITEMS_MAX {
            return Err(Error::invalid("limit", "limit must be 1 to 100"));
        }
        let wanted = limit as usize;
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let direction = DeliveryDirection::In;
                let (mut rows, mut after, mut scanned) = (Vec::new(), after.clone(), 0);
                let is_whole = loop {
                    let stored = state.map(HookState::stored);
                    let page =
                        tx.deliveries().page(&memory, direction, stored, after.as_ref(), wanted + 1)?;
                    let is_last = page.len() <= wanted;
                    for row in page {
                        (after, scanned) = (Some(row.id.clone()), scanned + 1);
                        if state.is_none_or(|state| state == HookState::of(&row)) {
                            rows.extend(tx.deliveries().get(&memory, direction, &row.id)?);
                        }
                    }
                    if is_last || rows.len() > wanted || scanned >= SCANNED_MAX {
                        break is_last || rows.len() > wanted;
                    }
                };
                let page = Page::cut(rows, wanted, |row| row.id.clone());
                let items = page.items.into_iter().map(shown).collect::<Result<Vec<_>>>()?;
                // If the scan stopped early, the next page continues after the last scanned
                // delivery.
                Ok(Page { items, next: if is_whole { page.next } else { after } })
            })
            .await
    }

    /// Processes a delivery again that failed, whose repository was unknown, or whose job failed
    /// permanently.
    ///
    /// # Errors
    /// `Denied` without administration of the memory; `NotFound`; `Conflict` for any other
    /// delivery, and if the repository is still unknown.
    pub async fn hook_delivery_retry(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &DeliveryId,
    ) -> Result<HookDelivery> {
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Admin)?;
        let (id, now) = (id.clone(), self.engine.now());
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let shown = self
            .engine
            .store()
            .write(move |tx| {
                existing(tx, &memory)?;
                let found = tx.deliveries().get(&memory, DeliveryDirection::In, &id)?;
                let missing = || Error::not_found("no delivery of that id came in: list them").on("guid");
                let row = again(tx, found.ok_or_else(missing)?, now)?;
                let waited = row.state == DeliveryState::Pending;
                let row = Delivery { state: DeliveryState::Pending, attempts: 0, due: now, ..row };
                tx.deliveries_mut().note_received(&row)?;
                let is_new = ask(tx, &memory, &row.order_key, (&job, now, 0))?;
                if waited && !is_new {
                    return Err(refused(&row));
                }
                shown(row)
            })
            .await?;
        self.engine.wake().call();
        Ok(shown)
    }
}

/// Returns a delivery in the state to process it again.
fn again(tx: &mut dyn Tx, row: Delivery, now: Timestamp) -> Result<Delivery> {
    if row.state != DeliveryState::Done {
        return Ok(row);
    }
    if !may_be_read_again(&row) {
        return Err(refused(&row));
    }
    let kept = StoredDelivery::read(&row.body)?;
    let Some(repository) = kept.unknown.clone() else {
        let rule = "what the delivery said was not kept: have the forge send it again";
        return Err(Error::conflict(rule));
    };
    let notice = ForgeNotice { repository, event: kept.event.clone(), news: kept.news.clone() };
    match read(tx, &row.memory, &notice, now)? {
        (Some(order_key), _) => {
            let body = StoredDelivery { unknown: None, ..kept }.document()?;
            Ok(Delivery { order_key, body, last_error: None, ..row })
        }
        (None, HookTaken::Ignored(UNKNOWN_REPO)) => {
            let rule = format!("{} is still not registered: register it, then try again", kept.repository);
            Err(Error::conflict(rule))
        }
        (None, _) => Err(Error::conflict("nothing follows from this event: it is of no use here")),
    }
}

fn refused(row: &Delivery) -> Error {
    let state = HookState::of(row).as_str();
    let rule = format!(
        "the delivery is {state}: only a failed one, or one of an unknown repository, is tried again"
    );
    Error::conflict(rule)
}

fn shown(row: Delivery) -> Result<HookDelivery> {
    let (kept, state) = (StoredDelivery::read(&row.body)?, HookState::of(&row));
    let reason = row.last_error.map(|said| said.strip_prefix(IGNORED).map(str::to_owned).unwrap_or(said));
    Ok(HookDelivery {
        guid: row.id.to_string(),
        hook: row.target,
        hook_id: kept.hook_id,
        event: kept.event,
        repository: kept.repository,
        state: state.as_str().to_owned(),
        reason,
        attempts: row.attempts,
        sha256: kept.digest,
        received_at: row.created_at.to_rfc3339(),
    })
}
