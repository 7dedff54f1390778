//! The coordinator of extraction. It records messages and the ends of invocations. `run`,
//! `save_due` or `flush` sends the messages.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::join_all;

use super::background::{Background, HandleGuard};
use super::config::{CoordinatorOptions, ExtractingStore};
use super::lane::Lane;
use super::quarantine::{Quarantine, QuarantinedContent, QuarantinedItem};
use super::queue::PushOutcome;
use super::segment::Segment;
use super::spool::Spool;
use super::spool_recovery::{Recovered, recover};
use super::store_save::LaneHub;
use crate::agent::batch::SequencedMessage;
use crate::agent::error::{MemoryError, StoreError};
use crate::agent::isolation::caught;
use crate::agent::message::Message;
use crate::agent::runtime::{RuntimeContext, run_id};
use crate::agent::store::ExtractionWaited;

/// A sender of messages to the stores that have an extraction configuration. Clones share its
/// state.
#[derive(Clone)]
pub struct ExtractionCoordinator {
    lanes: Arc<[Arc<Lane>]>,
    hub: Arc<LaneHub>,
    /// The next sequence number. Its lock is held until a new message is in the queue of every
    /// store, so that each queue keeps the order.
    next: Arc<Mutex<u64>>,
    _alive: Arc<HandleGuard>,
}

/// A store that has messages it has not saved yet.
#[derive(Debug, Clone)]
pub struct UnsavedStore {
    /// The name of the store.
    pub store_name: String,
    /// The number of messages that wait to be saved.
    pub messages: usize,
    /// The number of messages that were lost because memory was full.
    pub dropped: u64,
    /// The error that stopped the last save.
    pub error: Option<StoreError>,
}

impl ExtractionCoordinator {
    /// Creates a coordinator, and loads the messages that earlier runs left in the spool.
    pub(in crate::agent) fn new(
        stores: Vec<ExtractingStore>,
        options: CoordinatorOptions,
        surroundings: RuntimeContext,
    ) -> Result<Self, MemoryError> {
        let unusable = |source| MemoryError::Initialization { store_name: "spool".to_owned(), source };
        let spool = options.spool.as_deref().filter(|_| !stores.is_empty());
        let run_id: Arc<str> = run_id(&surroundings).into();
        let recovered = match spool {
            Some(directory) => recover(directory, &stores).map_err(unusable)?,
            None => Recovered::default(),
        };
        let names = stores.iter().map(|extracting| extracting.store.name().to_owned()).collect();
        let lanes: Arc<[Arc<Lane>]> =
            stores.into_iter().map(|extracting| Arc::new(Lane::new(extracting))).collect();
        for (store_name, leftover) in recovered.leftovers {
            if let Some(lane) = lanes.iter().find(|lane| lane.name() == store_name) {
                lane.recovered(leftover);
            }
        }
        let spool = spool
            .map(|directory| Spool::open(directory, &run_id, names, recovered.runs))
            .transpose()
            .map_err(unusable)?;
        let quarantine =
            Quarantine::open(options.spool.as_deref().filter(|_| spool.is_some()), options.on_quarantine)
                .map_err(unusable)?;
        let [closed, abandoned, in_background] = [(); 3].map(|()| AtomicBool::new(false));
        let hub = LaneHub { surroundings, run_id, spool, quarantine, closed, abandoned, in_background };
        let hub = Arc::new(hub);
        let alive = Arc::new(HandleGuard::new(&lanes, &hub));
        Ok(Self { lanes, hub, next: Arc::default(), _alive: alive })
    }

