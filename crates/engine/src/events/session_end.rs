//! `session_end`: starts the extraction of a session's unprocessed events immediately. A later
//! event of the session is stored as usual.

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, MemoryId, Result, SessionId};

use crate::memories::existing;
use crate::{Engine, access};

impl Engine {
    /// Makes the waiting extraction jobs of a session due now, without waiting for more events.
    /// Returns the number of these jobs; they may still run when the call returns.
    ///
    /// # Errors
    /// `Denied`, `NotFound` (memory).
    pub async fn session_end(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<usize> {
        let now = self.clock.now();
        access::event_view(caller, memory, actor, Some(session), Capability::Write, now)?;
        let now = self.clock.now();
        let (memory, actor, session) = (memory.clone(), actor.clone(), session.clone());
        let due = self
            .store
            .write(move |tx| {
                existing(tx, &memory)?;
                tx.jobs_mut().make_due(&memory, Some(&actor), Some(&session), now)
            })
            .await?;
        self.wake.call();
        Ok(due)
    }
}
