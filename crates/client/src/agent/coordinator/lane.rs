//! A lane: the queue of one store, the time of its next save, and its save in progress.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, select};

use super::config::ExtractingStore;
use super::queue::Queue;
use super::retry_schedule::Pacing;
use super::store_save::{LaneHub, save_all};
use super::trigger::{ExtractionTrigger, Turns};
use super::unsent_messages::Leftover;
use super::wake_signal::WakeSignal;
use crate::agent::error::StoreError;
use crate::agent::isolation::{caught_call, panicked};

/// A store with its queue and its save in progress.
pub(super) struct Lane {
    pub(super) extracting: ExtractingStore,
    pub(super) bell: WakeSignal,
    name: String,
    state: Mutex<LaneState>,
}

/// The state of a lane that changes, behind its lock.
#[derive(Default)]
pub(super) struct LaneState {
    pub(super) queue: Queue,
    pub(super) pacing: Pacing,
    /// The error that stopped the last save. `None` after a success.
    pub(super) last_error: Option<StoreError>,
    /// The number of messages that were lost because memory was full.
    pub(super) dropped: u64,
    requested: bool,
    /// The id of the tracing span of the agent that requested the save. The lane holds only the id,
    /// because holding the span would keep it open.
    asked_in: Option<tracing::Id>,
    invocations: u64,
    saving: Option<Shared<BoxFuture<'static, ()>>>,
}

impl Lane {
    pub(super) fn new(extracting: ExtractingStore) -> Self {
        let name = extracting.store.name().to_owned();
        Self { extracting, name, bell: WakeSignal::default(), state: Mutex::default() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues messages that an earlier run left. They are sent as soon as the lane runs.
    pub(super) fn recovered(&self, leftover: Leftover) {
        let mut state = self.lock();
        state.queue.left(leftover);
        state.requested = true;
        drop(state);
        self.bell.ring();
    }

    /// Counts an invocation, and requests a save if a trigger fires.
    pub(super) fn invocation_ended(&self) {
        let turns = {
            let mut state = self.lock();
            state.invocations += 1;
            Turns { invocations: state.invocations, unsaved: state.queue.unsaved() }
        };
        // Triggers are foreign code: they are called without the lock.
        let fires = |trigger: &Arc<dyn ExtractionTrigger>| {
            caught_call("the trigger", || trigger.fires(turns)).unwrap_or_else(|error| {
                tracing::error!("store=<{}>, reason=<{error}> | memory trigger failed", self.name());
                false
            })
        };
        if turns.unsaved > 0 && self.extracting.triggers.iter().any(fires) {
            let mut state = self.lock();
            state.requested = true;
            state.asked_in = tracing::Span::current().id();
            drop(state);
            self.bell.ring();
        }
    }

    /// Returns the id of the span that requested the save that starts now.
    pub(super) fn asked_in(&self) -> Option<tracing::Id> {
        self.lock().asked_in.take()
    }

    /// Returns true if a save is due now. A request that must wait for a retry time stays pending.
    /// A request that backoff skips is consumed.
    pub(super) fn is_due(&self, hub: &LaneHub) -> bool {
        let now_ms = hub.surroundings.clock.now_ms();
        let chance = hub.surroundings.randomness.bits();
        let mut state = self.lock();
        let timer = state.queue.unsaved() > 0 && state.pacing.retry_at_ms().is_some_and(|at| at <= now_ms);
        if (!state.requested && !timer) || state.pacing.must_wait(now_ms) {
            return false;
        }
        state.requested = false;
        state.pacing.admits(now_ms, chance)
    }

    /// Saves all messages of the lane, or joins the save in progress. Returns true if it joined.
    ///
    /// The save belongs to the lane and not to its caller. If a caller is dropped, the next one
    /// continues the save, so that no write is interrupted.
    pub(super) async fn save(self: &Arc<Self>, hub: &Arc<LaneHub>) -> bool {
        let (saving, joined) = {
            let mut state = self.lock();
            match &state.saving {
                Some(saving) => (saving.clone(), true),
                None => {
                    let (lane, hub) = (Arc::clone(self), Arc::clone(hub));
                    let saving = async move {
                        let ended = AssertUnwindSafe(save_all(&lane, &hub)).catch_unwind().await;
                        if ended.is_err() {
                            lane.interrupted(&hub);
                        }
                        lane.lock().saving = None;
                    };
                    let saving = saving.boxed().shared();
                    state.saving = Some(saving.clone());
                    (saving, false)
                }
            }
        };
        saving.await;
        joined
    }

    pub(super) fn is_saving(&self) -> bool {
        self.lock().saving.is_some()
    }

    /// Drops the save in progress without completing it.
    pub(super) fn forget_save(&self) {
        let saving = self.lock().saving.take();
        // Without the lock: dropping the save may run foreign code of a store.
        drop(saving);
    }

    /// Queues the segment that was being sent again, after the save panicked.
    fn interrupted(&self, hub: &LaneHub) {
        tracing::error!("store=<{}> | memory save panicked, it is tried again", self.name());
        let mut state = self.lock();
        state.queue.interrupted();
        // The clock may be the cause of the panic: then the next request retries.
        let at_ms = caught_call("the clock", || hub.surroundings.clock.now_ms()).unwrap_or(i64::MIN);
        state.pacing.failed(at_ms, 0);
        state.last_error = Some(panicked("a save"));
    }

    /// Saves until no message waits, or until a save that this call started fails. It ignores
    /// backoff.
    pub(super) async fn flush(self: &Arc<Self>, hub: &Arc<LaneHub>) {
        loop {
            let joined = self.save(hub).await;
            let state = self.lock();
            if state.queue.unsaved() == 0 || (state.last_error.is_some() && !joined) {
                return;
            }
        }
    }

    /// Starts a save whenever one is due, until the coordinator is closed or its last handle is
    /// dropped. Then completes the save in progress.
    pub(super) async fn run(self: Arc<Self>, hub: Arc<LaneHub>) {
        while !hub.is_closed() && !hub.is_abandoned() {
            if self.is_due(&hub) {
                self.save(&hub).await;
                continue;
            }
            let retry_at_ms = {
                let state = self.lock();
                state.pacing.retry_at_ms().filter(|_| state.queue.unsaved() > 0)
            };
            let rung = self.bell.rung().boxed();
            match retry_at_ms {
                None => rung.await,
                Some(at_ms) => {
                    let wait = at_ms.saturating_sub(hub.surroundings.clock.now_ms()).max(1);
                    let slept = hub.surroundings.clock.sleep(u64::try_from(wait).unwrap_or(1));
                    drop(select(rung, slept).await);
                }
            }
        }
        let saving = self.lock().saving.clone();
        if let Some(saving) = saving {
            saving.await;
        }
    }
}