    /// Like [`ExtractionCoordinator::run`], but for an executor: the future also ends when the last
    /// handle of this coordinator is dropped.
    pub(in crate::agent) fn background(&self) -> impl Future<Output = ()> + Send + 'static {
        Background::new(&self.lanes, &self.hub).run()
    }

    /// Returns true if any store receives messages.
    pub fn has_stores(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// Records a message and keeps a copy until every store has saved it. A message without a time
    /// gets the current one.
    ///
    /// # Errors
    /// If the message cannot be written to the spool; it is kept in memory nevertheless. After
    /// [`ExtractionCoordinator::close`] it is not kept.
    pub fn record(&self, message: &Message) -> Result<(), StoreError> {
        if self.lanes.is_empty() {
            return Ok(());
        }
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if self.hub.is_closed() {
            let what = "the memory manager is closed and keeps nothing more: build another one";
            return Err(StoreError::permanent(what));
        }
        let mut message = message.clone();
        message.at_ms.get_or_insert_with(|| self.hub.surroundings.clock.now_ms());
        let message = Arc::new(SequencedMessage { sequence: *next, message });
        *next += 1;
        let spooled = self.hub.spool.as_ref().map(|spool| spool.record(&message));
        let has_spool = matches!(spooled, Some(Ok(())));
        // Every store gets the message even if the spool fails; the first error is returned at the
        // end.
        let mut told = spooled.unwrap_or(Ok(()));
        for lane in self.lanes.iter() {
            let mut state = lane.lock();
            if let PushOutcome::Dropped(sequence) = state.queue.push(Arc::clone(&message), has_spool) {
                state.dropped += 1;
                drop(state);
                tracing::error!(
                    "store=<{}> | no room for unsaved messages, the oldest was dropped",
                    lane.name()
                );
                if let Some(spool) = &self.hub.spool {
                    told = told.and(spool.done(lane.name(), &self.hub.run_id, &[sequence]));
                }
            }
        }
        told
    }

    /// Records the end of an invocation and asks the triggers. `run` or `save_due` then does the
    /// requested saves.
    pub fn invocation_ended(&self) {
        self.lanes.iter().for_each(|lane| lane.invocation_ended());
    }

    /// Saves the messages of each store when a trigger has fired or a retry is due, until
    /// [`ExtractionCoordinator::close`]. A manager with an executor runs this from its start until
    /// its last handle is dropped.
    pub async fn run(&self) {
        join_all(self.lanes.iter().map(|lane| Arc::clone(lane).run(Arc::clone(&self.hub)))).await;
    }

    /// Runs once the saves that are due now. For callers without an executor.
    pub async fn save_due(&self) {
        let due = self.lanes.iter().filter(|lane| lane.is_due(&self.hub));
        join_all(due.map(|lane| lane.save(&self.hub))).await;
    }

    /// Saves all messages in every store, including stores in backoff. Returns the stores with
    /// messages that could not be saved. It does not wait for extraction on a server.
    pub async fn flush(&self) -> Vec<UnsavedStore> {
        join_all(self.lanes.iter().map(|lane| lane.flush(&self.hub))).await;
        self.unsaved()
    }

    /// Saves all messages, then waits until searches can find them. Returns the extraction state of
    /// each store, or the error for which it could not be read.
    pub async fn flush_and_extract(
        &self,
        timeout_ms: u64,
    ) -> (Vec<UnsavedStore>, Vec<(String, Result<ExtractionWaited, StoreError>)>) {
        let unsaved = self.flush().await;
        let waits = self.lanes.iter().map(|lane| async move {
            let wait = async { lane.extracting.store.wait_extracted(timeout_ms).await };
            (lane.name().to_owned(), caught("the store", wait).await)
        });
        (unsaved, join_all(waits).await)
    }

    /// Saves all messages and ends `run`. After that the coordinator accepts no messages. Returns
    /// the stores with messages that could not be saved.
    pub async fn close(&self) -> Vec<UnsavedStore> {
        {
            // Under its lock: messages accepted before are saved with the rest, later ones are
            // rejected.
            let _next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            self.hub.closed.store(true, Ordering::Release);
        }
        let unsaved = self.flush().await;
        self.lanes.iter().for_each(|lane| lane.bell.ring());
        if let Some(spool) = &self.hub.spool
            && let Err(error) = spool.close()
        {
            tracing::warn!("reason=<{error}> | spool cannot be tidied up");
        }
        unsaved
    }

    /// Returns the stores that have unsaved messages, in the order of the stores.
    pub fn unsaved(&self) -> Vec<UnsavedStore> {
        let stands = |lane: &Arc<Lane>| {
            let state = lane.lock();
            UnsavedStore {
                store_name: lane.name().to_owned(),
                messages: state.queue.unsaved(),
                dropped: state.dropped,
                error: state.last_error.clone(),
            }
        };
        self.lanes.iter().map(stands).filter(|one| one.messages > 0 || one.dropped > 0).collect()
    }

    /// Returns the messages and entries in quarantine, in the order in which they were recorded. A
    /// store has rejected each permanently.
    ///
    /// # Errors
    /// If the quarantine directory cannot be read.
    pub fn quarantined(&self) -> Result<Vec<QuarantinedItem>, StoreError> {
        self.hub.quarantine.items()
    }

    /// Sends everything in quarantine again and returns the items that remain there.
    ///
    /// # Errors
    /// If the quarantine directory cannot be read.
    pub async fn retry_quarantined(&self) -> Result<Vec<QuarantinedItem>, StoreError> {
        for item in self.quarantined()? {
            let Some(lane) = self.lanes.iter().find(|lane| lane.name() == item.store_name) else { continue };
            let run_id: Arc<str> = item.run_id.into();
            let mut segment = match item.content {
                QuarantinedContent::Message { sequence, message } => {
                    Segment::new(run_id, vec![Arc::new(SequencedMessage { sequence, message })])
                }
                QuarantinedContent::Entry(entry) => {
                    Segment { entries: Some(vec![entry]), ..Segment::new(run_id, Vec::new()) }
                }
            };
            let mut state = lane.lock();
            if !state.queue.has_quarantined(&item.key) {
                segment.quarantined_as = Some(item.key);
                segment.unfiltered = item.unfiltered;
                state.queue.append(segment);
            }
        }
        self.flush().await;
        self.quarantined()
    }

    #[cfg(test)]
    pub(super) fn limit_room(&self, messages_bytes: Option<usize>, journal_bytes: Option<usize>) {
        self.hub.spool.as_ref().unwrap().limit_room(messages_bytes, journal_bytes);
    }

    #[cfg(test)]
    pub(super) fn in_memory(&self, store_name: &str) -> usize {
        let lane = self.lanes.iter().find(|lane| lane.name() == store_name).unwrap();
        let state = lane.lock();
        state.queue.in_memory()
    }
}

impl std::fmt::Debug for ExtractionCoordinator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExtractionCoordinator").field("unsaved", &self.unsaved()).finish_non_exhaustive()
    }
}
