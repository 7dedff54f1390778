//! `extraction_wait`: makes the pending jobs of a memory (actor, session) due and waits until none
//! is left. It runs none itself: the host does.

use futures::future::{Either, select};
use loci_api::job::ExtractionState;
use loci_model::job::JobCounts;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, Error, MemoryId, Result, SessionId, limits};

use crate::memories::existing;
use crate::{Engine, access};

/// The time between two reads of the table of jobs, in milliseconds. Jobs of other processes end
/// without a signal.
const LOOK_MS: u64 = 50;

impl Engine {
    /// Waits until a memory, an actor or a session has no pending extraction, or `timeout_ms` have
    /// passed.
    ///
    /// # Errors
    /// `Denied`, `NotFound` (memory), `Invalid` (`timeout_ms` over 300,000; a session without its
    /// actor).
    pub async fn extraction_wait(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        actor: Option<&ActorId>,
        session: Option<&SessionId>,
        timeout_ms: u64,
    ) -> Result<ExtractionState> {
        let now = self.clock.now();
        match actor {
            // The response contains only counts, so visibility of some events is enough.
            Some(actor) => {
                access::event_view(caller, memory, actor, session, Capability::Read, now).map(drop)?
            }
            None => access::require_whole(caller, memory, Capability::Read)?,
        }
        if timeout_ms > limits::WAIT_MS_MAX {
            return Err(Error::invalid("timeout_ms", "timeout_ms must be at most 300000"));
        }
        if session.is_some() && actor.is_none() {
            return Err(Error::invalid("actor", "a session needs its actor: name both"));
        }
        let (place, of_actor, of_session) = (memory.clone(), actor.cloned(), session.cloned());
        self.store
            .write(move |tx| {
                existing(tx, &place)?;
                tx.jobs_mut().make_due(&place, of_actor.as_ref(), of_session.as_ref(), now)
            })
            .await?;
        self.wake.call();
        let part =
            WaitScope { memories: vec![memory.clone()], actor: actor.cloned(), session: session.cloned() };
        self.wait_for(&part, timeout_ms).await
    }

    /// Waits until the part has no pending jobs, or the time is up.
    pub(super) async fn wait_for(&self, part: &WaitScope, timeout_ms: u64) -> Result<ExtractionState> {
        let start = self.clock.monotonic_us();
        loop {
            let seen = self.wake.calls();
            let counts = self.counts(part).await?;
            let waited_ms = self.clock.monotonic_us().saturating_sub(start) / 1000;
            // Waiting here does not help jobs that wait for an answer from outside.
            if counts.runnable() == 0 || waited_ms >= timeout_ms {
                return Ok(ExtractionState {
                    complete: counts.pending == 0,
                    pending: counts.pending,
                    waiting: counts.waiting,
                    failed: counts.failed,
                });
            }
            self.pause(seen, LOOK_MS.min(timeout_ms - waited_ms)).await;
        }
    }

    /// Sleeps, but wakes at a call of [`super::wake::Wake`] after the count `seen`.
    pub async fn pause(&self, seen: u64, millis: u64) {
        match select(self.wake.called_since(seen), self.clock.sleep(millis)).await {
            Either::Left(_) | Either::Right(_) => {}
        }
    }

    async fn counts(&self, part: &WaitScope) -> Result<JobCounts> {
        let (part, awaited) = (part.clone(), self.awaited_kinds());
        self.store
            .read(move |tx| {
                let mut sum = JobCounts::default();
                for memory in &part.memories {
                    let (actor, session) = (part.actor.as_ref(), part.session.as_ref());
                    let counts = tx.jobs().counts(memory, actor, session, &awaited)?;
                    sum.pending = sum.pending.saturating_add(counts.pending);
                    sum.waiting = sum.waiting.saturating_add(counts.waiting);
                    sum.failed = sum.failed.saturating_add(counts.failed);
                }
                Ok(sum)
            })
            .await
    }
}

/// The memories for which a call waits, or the actor or session of one memory.
#[derive(Debug, Clone)]
pub(super) struct WaitScope {
    pub(super) memories: Vec<MemoryId>,
    pub(super) actor: Option<ActorId>,
    pub(super) session: Option<SessionId>,
}
