//! One store of the coordinator: what waits for it, when it is tried, and the one save that goes on.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, select};

use super::bell::Bell;
use super::config::Extracting;
use super::leftover::Leftover;
use super::pacing::Pacing;
use super::queue::Queue;
use super::saving::{Hub, save_all};
use super::trigger::{ExtractionTrigger, Turns};
use crate::agent::error::StoreError;
use crate::agent::isolation::{caught_call, panicked};

/// A lane.
pub(super) struct Lane {
    pub(super) extracting: Extracting,
    pub(super) bell: Bell,
    name: String,
    state: Mutex<State>,
}

/// What changes about a lane.
#[derive(Default)]
pub(super) struct State {
    pub(super) queue: Queue,
    pub(super) pacing: Pacing,
    /// Why the last save stopped, where it did.
    pub(super) last_error: Option<StoreError>,
    /// Messages that were lost for want of room.
    pub(super) dropped: u64,
    requested: bool,
    /// The span of the agent that asked for the save, by its id: holding it would keep it open.
    asked_in: Option<tracing::Id>,
    invocations: u64,
    saving: Option<Shared<BoxFuture<'static, ()>>>,
}

impl Lane {
    pub(super) fn new(extracting: Extracting) -> Self {
        let name = extracting.store.name().to_owned();
        Self { extracting, name, bell: Bell::default(), state: Mutex::default() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run of before left this: it is sent as soon as somebody drives the lane.
    pub(super) fn recovered(&self, leftover: Leftover) {
        let mut state = self.lock();
        state.queue.left(leftover);
        state.requested = true;
        drop(state);
        self.bell.ring();
    }

    /// Asks the triggers.
    pub(super) fn invocation_ended(&self) {
        let turns = {
            let mut state = self.lock();
            state.invocations += 1;
            Turns { invocations: state.invocations, unsaved: state.queue.unsaved() }
        };
        // Triggers are foreign code: they are asked without the lock.
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

    /// The span that asked for the save that begins now.
    pub(super) fn asked_in(&self) -> Option<tracing::Id> {
        self.lock().asked_in.take()
    }

    /// Whether a save is tried now. A request that has to wait is kept; one that backoff refuses is used up.
    pub(super) fn is_due(&self, hub: &Hub) -> bool {
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

    /// Saves everything, or goes along with the save that is on. True: it went along.
    ///
    /// The save belongs to the lane, not to its caller: where a caller goes away, the next one carries it on, so that a write in
    /// progress is never cut off.
    pub(super) async fn save(self: &Arc<Self>, hub: &Arc<Hub>) -> bool {
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

    /// The save that is on is nobody's any more.
    pub(super) fn forget_save(&self) {
        let saving = self.lock().saving.take();
        // Without the lock: what a store does when it is cut off is foreign code.
        drop(saving);
    }

    /// The save itself panicked.
    fn interrupted(&self, hub: &Hub) {
        tracing::error!("store=<{}> | memory save panicked, it is tried again", self.name());
        let mut state = self.lock();
        state.queue.interrupted();
        // Time may be what panicked: the next request is the next try.
        let at_ms = caught_call("the clock", || hub.surroundings.clock.now_ms()).unwrap_or(i64::MIN);
        state.pacing.failed(at_ms, 0);
        state.last_error = Some(panicked("a save"));
    }

    /// Saves until nothing waits or a save of its own fails, whatever backoff says.
    pub(super) async fn flush(self: &Arc<Self>, hub: &Arc<Hub>) {
        loop {
            let joined = self.save(hub).await;
            let state = self.lock();
            if state.queue.unsaved() == 0 || (state.last_error.is_some() && !joined) {
                return;
            }
        }
    }

    /// Saves whenever it is due, until the coordinator is closed or nobody holds it. A save that is on is carried to its end.
    pub(super) async fn run(self: Arc<Self>, hub: Arc<Hub>) {
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
